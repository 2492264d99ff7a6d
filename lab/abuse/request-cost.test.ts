import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { api } from '#contract/api.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { formOfFields, JSON_TYPE, unknownFields } from '#tests/support/attack.ts'
import { listen } from '#tests/support/listen.ts'
import { BEHIND_PROXY, startWholeApp, type WholeApp } from '#tests/support/servers/app.ts'

let app: WholeApp
beforeAll(async () => {
  app = await startWholeApp({}, { shippedPasswordCost: true })
})
afterAll(() => app.stop())

const endpoints: [string, Endpoint][] = Object.entries(api)
const uploads = endpoints.filter(([, endpoint]) => endpoint.form)
const withJson = endpoints.filter(([, endpoint]) => endpoint.body && !endpoint.raw)

/** Sends the head of a request without its body and returns the status line and body of the answer. */
function answerToHead(name: string, headers: string[]): Promise<string> {
  const [method, path] = name.split(' ')
  return raw(`${method} /api${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers.join('\r\n')}\r\n\r\n`)
}

function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(app.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (bytes: Buffer) => {
      answer += bytes
      if (/^HTTP\/1\.1 \d+[\s\S]*\r\n\r\n\{[\s\S]*\}$/.test(answer)) socket.end()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
    socket.setTimeout(5_000, () => socket.destroy(new Error(`no answer, only: ${answer}`)))
    socket.write(text)
  })
}

describe('bodies', () => {
  test('names at most 20 unknown fields of a body or query', async () => {
    const body = await app.send('POST', '/api/auth/login', { body: unknownFields(150), headers: JSON_TYPE })
    expect(body.status).toBe(422)
    expect((body.json as { errors?: unknown[] }).errors).toHaveLength(20)
    const query = await app.send('GET', `/api/health?${Array.from({ length: 900 }, (_, n) => `k${n}=1`).join('&')}`)
    expect(query.status).toBe(422)
    expect((query.json as { errors?: unknown[] }).errors).toHaveLength(20)
  })

  test('rejects a body with too many fields before checking them', async () => {
    const reply = await app.send('POST', '/api/auth/login', { body: unknownFields(3_000), headers: JSON_TYPE })
    expect([reply.status, reply.json]).toMatchObject([422, { errors: [{ message: 'has too many fields' }] }])
  })

  test.each(withJson)('%s rejects an oversized JSON body before it arrives', async (name, { access }) => {
    const answer = await answerToHead(name, ['content-type: application/json', 'content-length: 6000000'])
    expect(answer).toMatch(access === 'visitor' ? /^HTTP\/1\.1 413 / : /^HTTP\/1\.1 401 /)
  })

  test.each(uploads)('%s rejects a JSON body before it arrives', async (name, { access }) => {
    const large = await answerToHead(name, ['content-type: application/json', 'content-length: 5000000'])
    expect(large).toMatch(access === 'visitor' ? /^HTTP\/1\.1 413 / : /^HTTP\/1\.1 401 /)
    const small = await answerToHead(name, ['content-type: application/json', 'content-length: 500'])
    expect(small).toMatch(access === 'visitor' ? /^HTTP\/1\.1 415 / : /^HTTP\/1\.1 401 /)
  })

  test('cuts off JSON without a length at the limit', async () => {
    const trader = await app.trader()
    const body = new Blob([`{"a":"${'x'.repeat(40_000)}"}`]).stream()
    const response = await fetch(`${app.origin}/api/trading/submit`, {
      method: 'POST',
      headers: { ...JSON_TYPE, authorization: `Bearer ${trader.token}` },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
  })

  test('cuts off an upload without a length at the limit', async () => {
    const part = '--x\r\ncontent-disposition: form-data; name="id_file"; filename="a.jpg"\r\n\r\n'
    const body = new Blob([part, new Uint8Array(8_000_000), '\r\n--x--\r\n']).stream()
    const response = await fetch(`${app.origin}/api/users/user-identification`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ message: 'The request is too large.' })
  })

  test.each(uploads)('%s rejects a file without a field name', async (name) => {
    const [method, path] = name.split(' ') as [string, string]
    const trader = await app.trader()
    const body = '--x\r\ncontent-disposition: form-data;,name="file"; filename="a.jpg"\r\n\r\nx\r\n--x--\r\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const reply = await app.send(method, `/api${path}`, { token: trader.token, headers, body })
    expect([reply.status, reply.json?.message]).toEqual([400, "We couldn't read the form."])
  })

  test('rejects a form with thousands of fields at its first parts', async () => {
    const { headers, body } = formOfFields(4_000)
    const reply = await app.send('POST', '/api/users/user-identification', { headers, body })
    expect([reply.status, reply.json?.message]).toEqual([413, 'The form has too many parts.'])
    const few = formOfFields(30)
    expect((await app.send('POST', '/api/users/user-identification', few)).status).toBe(422)
  })
})

describe('addresses and headers', () => {
  test('answers an overlong URL in the usual error format', async () => {
    const answer = await raw(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ status: false, code: 'too_large' })
  })

  test('answers an upgrade to something else in the usual error format', async () => {
    const answer = await raw('GET /api/health HTTP/1.1\r\nhost: x\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/)
    expect(answer).toMatch(/\r\ncache-control: no-store\r\n/)
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ status: false, code: 'malformed' })
  })

  test.each([1, 13, 199, 201, 2_000])('answers an unknown id of %i characters with 404', async (length) => {
    const { token } = await app.trader()
    for (const path of ['/api/trading/', '/api/avatars/'])
      expect((await app.send('GET', path + 'Z'.repeat(length), { token })).status).toBe(404)
    expect((await app.send('POST', `/api/withdraw/${'Z'.repeat(length)}/cancel`, { token })).status).toBe(404)
  })

  test('accepts the token scheme in any case', async () => {
    const { token } = await app.trader()
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect(
        (await app.send('GET', '/api/users/me', { headers: { authorization: `${scheme} ${token}` } })).status,
      ).toBe(200)
  })

  test('serves metrics only locally or with the token', async () => {
    expect((await app.send('GET', '/metrics')).text).toContain('cleartick_event_loop_lag_seconds')
    const proxied = { 'x-forwarded-for': '203.0.113.9' }
    expect((await app.send('GET', '/metrics', { headers: proxied })).status).toBe(404)
  })

  test('the OpenAPI document lists 413 and 415 for every body, and 409 for every idempotency key', async () => {
    const { paths } = (await app.send('GET', '/api/openapi.json')).json as {
      paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
    }
    for (const [name, endpoint] of endpoints) {
      const [method, path] = name.split(' ') as [string, string]
      const { responses } = paths[`/api${path.replaceAll(/:(\w+)/g, '{$1}')}`]![method.toLowerCase()]!
      if (endpoint.body || endpoint.form)
        expect(Object.keys(responses), name).toEqual(expect.arrayContaining(['413', '415']))
      if (endpoint.idempotent) expect(Object.keys(responses), name).toContain('409')
    }
  })
})

describe('with limits on', () => {
  let limited: WholeApp
  beforeAll(async () => {
    limited = await startWholeApp({ RATE_LIMITS: 'on', ...BEHIND_PROXY }, { shippedPasswordCost: true })
  })
  afterAll(() => limited.stop())

  const from = (network: string) => ({ headers: { 'x-forwarded-for': network } })

  test('limits a flooding network, but not its traders or other networks', async () => {
    const trader = await limited.trader()
    expect((await limited.send('GET', '/api/users/me', { token: trader.token, ...from('203.0.113.1') })).status).toBe(
      200,
    )
    const call = () => limited.send('GET', '/api/public/installation', from('203.0.113.1'))
    for (let n = 0; n < 100; n++) expect((await call()).status).toBe(200)
    let refused: Awaited<ReturnType<typeof call>> | undefined
    for (let round = 0; round < 150 && !refused; round++) {
      const replies = await Promise.all(Array.from({ length: 50 }, call))
      refused = replies.find(({ status }) => status !== 200)
    }
    expect([refused?.status, refused?.json?.code]).toEqual([429, 'too_many_requests'])
    expect(Number(refused!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect((await limited.send('GET', '/api/users/me', { token: trader.token, ...from('203.0.113.1') })).status).toBe(
      200,
    )
    // Renewing the session: the old token gets it past the budget; without a cookie it's rejected for that alone.
    const renew = (token?: string) =>
      limited.send('POST', '/api/auth/refresh', { ...(token ? { token } : {}), ...from('203.0.113.1') })
    const visitors = await Promise.all(Array.from({ length: 50 }, () => renew()))
    expect(visitors.map(({ status }) => status)).toContain(429)
    expect((await renew(trader.token)).status).toBe(401)
    expect((await limited.send('GET', '/api/health', from('203.0.113.2'))).status).toBe(200)
  })

  test('treats an IPv6 /64 as one network', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 400 && !statuses.includes(429); n++)
      for (const { status } of await Promise.all(
        Array.from({ length: 20 }, (_, k) =>
          limited.send('GET', '/api/public/installation', from(`2001:db8::${(n * 20 + k).toString(16)}`)),
        ),
      ))
        statuses.push(status)
    expect(statuses).toContain(429)
  })

  test("a network has at most 200 sockets without a session, and they don't keep a trader's out", async () => {
    const sockets: WebSocket[] = []
    const address = `${limited.origin.replace('http', 'ws')}/api/stream`
    const open = async () => {
      const socket = new WebSocket(address, from('203.0.113.3'))
      sockets.push(socket)
      return new Promise<boolean>((resolve) => {
        socket.once('open', () => resolve(true))
        socket.once('error', () => resolve(false))
      })
    }
    await Promise.all(Array.from({ length: 230 }, open))
    const left = () => sockets.filter((socket) => socket.readyState === WebSocket.OPEN).length
    await expect.poll(left, { timeout: 20_000 }).toBe(200)
    const { token } = await limited.trader()
    const trader = await listen(limited, from('203.0.113.3').headers)
    await trader.signIn(token)
    await Promise.all(Array.from({ length: 205 }, open))
    await expect.poll(left, { timeout: 20_000 }).toBe(200)
    expect(trader.isOpen(), 'with a session it makes room for nobody').toBe(true)
    for (const socket of sockets) socket.terminate()
  })

  test('a trader downloads one statement at a time', async () => {
    const { token } = await limited.trader()
    const day = new Date().toISOString().slice(0, 10)
    const path = `/api/statement?mode=demo&from=${day}&to=${day}&format=pdf`
    const replies = await Promise.all(Array.from({ length: 5 }, () => limited.send('GET', path, { token })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429])
    expect((await limited.send('GET', path, { token })).status).toBe(200)
  })
})
