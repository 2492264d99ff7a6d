import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { DeskChat, DeskConversation } from '#contract/desk/people/chats.ts'
import type { UserMessage } from '#contract/messages/push.ts'
import type { Trade } from '#contract/trading/trading.ts'
import { parsePublicId } from '#kernel/id.ts'
import { listen } from '#tests/support/listen.ts'
import { openRedis, REDIS_PROGRAM, type RedisProcess } from '#tests/support/outside/redis.ts'
import { talk } from '#tests/support/people/chat.ts'
import { operator } from '#tests/support/people/desk.ts'
import { data } from '#tests/support/replies.ts'
import { ORDER, startWholeApp, type WholeApp } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

const ask = async (origin: string, path: string, token?: string) => {
  const response = await fetch(`${origin}/api${path}`, token ? { headers: { authorization: `Bearer ${token}` } } : {})
  return { status: response.status, json: (await response.json()) as { data: unknown; [field: string]: unknown } }
}

/**
 * Two nodes on one database, of which only the first has an engine. Events on one appear on the other, over each of the
 * ways that carry messages.
 */
describe.each(REDIS_PROGRAM === undefined ? ['NOTIFY'] : ['NOTIFY', 'Redis'])(
  'nodes that hear of each other over %s',
  (way) => {
    let app: WholeApp
    let web: { origin: string; stop(): Promise<void> }
    let redis: RedisProcess | undefined
    const settings = (): Record<string, string> => (redis ? { REDIS_URL: `redis://127.0.0.1:${redis.port}` } : {})
    beforeAll(async () => {
      if (way === 'Redis') redis = await openRedis(tmpdir())
      app = await startWholeApp(settings())
      web = await app.otherNode({ ROLES: 'web' })
    })
    afterAll(async () => {
      const broken = await app.broken()
      await web.stop()
      await app.stop()
      await redis?.kill()
      expect(broken).toEqual([])
    })

    test('a node without an engine shows the same prices, from the same frames', async () => {
      const [one, two] = await Promise.all([listen(app), listen(web)])
      for (const socket of [one, two]) socket.say({ op: 'subscribe', symbols: ['BTCUSDT'] })
      await two.until(() => (two.frames().length > 8 ? true : undefined), 'frames')
      const last = two.frames().at(-1)!.n
      await one.until(() => one.frames().find(({ n }) => n >= last), 'the same frames')
      const shown = new Map(one.frames().map((frame) => [frame.n, frame]))
      const both = two.frames().filter(({ n }) => shown.has(n))
      expect(both.length).toBeGreaterThan(5)
      for (const frame of both) expect(shown.get(frame.n)).toEqual(frame)
      const numbers = two.frames().map(({ n }) => n)
      expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at))

      const facts = async (origin: string) => {
        const { json } = await ask(origin, '/prices/instruments?symbols=BTCUSDT,PCPUSDT')
        return {
          source: json.source,
          data: (json.data as { symbol: string; status: string }[]).map(({ symbol, status }) => [symbol, status]),
        }
      }
      expect(await facts(web.origin)).toEqual(await facts(app.origin))
      const candles = async (origin: string) =>
        (await ask(origin, '/prices/candles?symbol=BTCUSDT&interval=1m&limit=50')).json
      await expect.poll(async () => ((await candles(web.origin)).data as unknown[]).length).toBe(50)
    })

    /** Makes a one-minute trade end after a few seconds. */
    async function endSoon(tradeId: string): Promise<void> {
      const client = await connectTo(app.superUrl)
      await client.query(
        'set session_replication_role = replica; alter table trades drop constraint if exists trades_terms',
      )
      await client.query('update trades set end_time = end_time - 55000 where id = $1', [
        String(parsePublicId(tradeId)),
      ])
      await client.end()
    }

    test("a trade accepted by one node appears on the trader's screens at the other, and so does its result", async () => {
      const trader = await app.trader()
      const [here, there] = await Promise.all([listen(app), listen(web)])
      await Promise.all([here.signIn(trader.token), there.signIn(trader.token)])
      const response = await fetch(`${web.origin}/api/trading/submit`, {
        method: 'POST',
        headers: { authorization: `Bearer ${trader.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          symbol: 'BTCUSDT',
          trading_type: 'Cryptocurrency',
          trade_mode: 'Buy',
          amount: 10,
          duration: 60,
          strike_rate: '75/3',
          mode: 'demo',
        }),
      })
      expect(response.status).toBe(200)
      const { trade_id } = ((await response.json()) as { data: Trade }).data
      const states = (socket: typeof here) =>
        socket
          .news()
          .flatMap((message) => (message.op === 'trade' && message.data.trade_id === trade_id ? [message.data] : []))
      for (const socket of [here, there]) {
        await socket.until(() => states(socket)[0], 'the trade')
        await socket.until(() => states(socket).find(({ start_price }) => start_price !== undefined), 'its entry')
      }
      await endSoon(trade_id)
      for (const socket of [here, there]) {
        const settled = await socket.until(
          () => states(socket).find(({ status }) => status !== 'Pending'),
          'its result',
          20_000,
        )
        const balance = await socket.until(
          () =>
            socket
              .news()
              .findLast((message): message is Extract<UserMessage, { op: 'balance' }> => message.op === 'balance'),
          'the balance',
        )
        expect(['Won', 'Lost', 'Draw']).toContain(settled.status)
        await expect
          .poll(() => socket.news().findLast((message) => message.op === 'balance')?.data)
          .toEqual(await app.balances(trader))
        expect(balance).toBeDefined()
        const numbers = socket.news().map(({ seq }) => seq)
        expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at))
      }
    })

    test('signing out at one node immediately closes the sockets and rejects the token at the other', async () => {
      const trader = await app.trader()
      const there = await listen(web)
      await there.signIn(trader.token)
      expect((await ask(web.origin, '/users/me', trader.token)).status).toBe(200)
      await app.send('POST', '/api/auth/logout', { token: trader.token })
      expect((await there.closed(1_000)).code).toBe(4401)
      expect((await ask(web.origin, '/users/me', trader.token)).status).toBe(401)
    })

    describe('a visitor at one node and an operator at the other', () => {
      test('see each other arrive, type and write', async () => {
        const desk = await operator(app, ['support'])
        const eve = await talk(web)
        onTestFinished(() => eve.leave())
        await eve.say({ text: 'Hello?' })
        const newest = async () => ((await desk.ask('GET', '/chats')).json!.data as DeskChat[])[0]!
        // The other node is asked whether the visitor is here, for a moment only.
        await expect.poll(newest).toMatchObject({ here: true, last: { text: 'Hello?' } })
        const chat = await newest()
        eve.tell({ typing: true })
        await expect
          .poll(async () => ((await desk.ask('GET', `/chats/${chat.id}`)).json!.data as DeskConversation).typing)
          .toBe(true)
        await desk.ask('POST', `/chats/${chat.id}/typing`)
        await eve.until(() => eve.news().find(({ typing }) => typing), 'that the desk is typing')
        expect((await desk.ask('POST', `/chats/${chat.id}/reply`, { body: { text: 'Yes.' } })).status).toBe(200)
        await eve.until(
          () => eve.news().find(({ messages }) => messages.some(({ text }) => text === 'Yes.')),
          'the reply',
        )
        eve.leave()
        await expect.poll(async () => (await newest()).here).toBe(false)
      })
    })

    test('an emergency lever that is pulled at one node acts at the other', async () => {
      const trader = await app.trader()
      const [ann, bob] = [await operator(app, ['risk']), await operator(app, ['finance'])]
      const there = async () => {
        const response = await fetch(`${web.origin}/api/trading/submit`, {
          method: 'POST',
          headers: { authorization: `Bearer ${trader.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...ORDER, amount: 1 }),
        })
        return response.status
      }
      const shown = async () => {
        const { json } = await ask(web.origin, `/prices/instruments?symbols=${ORDER.symbol}`)
        return (json.data as { reason?: string }[])[0]?.reason?.startsWith('Trading BTCUSDT is stopped') ?? false
      }
      await expect.poll(there).toBe(200)
      expect(await shown()).toBe(false)
      const body = { kind: 'symbol', symbol: ORDER.symbol, reason: 'Its price looks wrong.' }
      const pulled = data<{ id: string }[]>(await ann.ask('POST', '/levers', { body }))
      // Orders are refused from the commit on; screens follow.
      expect(await there()).toBe(422)
      await expect.poll(shown).toBe(true)

      const release = { body: { lever_id: pulled[0]!.id, reason: 'It is right again.' } }
      const { id } = data<{ id: string }>(await ann.ask('POST', '/lever-releases', release))
      data(await bob.ask('POST', `/lever-releases/${id}/approve`))
      await expect.poll(there).toBe(200)
      await expect.poll(shown).toBe(false)
    })

    test('nodes count rate limits together', async () => {
      const limited = await startWholeApp({ ...settings(), RATE_LIMITS: 'on' })
      onTestFinished(() => limited.stop())
      const other = await limited.otherNode({ ROLES: 'web', RATE_LIMITS: 'on' })
      onTestFinished(() => other.stop())
      const write = async (origin: string) => {
        const response = await fetch(`${origin}/api/public/contact`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'A Visitor', email: 'visitor@example.org', message: 'Hello?' }),
        })
        return response.status
      }
      let accepted = 0
      const tries = async () => {
        const statuses = [await write(limited.origin), await write(other.origin)]
        accepted += statuses.filter((status) => status === 200).length
        return statuses
      }
      expect([await tries(), await tries()].flat()).toEqual([200, 200, 200, 200])
      // A node may accept another one until it has heard of those at the other. Alone, each would accept five.
      await expect.poll(tries, { interval: 300 }).toEqual([429, 429])
      expect(accepted).toBeGreaterThanOrEqual(5)
      expect(accepted).toBeLessThan(10)
    })
  },
)
