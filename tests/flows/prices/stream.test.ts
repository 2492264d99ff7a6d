import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { FrameMessage, UserMessage } from '#contract/messages/push.ts'
import type { Trade } from '#contract/trading/trading.ts'
import { listen as listenTo } from '#tests/support/listen.ts'
import { sharedApp, type WholeApp } from '#tests/support/servers/app.ts'

let app: WholeApp
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

const listen = (headers?: Record<string, string>) => listenTo(app, headers)

describe('prices', () => {
  test('a visitor receives the subscribed part of each frame, numbered without gaps', async () => {
    const one = await listen()
    one.say({ op: 'subscribe', symbols: ['BTCUSDT', 'BCHBTC'] })
    const other = await listen()
    other.say({ op: 'subscribe', symbols: ['*'] })
    await one.until(() => (one.frames().length >= 6 ? true : undefined), 'six frames')
    for (const frame of one.frames()) {
      expect(Math.abs(Date.now() - frame.t)).toBeLessThan(10_000)
      for (const [symbol, price, sourceMs] of frame.p) {
        expect(['BTCUSDT', 'BCHBTC']).toContain(symbol)
        expect(price).toMatch(/^\d+(\.\d+)?$/)
        expect(sourceMs).toBeLessThanOrEqual(frame.t)
      }
    }
    const numbers = other.frames().map((frame) => frame.n)
    expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index))
    expect(new Set(other.frames().flatMap((frame) => frame.p.map(([symbol]) => symbol))).size).toBeGreaterThan(50)
    // Frames received by both are the same.
    const theirs = new Map(other.frames().map((frame) => [frame.n, frame]))
    const shared = one.frames().filter((frame) => theirs.has(frame.n))
    expect(shared.length).toBeGreaterThan(2)
    for (const frame of shared) for (const entry of frame.p) expect(theirs.get(frame.n)!.p).toContainEqual(entry)
  })

  test('sends no unsubscribed symbols and no empty messages', async () => {
    const one = await listen()
    one.say({ op: 'subscribe', symbols: ['BTCUSDT', 'ETHUSDT'] })
    await one.next('frame')
    one.say({ op: 'unsubscribe', symbols: ['BTCUSDT'] })
    one.say({ op: 'ping' })
    await one.next('pong')
    const from = one.received.length
    await one.until(() => (one.received.length > from + 4 ? true : undefined), 'more frames')
    // A frame without a tick of the symbol is empty but still sent: its time is new.
    const symbols = (one.received.slice(from) as FrameMessage[]).flatMap(({ p }) => p.map(([symbol]) => symbol))
    expect(new Set(symbols)).toEqual(new Set(['ETHUSDT']))
    one.say({ op: 'unsubscribe', symbols: ['ETHUSDT'] })
    one.say({ op: 'ping' })
    await one.until(
      () => (one.received.filter((message) => message.op === 'pong').length === 2 ? true : undefined),
      'a pong',
    )
    const silent = one.received.length
    await sleep(1_200)
    expect(one.received.length).toBe(silent)
  })

  test('reports unknown symbols in one error and subscribes to the known ones', async () => {
    const one = await listen()
    one.say({ op: 'subscribe', symbols: ['NOPE', 'BTCUSDT', '__proto__', ''] })
    expect(await one.next('error')).toMatchObject({ code: 'not_found', message: 'Symbol NOPE not found.' })
    await one.next('frame')
    expect(one.isOpen()).toBe(true)
    expect(one.received.filter((message) => message.op === 'error')).toHaveLength(1)
  })
})

describe('access', () => {
  test('accepts our own pages and non-browsers, and rejects foreign pages', async () => {
    for (const origin of [`http://localhost:${app.port}`, `http://127.0.0.1:${app.port}`])
      expect((await listen({ origin })).isOpen()).toBe(true)
    for (const origin of ['https://evil.example', `https://localhost:${app.port}`, 'http://localhost', 'null', ''])
      await expect(listen({ origin }), `from ${origin}`).rejects.toThrow(/403/)
  })

  test('closes a socket with an unknown token with 4401', async () => {
    for (const token of ['x'.repeat(43), '', 'null', "' or 1=1 --"]) {
      const one = await listen()
      one.say({ op: 'auth', token })
      expect(await one.next('error')).toMatchObject({ code: 'unauthenticated' })
      expect(await one.closed()).toMatchObject({ code: 4401 })
    }
  })

  test('a session that ends closes its socket, and only its own', async () => {
    const trader = await app.trader()
    const elsewhere = await app.trader(trader)
    const ending = await listen()
    const staying = await listen()
    await ending.signIn(trader.token)
    await staying.signIn(elsewhere.token)
    await app.send('POST', '/api/auth/logout', { token: trader.token })
    expect(await ending.closed()).toMatchObject({ code: 4401 })
    expect(staying.isOpen()).toBe(true)

    // A password change also ends every other session.
    const third = await app.trader(trader)
    await app.send('PATCH', '/api/users/change-password', {
      token: third.token,
      body: { current: trader.password, password: 'new engine', confirmPassword: 'new engine' },
    })
    expect(await staying.closed(1_000)).toMatchObject({ code: 4401 })
  })

  test('rejects an ended token', async () => {
    const trader = await app.trader()
    await app.send('POST', '/api/auth/logout', { token: trader.token })
    const one = await listen()
    one.say({ op: 'auth', token: trader.token })
    expect(await one.closed()).toMatchObject({ code: 4401 })
  })
})

describe("a trader's own messages", () => {
  test('are numbered without gaps and reach only their own sockets', async () => {
    const [ada, eve] = await Promise.all([app.trader(), app.trader()])
    const [first, second, hers, visitor] = [await listen(), await listen(), await listen(), await listen()]
    const { seq } = await first.signIn(ada.token)
    await second.signIn(ada.token)
    await hers.signIn(eve.token)
    visitor.say({ op: 'subscribe', symbols: ['*'] })
    const trades: Trade[] = []
    for (let n = 0; n < 5; n++) trades.push(await app.submit(ada, { amount: 10 + n }))
    await first.until(
      () => (trades.every((trade) => heardOf(first.news(), trade.trade_id)) ? true : undefined),
      'all five trades',
    )
    // What comes last, or shouldn't come at all.
    await sleep(300)
    await expect.poll(() => second.news()).toEqual(first.news())
    expect(first.news().map((message) => message.seq)).toEqual(first.news().map((_, index) => seq + 1 + index))
    expect(first.news().findLast((message) => message.op === 'balance')).toMatchObject({
      op: 'balance',
      data: { balance: 0, demo_balance: 9_940 },
    })
    expect(hers.news()).toEqual([])
    expect(visitor.news()).toEqual([])
  })

  test('reveal a gap in the numbers after being away', async () => {
    const trader = await app.trader()
    const before = await listen()
    const { seq } = await before.signIn(trader.token)
    before.socket.close()
    await before.closed()
    await app.submit(trader)
    const after = await listen()
    expect((await after.signIn(trader.token)).seq).not.toBe(seq)
  })

  test("a socket that changes its user receives only the new user's messages", async () => {
    const [ada, eve] = await Promise.all([app.trader(), app.trader()])
    const one = await listen()
    await one.signIn(ada.token)
    one.received.length = 0
    await one.signIn(eve.token)
    await app.submit(ada)
    const trade = await app.submit(eve)
    await one.until(() => (heardOf(one.news(), trade.trade_id) ? true : undefined), 'her trade')
    // Her trade may be followed by its entry.
    const traded = one.news().flatMap((message) => (message.op === 'trade' ? [message.data.trade_id] : []))
    expect(new Set(traded)).toEqual(new Set([trade.trade_id]))
  })

  const heardOf = (news: UserMessage[], tradeId: string) =>
    news.some((message) => message.op === 'trade' && message.data.trade_id === tradeId)
})

describe('hostile sockets', () => {
  test('garbage, bytes and unknown messages get an error and keep the socket open', async () => {
    const one = await listen()
    const said = [
      '',
      'garbage',
      '{',
      'null',
      '[]',
      '1',
      '{"op":"nope"}',
      '{"op":"auth"}',
      '{"op":"auth","token":1}',
      '{"op":"subscribe","symbols":"BTCUSDT"}',
      '{"op":"subscribe","symbols":[1]}',
      '{"op":"ping","extra":1}',
      '{"op":"ping","__proto__":{"x":1}}',
      `{"op":"subscribe","symbols":[${'"",'.repeat(201)}""]}`,
    ]
    for (const text of said) one.say(text)
    one.socket.send(Buffer.from([0, 1, 2, 255]))
    one.socket.send(Buffer.from('{"op":"ping"}'), { binary: true })
    const errors = () => one.received.filter((message) => message.op === 'error')
    await one.until(() => (errors().length === said.length + 2 ? true : undefined), 'an error for each')
    for (const message of errors())
      expect(message).toEqual({ op: 'error', code: 'malformed', message: expect.any(String) })
    expect(one.isOpen()).toBe(true)
  })

  test('accepts a message of 4 KiB and closes on a larger one with 1009', async () => {
    const one = await listen()
    one.say(`{"op":"ping"}${' '.repeat(4_096 - 13)}`)
    await one.next('pong')
    one.say(`{"op":"ping"}${' '.repeat(4_097 - 13)}`)
    expect(await one.closed()).toMatchObject({ code: 1009 })
  })

  test('accepts twenty messages a second and closes on flooding with 4429', async () => {
    const one = await listen()
    for (let n = 0; n < 20; n++) one.say({ op: 'ping' })
    await one.until(() => (one.received.length === 20 ? true : undefined), 'twenty pongs')
    await sleep(1_100)
    for (let n = 0; n < 100 && one.isOpen(); n++) one.say({ op: 'ping' })
    expect(await one.closed()).toMatchObject({ code: 4429 })
    expect(one.received.filter((message) => message.op === 'pong').length).toBeLessThanOrEqual(40)
  })

  test('ignores messages after the close of a flood', async () => {
    const trader = await app.trader()
    const one = await listen()
    for (let n = 0; n < 21; n++) one.say({ op: 'ping' })
    one.say({ op: 'auth', token: trader.token })
    await one.closed()
    expect(one.received.some((message) => message.op === 'ready')).toBe(false)
  })

  test('a hundred sockets that connect and disconnect leave nothing behind', async () => {
    for (let n = 0; n < 100; n++) {
      const socket = new WebSocket(`${app.origin.replace('http', 'ws')}/api/stream`)
      await new Promise((resolve) => socket.once('open', resolve))
      socket.terminate()
    }
    const open = async () => {
      const { text } = await app.send('GET', '/metrics')
      return Number(/^cleartick_sockets (\d+)$/m.exec(text)![1])
    }
    await expect.poll(open).toBeLessThan(10)
    expect((await app.send('GET', '/api/ready')).status).toBe(200)
  })
})
