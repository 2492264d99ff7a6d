import { beforeEach, expect, test, vi } from 'vitest'
import type { ServerMessage } from '#contract/messages/push.ts'
import { createStream } from './stream.ts'
import { backoffMs, type Socket } from './stream-connection.ts'

class FakeSocket implements Socket {
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null
  sent: { op: string; symbols?: string[]; token?: string }[] = []
  closed = false
  send(text: string) {
    this.sent.push(JSON.parse(text))
  }
  close() {
    this.closed = true
  }
  say(message: ServerMessage) {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

function setUp(token: string | undefined = undefined) {
  const sockets: FakeSocket[] = []
  const ended = vi.fn()
  const stream = createStream({
    connect: () => {
      const socket = new FakeSocket()
      sockets.push(socket)
      return socket
    },
    token: async () => token,
    onSessionEnded: ended,
    random: () => 1,
  })
  /** Opens the newest socket and lets pending token callbacks run. */
  const open = async () => {
    const socket = sockets.at(-1)!
    socket.onopen?.()
    await vi.advanceTimersByTimeAsync(0)
    return socket
  }
  return { stream, sockets, ended, open }
}

/** A signed-in stream with a listener for its gaps. */
function setUpGap() {
  const parts = setUp('t')
  const gap = vi.fn()
  parts.stream.onGap(gap)
  parts.stream.onUserMessage(() => {})
  return { ...parts, gap }
}

const balance = (seq: number): ServerMessage => ({ op: 'balance', seq, data: { balance: 0, demo_balance: 1 } })

/** Something was sent to the user at this moment, unless `quiet_ms` says otherwise. */
const ready = (seq: number, quiet_ms = 0): ServerMessage => ({ op: 'ready', seq, quiet_ms })

test('opens a socket for the first listener and closes it after the last', async () => {
  const { stream, sockets, open } = setUp()
  expect(sockets).toHaveLength(0)
  const end = stream.subscribe(['BTCUSDT'], () => {})
  const socket = await open()
  end()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(socket.closed).toBe(true)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sockets).toHaveLength(1)
})

test('has news for a moment after each message to the user, and after signing in', async () => {
  const { stream, open } = setUp('token')
  stream.onUserMessage(() => {})
  const socket = await open()
  expect(stream.hasNews()).toBe(false)
  socket.say(ready(0))
  expect(stream.hasNews()).toBe(true)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(stream.hasNews()).toBe(false)
  socket.say(balance(1))
  expect(stream.hasNews()).toBe(true)
})

test('subscribes to a symbol with its first listener and unsubscribes with its last', async () => {
  const { stream, open } = setUp()
  const first = stream.subscribe(['A', 'B'], () => {})
  const socket = await open()
  const second = stream.subscribe(['B', 'C'], () => {})
  first()
  first()
  second()
  expect(socket.sent).toEqual([
    { op: 'subscribe', symbols: ['A', 'B'] },
    { op: 'subscribe', symbols: ['C'] },
    { op: 'unsubscribe', symbols: ['A'] },
    { op: 'unsubscribe', symbols: ['B', 'C'] },
  ])
})

test('each listener gets its part of a frame', async () => {
  const { stream, open } = setUp()
  const a = vi.fn()
  const all = vi.fn()
  stream.subscribe(['A'], a)
  stream.subscribe(['*'], all)
  const socket = await open()
  socket.say({
    op: 'frame',
    n: 1,
    t: 5,
    p: [
      ['A', '1.0', 4],
      ['B', '2.0', 4],
    ],
  })
  socket.say({ op: 'frame', n: 2, t: 6, p: [['B', '2.1', 5]] })
  expect(a.mock.calls).toEqual([[{ op: 'frame', n: 1, t: 5, p: [['A', '1.0', 4]] }]])
  expect(all).toHaveBeenCalledTimes(2)
})

test('reconnects with backoff, signed in and with every symbol', async () => {
  const { stream, sockets, open } = setUp('t1')
  stream.subscribe(['A'], () => {})
  const first = await open()
  expect(first.sent).toEqual([
    { op: 'subscribe', symbols: ['A'] },
    { op: 'auth', token: 't1' },
  ])
  expect(stream.status()).toBe('open')

  first.onclose?.({ code: 1006 })
  expect(stream.status()).toBe('down')
  await vi.advanceTimersByTimeAsync(499)
  expect(sockets).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(sockets).toHaveLength(2)

  sockets[1]!.onclose?.({ code: 1006 })
  await vi.advanceTimersByTimeAsync(999)
  expect(sockets).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  const third = await open()
  expect(third.sent).toEqual(first.sent)
  expect(stream.status()).toBe('open')
})

test('the backoff doubles up to 15 s with at most half jitter', () => {
  expect([0, 1, 2, 10].map((attempt) => backoffMs(attempt, () => 1))).toEqual([500, 1_000, 2_000, 15_000])
  expect(backoffMs(10, () => 0)).toBe(7_500)
})

test('reports a gap for a missing number only', async () => {
  const { open, gap } = setUpGap()
  const socket = await open()
  socket.say(ready(7))
  gap.mockClear()
  socket.say(balance(8))
  socket.say(balance(9))
  expect(gap).not.toHaveBeenCalled()
  socket.say(balance(11))
  expect(gap).toHaveBeenCalledTimes(1)
  socket.say(balance(12))
  expect(gap).toHaveBeenCalledTimes(1)
})

test('rereads what was loaded before the stream was ready', async () => {
  const { open, gap } = setUpGap()
  const socket = await open()
  expect(gap).not.toHaveBeenCalled()
  socket.say(ready(7))
  expect(gap).toHaveBeenCalledTimes(1)
})

test('rereads nothing if nothing was sent since the first reads, even from the slowest standby', async () => {
  for (const [quietMs, gaps] of [
    [7_000, 0],
    [6_999, 1],
  ] as const) {
    const { open, gap } = setUpGap()
    await vi.advanceTimersByTimeAsync(2_000)
    const socket = await open()
    socket.say(ready(7, quietMs))
    expect(gap).toHaveBeenCalledTimes(gaps)
  }
})

test('rereads everything if the server does not say for how long nothing was sent', async () => {
  const { open, gap } = setUpGap()
  const socket = await open()
  socket.say({ op: 'ready', seq: 7 } as ServerMessage)
  expect(gap).toHaveBeenCalledTimes(1)
})

test('rereads after a session change only what was sent since', async () => {
  const { stream, open, gap } = setUpGap()
  await vi.advanceTimersByTimeAsync(60_000)
  stream.sessionChanged()
  await vi.advanceTimersByTimeAsync(1_000)
  ;(await open()).say(ready(7, 6_000))
  expect(gap).not.toHaveBeenCalled()
})

test('counts from the last message before a lost connection, also while the machine sleeps', async () => {
  const { open, gap } = setUpGap()
  const first = await open()
  first.say(ready(7))
  gap.mockClear()
  await vi.advanceTimersByTimeAsync(14_000)
  first.say({ op: 'pong' })
  first.onclose?.({ code: 1006 })
  await vi.advanceTimersByTimeAsync(500)
  const second = await open()
  second.say({ op: 'frame', n: 1, t: 5, p: [] })
  second.say(ready(9, 5_500))
  expect(gap).not.toHaveBeenCalled()

  second.onclose?.({ code: 1006 })
  vi.setSystemTime(Date.now() + 3_600_000)
  await vi.advanceTimersByTimeAsync(500)
  ;(await open()).say(ready(11, 30_000))
  expect(gap).toHaveBeenCalledTimes(1)
})

test('reports a gap after a reconnect that missed messages', async () => {
  const { open, gap } = setUpGap()
  const first = await open()
  first.say(ready(7))
  gap.mockClear()
  first.onclose?.({ code: 1012 })
  await vi.advanceTimersByTimeAsync(500)
  const second = await open()
  second.say(ready(7))
  expect(gap).not.toHaveBeenCalled()
  second.onclose?.({ code: 1012 })
  await vi.advanceTimersByTimeAsync(500)
  ;(await open()).say(ready(9))
  expect(gap).toHaveBeenCalledTimes(1)
})

test('reports an ended session and reconnects as a visitor', async () => {
  const { stream, sockets, ended, open } = setUp('t')
  stream.subscribe(['A'], () => {})
  const socket = await open()
  socket.onclose?.({ code: 4401 })
  expect(ended).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(500)
  expect(sockets).toHaveLength(2)
})

test.each([
  [
    'of prices after 5 s',
    5_000,
    10_000,
    (stream: ReturnType<typeof createStream>) => stream.subscribe(['A'], () => {}),
  ],
  [
    'of messages after 15 s',
    15_000,
    25_000,
    (stream: ReturnType<typeof createStream>) => stream.onUserMessage(() => {}),
  ],
])('pings a silent socket %s, and drops it without a response', async (_, askMs, dropMs, listen) => {
  const { stream, open } = setUp()
  listen(stream)
  const socket = await open()
  await vi.advanceTimersByTimeAsync(askMs - 1)
  expect(socket.sent.at(-1)?.op).not.toBe('ping')
  await vi.advanceTimersByTimeAsync(1)
  expect(socket.sent.at(-1)).toEqual({ op: 'ping' })
  socket.say({ op: 'pong' })
  await vi.advanceTimersByTimeAsync(dropMs - 1)
  expect(stream.status()).toBe('open')
  await vi.advanceTimersByTimeAsync(1)
  expect(socket.closed).toBe(true)
  expect(stream.status()).toBe('down')
})

test('gives up a socket that never opens, and tries another', async () => {
  const { stream, sockets, open } = setUp()
  stream.subscribe(['A'], () => {})
  await vi.advanceTimersByTimeAsync(10_000)
  expect(sockets[0]!.closed).toBe(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sockets).toHaveLength(2)
  await open()
  expect(stream.status()).toBe('open')
})
