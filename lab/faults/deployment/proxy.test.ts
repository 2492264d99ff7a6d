import { createServer, request as plainRequest, type ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { freePort } from '#server/platform/postgres/embedded.ts'
import { registration } from '#tests/support/people/identity.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { processOf } from '#tests/support/servers/nodes.ts'
import { HAS_NGINX, type RunningProxy, startProxy } from '#tests/support/servers/proxy.ts'
import { dataFolder, type ServerProcess, startServer } from '#tests/support/servers/server.ts'
import { order } from '#tests/support/trades/crowd.ts'
import { type Attempt, converge, lossesOf, startLoad } from '#tests/support/trades/load.ts'
import { createStream } from '#web/client/stream.ts'
import type { Socket } from '#web/client/stream-connection.ts'

/** nginx with the configuration in `deploy/proxy`, in front of two web nodes and an engine. */
const TIMEOUT_MS = 180_000
const HSTS = 'max-age=31536000; includeSubDomains'

interface Reply {
  status: number
  headers: Record<string, unknown>
  json: Record<string, unknown>
}

/** Sends requests to the proxy as a browser does: over TLS, on keep-alive connections. */
function browser({ ca, tlsPort }: Pick<RunningProxy, 'ca' | 'tlsPort'>) {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 8 })
  onTestFinished(() => agent.destroy())
  return (
    method: string,
    path: string,
    given: { token?: string; key?: string; body?: unknown; headers?: Record<string, string>; from?: string } = {},
  ): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const body = given.body instanceof Buffer || given.body === undefined ? given.body : JSON.stringify(given.body)
      const sent = request(
        {
          agent,
          host: 'localhost',
          port: tlsPort,
          family: 4,
          method,
          path,
          ...(given.from ? { localAddress: given.from } : {}),
          timeout: 15_000,
          headers: {
            ...(given.token ? { authorization: `Bearer ${given.token}` } : {}),
            ...(given.key ? { 'idempotency-key': given.key } : {}),
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body as string) }),
            ...given.headers,
          },
        },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(parts).toString()
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              json: /json/.test(String(response.headers['content-type'])) ? JSON.parse(text) : {},
            })
          })
        },
      )
      sent.on('timeout', () => sent.destroy(new Error('timed out')))
      sent.on('error', reject)
      sent.end(body)
    })
}

/** Opens the product's stream, as a browser tab does. */
function openTab({ ca, tlsPort }: Pick<RunningProxy, 'ca' | 'tlsPort'>, token: string) {
  let newest = 0
  let opened = 0
  const stream = createStream({
    connect() {
      const socket = new WebSocket(`wss://localhost:${tlsPort}/api/stream`, { ca, family: 4 })
      socket.on('error', () => undefined)
      opened++
      return socket as unknown as Socket
    },
    token: async () => token,
    onSessionEnded: () => undefined,
  })
  const stop = stream.subscribe(['BTCUSDT'], ({ n }) => {
    newest = n
  })
  onTestFinished(stop)
  return { newest: () => newest, opened: () => opened }
}

async function cluster() {
  const { superUrl, db } = await testDatabase()
  const tlsPort = (await freePort(0))!
  const shared = {
    DATABASE_URL: superUrl,
    FILES_KEY: 'ab'.repeat(32),
    PUBLIC_URL: `https://localhost:${tlsPort}`,
    TRUST_PROXY: '127.0.0.1',
    PUBLIC_TEST_INSTALLATION: 'on',
  }
  const start = async (env: Record<string, string>): Promise<ServerProcess> => {
    const node = await startServer(dataFolder(), { ...shared, ...env })
    onTestFinished(async () => void (await node.end('SIGTERM')))
    return node
  }
  await start({ ROLES: 'engine' })
  const webPorts = [(await freePort(0))!, (await freePort(0))!]
  const web = (at: number) => start({ ROLES: 'web', PORT: String(webPorts[at]) })
  const webs = [await web(0), await web(1)]
  const proxy = await startProxy({ webPorts, tlsPort })
  const call = browser(proxy)
  await expect.poll(() => call('GET', '/api/health').then(({ status }) => status), { timeout: 20_000 }).toBe(200)
  /** Returns the number of trades that a node has accepted since it started. */
  const acceptedBy = async (at: number) => {
    const text = await (await fetch(`http://127.0.0.1:${webPorts[at]}/metrics`)).text()
    return Number(/^cleartick_trades_accepted_total (\d+)/m.exec(text)?.[1])
  }
  return { db, proxy, call, webs, startAgain: web, acceptedBy }
}

async function signUp(call: ReturnType<typeof browser>, more: Parameters<ReturnType<typeof browser>>[2] = {}) {
  const form = registration()
  expect(await call('POST', '/api/auth/register', { ...more, body: form })).toMatchObject({ status: 200 })
  const { email, password } = form
  const { json } = await call('POST', '/api/auth/login', { ...more, body: { email, password } })
  return { email, token: (json.tokens as { access: { token: string } }).access.token }
}

test.skipIf(!HAS_NGINX)(
  'a browser keeps trading over TLS while web nodes are stopped and killed',
  async () => {
    const { db, proxy, call, webs, startAgain, acceptedBy } = await cluster()
    const { token } = await signUp(call)
    const failures: string[] = []
    const submit = async (_: number, key: string, cents: number): Promise<Attempt['seen']> => {
      try {
        const { status, json } = await call('POST', '/api/trading/submit', {
          token,
          key,
          body: { ...order(cents), mode: 'demo' },
        })
        if (status === 200) return { kind: 'accepted', tradeId: (json.data as { trade_id: string }).trade_id }
        failures.push(`${status} ${json.message}`)
        return status >= 500 ? { kind: 'unknown', why: String(status) } : { kind: 'refused', why: String(json.message) }
      } catch (error) {
        failures.push(String(error))
        return { kind: 'unknown', why: String(error) }
      }
    }
    // One more than there are nodes, so that each node has at least one.
    const tabs = [1, 2, 3].map(() => openTab(proxy, token))
    const allSee = async (n: number) => {
      for (const tab of tabs) await expect.poll(tab.newest, { timeout: 20_000 }).toBeGreaterThan(n)
    }
    await allSee(0)
    const load = startLoad(submit, { loops: 2, traders: 1 })
    const accepts = async (more: number) => {
      const before = load.accepted()
      await expect.poll(() => load.accepted(), { timeout: 20_000 }).toBeGreaterThan(before + more)
    }
    await accepts(20)

    // A rolling upgrade: each node in turn stops and comes back.
    for (const at of [0, 1]) {
      const seen = Math.max(...tabs.map((tab) => tab.newest()))
      const stopped = webs[at]!.end('SIGTERM')
      await accepts(20)
      expect(await stopped).toBe(0)
      await accepts(20)
      await allSee(seen + 4)
      webs[at] = await startAgain(at)
      // The proxy skips it for a moment longer.
      await expect.poll(() => acceptedBy(at), { timeout: 20_000 }).toBeGreaterThan(0)
    }
    expect(tabs.reduce((sum, tab) => sum + tab.opened(), 0)).toBeGreaterThanOrEqual(tabs.length + 2)
    expect({ failures, said: proxy.output() }).toMatchObject({ failures: [] })

    // A crash: the browser retries failed requests with the same key.
    const seen = Math.max(...tabs.map((tab) => tab.newest()))
    await webs[0]!.end('SIGKILL')
    await accepts(20)
    await allSee(seen + 4)
    const attempts = await load.stop()
    await converge(attempts, submit)
    expect(await lossesOf(db, attempts)).toEqual([])
    expect(attempts.every(({ seen }) => seen.kind === 'accepted')).toBe(true)
  },
  TIMEOUT_MS,
)

test.skipIf(!HAS_NGINX)(
  'a web node hangs: its orders are accepted by the other one, once, and its other requests are answered there',
  async () => {
    const { db, call, webs, acceptedBy } = await cluster()
    const { token } = await signUp(call)
    const submit = (key: string) =>
      call('POST', '/api/trading/submit', { token, key, body: { ...order(200), mode: 'demo' } })
    await expect.poll(() => submit('first').then(({ status }) => status), { timeout: 20_000 }).toBe(200)
    const processes = [webs[0]!.pid, processOf(webs[0]!.pid, 'web')!]
    for (const pid of processes) process.kill(pid, 'SIGSTOP')
    try {
      const keys = ['a', 'b', 'c', 'd']
      const began = performance.now()
      const statusOf = ({ status }: Reply) => status
      // Half of them reach the node that hangs.
      const reads = [1, 2, 3, 4].map(() => call('GET', '/api/users/me', { token }).then(statusOf))
      const orders = keys.map((key) => submit(key).then(statusOf))
      const resets = ['e', 'f', 'g', 'h'].map((key) =>
        call('POST', '/api/trading/demo/reset', { token, key, body: {} }).then(statusOf),
      )
      expect(await Promise.all(orders)).toEqual([200, 200, 200, 200])
      expect(await Promise.all(reads)).toEqual([200, 200, 200, 200])
      expect(await Promise.all(resets)).toEqual([200, 200, 200, 200])
      expect(performance.now() - began).toBeLessThan(14_000)
    } finally {
      for (const pid of processes) process.kill(pid, 'SIGCONT')
    }
    // Orders that the hanging node still has are duplicates of retried ones.
    await expect.poll(() => acceptedBy(0).catch(() => -1), { timeout: 20_000 }).toBeGreaterThanOrEqual(0)
    const trades = await db.selectFrom('trades').select('key').orderBy('key').execute()
    expect(trades.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'first'])
  },
  TIMEOUT_MS,
)

test.skipIf(!HAS_NGINX)(
  'the proxy passes on the real address, redirects to TLS, and keeps metrics and large bodies out',
  async () => {
    const { db, proxy, call } = await cluster()
    const forged = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' }
    const { email } = await signUp(call, { headers: forged, from: '127.0.0.2' })
    const { address } = await db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .where('users.email', '=', email)
      .select('sessions.address')
      .executeTakeFirstOrThrow()
    expect(address).toBe('127.0.0.2')

    expect(await call('GET', '/')).toMatchObject({
      status: 200,
      headers: { 'strict-transport-security': HSTS },
    })
    expect(await call('GET', '/metrics')).toMatchObject({
      status: 404,
      headers: { 'strict-transport-security': HSTS },
    })
    expect(await call('POST', '/api/auth/login', { body: Buffer.alloc(6_500_000, ' ') })).toMatchObject({ status: 413 })
    const withoutTls = (path: string) =>
      new Promise((resolve, reject) => {
        const sent = plainRequest({ host: '127.0.0.1', port: proxy.plainPort, path }, (response) => {
          response.resume()
          resolve([response.statusCode, response.headers.location])
        })
        sent.on('error', reject)
        sent.end()
      })
    expect(await withoutTls('/desk?a=1')).toEqual([308, 'https://127.0.0.1/desk?a=1'])
    expect(await withoutTls('/api/users/me')).toEqual([403, undefined])
  },
  TIMEOUT_MS,
)

test.skipIf(!HAS_NGINX)('the proxy refuses the orders that are too many, and passes on the others', async () => {
  const held: ServerResponse[] = []
  const node = createServer((_, response) => void held.push(response))
  onTestFinished(() => void node.close().closeAllConnections())
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  const { port } = node.address() as AddressInfo
  const proxy = await startProxy({ webPorts: [port], tlsPort: (await freePort(0))!, ordersMax: 3 })
  const call = browser(proxy)
  const submit = () => call('POST', '/api/trading/submit', { body: order(200) })
  await expect
    .poll(() =>
      call('GET', '/metrics').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(404)
  const accepted = [submit(), submit(), submit()]
  await expect.poll(() => held.length).toBe(3)
  expect(await submit()).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1', 'strict-transport-security': HSTS },
    json: { status: false, code: 'unavailable' },
  })
  // A node's own 503 reaches the browser as it is.
  held[0]!.writeHead(503, { 'content-type': 'application/json' }).end('{"code":"of the node"}')
  expect(await accepted[0]).toMatchObject({ status: 503, json: { code: 'of the node' } })
  const next = submit()
  await expect.poll(() => held.length).toBe(4)
  for (const response of held.slice(1)) response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  expect((await Promise.all([...accepted.slice(1), next])).map(({ status }) => status)).toEqual([200, 200, 200])
})

test.skipIf(!HAS_NGINX)(
  'a slow download, with a key or without, is waited for and leaves its node in use',
  async () => {
    const node = createServer((request, response) => {
      const slowly = request.url!.startsWith('/api/statement') || request.url!.startsWith('/api/profile')
      setTimeout(() => response.writeHead(200).end(), slowly ? 11_000 : 0)
    })
    onTestFinished(() => void node.close().closeAllConnections())
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
    const { port } = node.address() as AddressInfo
    const call = browser(await startProxy({ webPorts: [port], tlsPort: (await freePort(0))! }))
    const statusOf = async (...given: Parameters<typeof call>) => (await call(...given)).status
    await expect.poll(() => statusOf('GET', '/api/health').catch(() => 0)).toBe(200)
    const slow = [statusOf('GET', '/api/statement'), statusOf('POST', '/api/profile', { key: 'a', body: {} })]
    const quick: number[] = []
    for (let n = 0; n < 23; n++) {
      await sleep(500)
      quick.push(await statusOf('GET', '/api/users/me'), await statusOf('POST', '/api/trading/submit', { body: {} }))
    }
    expect(await Promise.all(slow)).toEqual([200, 200])
    expect(new Set(quick)).toEqual(new Set([200]))
  },
  TIMEOUT_MS,
)
