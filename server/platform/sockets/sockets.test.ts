import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { endsAtOnce } from '#tests/support/measures/turns.ts'
import { createHttp } from '../http/index.ts'
import { createLog } from '../process/log.ts'
import { openSockets } from './sockets.ts'

/** A server with nothing but sockets, on which every token is the number of its user. */
async function openServer() {
  const log = createLog('silent')
  const authenticate = async (token: string) => ({ userId: BigInt(token), sessionId: BigInt(token) }) as never
  const http = await createHttp({
    log,
    trustProxy: undefined,
    insecureCookies: true,
    rateFactor: undefined,
    authenticate,
    authenticateOperator: async () => undefined,
  })
  const sockets = openSockets({
    app: http.app,
    authenticate,
    isOurOrigin: () => true,
    isSymbol: () => true,
    watched: () => undefined,
    chat: async () => undefined,
    rateFactor: undefined,
    log,
  })
  const port = await http.listen('127.0.0.1', 0)
  onTestFinished(() => http.close())
  return { sockets, url: `ws://127.0.0.1:${port}/api/stream` }
}

interface Received {
  at: number
  seq: number
  quiet_ms?: number
}

/** A signed-in client that records the numbers it receives, and when it was closed. */
async function client(url: string, user: number) {
  const socket = new WebSocket(url)
  onTestFinished(() => socket.terminate())
  const received: Received[] = []
  const closed = new Promise<{ at: number; code: number }>((resolve) =>
    socket.on('close', (code) => resolve({ at: performance.now(), code })),
  )
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(JSON.stringify({ op: 'auth', token: String(user) }))
  await new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { seq?: number; quiet_ms?: number }
      const { seq, ...rest } = message
      if (seq === undefined) return
      received.push({ ...rest, seq, at: performance.now() })
      resolve()
    })
  })
  return { socket, received, closed }
}

const clients = (url: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, user) => client(url, user + 1)))

/** The time between the first and the last. */
const spanOf = (times: readonly number[]) => Math.max(...times) - Math.min(...times)

test('after a gap every client reads again once, not all of them at once', async () => {
  const { sockets, url } = await openServer()
  const everyone = await clients(url, 100)
  sockets.gap(2_000)
  // It comes before the clients have read again.
  sockets.gap()
  await expect.poll(() => everyone.every(({ received }) => received.length >= 2)).toBe(true)
  const again = everyone.map(({ received }) => received[1]!)
  expect(everyone.map(({ received }) => received[1]!.seq - received[0]!.seq)).toEqual(everyone.map(() => 1))
  expect(spanOf(again.map(({ at }) => at))).toBeGreaterThan(500)
  // A message after it has the next number, and no client reads again once more.
  sockets.sendToUser(7n, { op: 'balance', data: { balance: 0, demo_balance: 0 } })
  await expect.poll(() => everyone[6]!.received.length).toBe(3)
  expect(everyone.map(({ received }) => received.length - 2)).toEqual(everyone.map((_, at) => (at === 6 ? 1 : 0)))
})

test('a message that comes before the client reads again keeps its number', async () => {
  const { sockets, url } = await openServer()
  const [one] = await clients(url, 1)
  sockets.gap()
  sockets.sendToUser(1n, { op: 'balance', data: { balance: 0, demo_balance: 0 } })
  await expect.poll(() => one!.received.length).toBe(3)
  const [first, ...others] = one!.received.map(({ seq }) => seq)
  expect(others).toEqual([first! + 1, first! + 2])
})

test('the answer to a sign-in says for how long nothing was sent to the user, also by those who found no socket', async () => {
  const { sockets, url } = await openServer()
  await sleep(400)
  const quietOf = async (user: number) => (await client(url, user)).received[0]!.quiet_ms!
  expect(await quietOf(1)).toBeGreaterThanOrEqual(400)
  sockets.sendToUser(2n, { op: 'balance', data: { balance: 0, demo_balance: 0 } })
  expect(sockets.listening([3n])).toEqual([])
  const sentAt = performance.now()
  for (const user of [2, 3]) expect(await quietOf(user)).toBeLessThanOrEqual(performance.now() - sentAt + 1)
  const other = await quietOf(4)
  expect(other).toBeGreaterThanOrEqual(400)

  const gapAt = performance.now()
  sockets.gap()
  expect(await quietOf(5)).toBeLessThanOrEqual(performance.now() - gapAt + 1)
})

test('draining closes sockets at different moments, and those that wait still get their messages', async () => {
  const { sockets, url } = await openServer()
  const everyone = await clients(url, 60)
  let isDrained = false
  const drained = sockets.drain(3_000).then(() => {
    isDrained = true
  })
  const firstClosed = await Promise.race(everyone.map(({ closed }) => closed))
  expect(isDrained).toBe(false)
  for (let user = 1n; user <= 60n; user++)
    sockets.sendToUser(user, { op: 'balance', data: { balance: 0, demo_balance: 0 } })
  const refused = new WebSocket(url)
  const status = await new Promise((resolve) => {
    refused.on('unexpected-response', (_request, response) => resolve(response.statusCode))
    refused.on('open', () => resolve('open'))
  })
  expect(status).toBe(503)
  await drained
  const closings = await Promise.all(everyone.map(({ closed }) => closed))
  expect(new Set(closings.map(({ code }) => code))).toEqual(new Set([1012]))
  expect(spanOf(closings.map(({ at }) => at))).toBeGreaterThan(500)
  expect(everyone.filter(({ received }) => received.length === 2).length).toBeGreaterThan(20)
  expect(firstClosed.code).toBe(1012)
  expect(sockets.count()).toBe(0)
})

test('draining ends at once when no socket is open, and cuts off a client that does not answer', async () => {
  const { sockets, url } = await openServer()
  const [stuck] = await clients(url, 1)
  // It reads nothing, so it never confirms the closing.
  stuck!.socket.pause()
  await sockets.drain(0)
  expect(sockets.count()).toBe(0)
  expect(await endsAtOnce(sockets.drain())).toBe(true)
})

test('sends messages of every length whole, between messages of the user', async () => {
  const { sockets, url } = await openServer()
  const { socket } = await client(url, 1)
  const received: string[] = []
  socket.on('message', (data, isBinary) => received.push(isBinary ? 'binary' : String(data)))
  socket.send(JSON.stringify({ op: 'subscribe', symbols: ['*'] }))
  socket.send(JSON.stringify({ op: 'ping' }))
  await expect.poll(() => received.length).toBe(1)
  const text = (symbol: string) => `{"op":"frame","n":1,"t":2,"p":[["${symbol}","1",3]]}`
  const empty = text('').length
  const lengths = [empty, 125, 126, 127, 65_535, 65_536, 200_000]
  for (const length of lengths) {
    sockets.frame({ n: 1, t: 2, p: [['x'.repeat(length - empty), '1', 3]] })
    sockets.sendToUser(1n, { op: 'guardrails', data: null })
  }
  sockets.frame({ n: 1, t: 2, p: [['Zürich €', '1', 3]] })
  await expect.poll(() => received.length).toBe(2 + 2 * lengths.length)
  expect(received.filter((one) => one.includes('"frame"'))).toEqual([
    ...lengths.map((length) => text('x'.repeat(length - empty))),
    text('Zürich €'),
  ])
})

test('drops a client that reads nothing, and the others receive everything', async () => {
  const { sockets, url } = await openServer()
  const subscribed = async () => {
    const { socket } = await client(url, 1)
    socket.send(JSON.stringify({ op: 'subscribe', symbols: ['*'] }))
    socket.send(JSON.stringify({ op: 'ping' }))
    await new Promise((resolve) => socket.once('message', resolve))
    return socket
  }
  const reader = await subscribed()
  let received = 0
  reader.on('message', () => received++)
  const idler = await subscribed()
  idler.pause()
  for (let frame = 1; frame <= 200; frame++) {
    sockets.frame({ n: frame, t: 2, p: [['x'.repeat(200_000), '1', 3]] })
    await expect.poll(() => received, { interval: 1 }).toBe(frame)
  }
  expect(sockets.count()).toBe(1)
})

test("a socket begins after its user's waiting messages, and one that closes gets them first", async () => {
  const { sockets, url } = await openServer()
  const first = await client(url, 1)
  const start = first.received[0]!.seq
  const balance = { op: 'balance', data: { balance: 0, demo_balance: 0 } } as const
  const sendMany = async () => {
    // Each in a separate turn: the last ones wait.
    for (let n = 0; n < 10; n++) {
      sockets.sendToUser(1n, balance)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await sendMany()
  const second = await client(url, 1)
  expect(second.received[0]!.seq).toBe(start + 10)
  await expect.poll(() => first.received.length).toBe(11)
  await sendMany()
  await sockets.drain(1)
  const numbers = ({ received }: typeof first) => received.map(({ seq }) => seq - start)
  expect(numbers(first)).toEqual(Array.from({ length: 21 }, (_, n) => n))
  expect(numbers(second)).toEqual(Array.from({ length: 11 }, (_, n) => n + 10))
})
