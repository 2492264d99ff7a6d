import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { orderOf } from '#tests/support/trades/orders.ts'
import { type StoredTrade, storeTrades, TRADED_AT } from '#tests/support/trades/stored-trades.ts'
import type { Bus } from '../../platform/bus/index.ts'
import type { Db } from '../../platform/database/db.ts'
import { createLog } from '../../platform/process/log.ts'
import type { UserNews } from '../../platform/sockets/push.ts'
import type { FrameEvent, Instruments } from '../../prices/index.ts'
import type { Accepted, Order } from '../acceptance/order.ts'
import { type TradingTopics, tradeNews } from './push-trades.ts'

type OpenedTrade = TradingTopics['trades-opened'][number]

let database: TestDatabase
let trades: StoredTrade[]
const listed = [instrument({ id: 1, symbol: 'BTCUSDT' }), instrument({ id: 3, symbol: 'ETHUSDT' })]
const instruments = { byId: (id: number) => listed.find((one) => one.id === id) } as Instruments

beforeAll(async () => {
  database = await createTestDatabase()
  trades = await storeTrades(database, { user: 1n }, { user: 2n }, { user: 1n, status: 'Won' })
})
afterAll(() => database.drop())

let listening: bigint[]
let tradesSent: { userId: bigint; trade: string }[]
/** Everything sent to users, as it was sent: messages of one write together. */
let sent: { userId: bigint; news: UserNews[] }[]
/** Users whose balances were read. */
let balances: bigint[][]
/** Users whose balances may have changed meanwhile. */
let changing: bigint[]
let published: [to: 'all' | 'others', topic: string, message: unknown][]
let elsewhere: OpenedTrade[][]
let warned: string[]
beforeEach(() => {
  listening = [1n, 2n]
  tradesSent = []
  sent = []
  balances = []
  changing = []
  published = []
  elsewhere = []
  warned = []
})

function openNews({ db = database.db, withScreens = true }: { db?: Db; withScreens?: boolean } = {}) {
  const listeners = new Map<string, (message: never) => void>()
  const log = createLog('silent')
  log.warn = ((fields: { error: string }) => warned.push(fields.error)) as typeof log.warn
  const sockets = {
    listening: (userIds: readonly bigint[]) => userIds.filter((id) => listening.includes(id)),
    sendToUser(userId: bigint, ...news: UserNews[]) {
      sent.push({ userId, news })
      for (const one of news) if (one.op === 'trade') tradesSent.push({ userId, trade: one.data.trade_id })
    },
  }
  const sender = {
    changed: (ids: readonly bigint[]) => balances.push([...ids]),
    mayHaveChanged: (userId: bigint, since: number) => since !== SENT_AT || changing.includes(userId),
  }
  const news = tradeNews({
    db,
    bus: {
      publish: (topic, message) => published.push(['all', topic, message]),
      publishToOthers: (topic, message) => published.push(['others', topic, message]),
      subscribe(topic, listener) {
        listeners.set(topic, listener as (message: never) => void)
        return () => undefined
      },
    } as Pick<Bus<TradingTopics>, 'publish' | 'publishToOthers' | 'subscribe'>,
    instruments,
    screens: withScreens ? { sockets, balances: sender } : undefined,
    log,
    openedElsewhere: (some) => elsewhere.push([...some]),
  })
  return {
    news,
    receive: <T extends keyof TradingTopics>(topic: T, message: TradingTopics[T]) =>
      listeners.get(topic)!(message as never),
  }
}

const openedBy = (trade: StoredTrade): OpenedTrade => ({
  id: String(trade.id),
  userId: String(trade.user),
  symbolId: trade.symbol,
  tradeTime: trade.tradeTime,
})
const SENT_AT = 123
const accepted = (order: Order, balances?: Accepted['balances']): Accepted => ({
  order,
  tradeTime: TRADED_AT,
  balances,
})
/** Long enough for what must not be sent. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 60))

test("this node's trades go to their owner's screen at once, and to the other nodes together", async () => {
  const { news } = openNews()
  listening = [1n]
  const orders = [orderOf(1n, { id: 11n }), orderOf(2n, { id: 12n })]
  for (const order of orders) news.opened(accepted(order))
  expect(tradesSent).toEqual([{ userId: 1n, trade: publicId(11n) }])
  expect(balances).toEqual([[1n]])
  expect(published).toEqual([])
  await new Promise((resolve) => setImmediate(resolve))
  const message = orders.map(({ id }, i) => ({
    id: String(id),
    userId: String(i + 1),
    symbolId: 3,
    tradeTime: TRADED_AT,
  }))
  expect(published).toEqual([['others', 'trades-opened', message]])
  // The next ones are another message.
  news.opened(accepted(orderOf(2n, { id: 13n })))
  await new Promise((resolve) => setImmediate(resolve))
  expect(published[1]).toEqual(['others', 'trades-opened', [{ ...message[1], id: '13' }]])
})

test("the statement's balances are sent with the trade, unless newer ones may have been", async () => {
  const { news } = openNews()
  const left = { balance: usd(1_000n), demoBalance: usd(250n), sentAt: SENT_AT }
  news.opened(accepted(orderOf(1n, { id: 11n }), left))
  expect(balances).toEqual([])
  expect(sent).toEqual([
    {
      userId: 1n,
      news: [
        { op: 'trade', data: expect.objectContaining({ trade_id: publicId(11n) }) },
        { op: 'balance', data: { balance: 10, demo_balance: 2.5 } },
      ],
    },
  ])
  changing = [2n]
  news.opened(accepted(orderOf(2n), left))
  expect(sent[1]!.news.map(({ op }) => op)).toEqual(['trade'])
  expect(balances).toEqual([[2n]])
  await new Promise((resolve) => setImmediate(resolve))
})

test('a node without sockets reports its trades', async () => {
  const { news, receive } = openNews({ withScreens: false })
  news.opened(accepted(orderOf(1n)))
  receive('trades-changed', { tradeIds: [String(trades[0]!.id)], userIds: ['1'] })
  await quiet()
  expect(published).toHaveLength(1)
  expect([tradesSent, balances, warned]).toEqual([[], [], []])
})

test("other nodes' trades are read for the owners who have a screen open here, once each", async () => {
  const { receive } = openNews()
  listening = [1n, 3n]
  const message = trades.map(openedBy)
  receive('trades-opened', message)
  expect(elsewhere).toEqual([message])
  await expect.poll(() => balances.length).toBeGreaterThan(0)
  expect(tradesSent.toSorted((a, b) => (a.trade < b.trade ? -1 : 1))).toEqual([
    { userId: 1n, trade: publicId(trades[0]!.id) },
    { userId: 1n, trade: publicId(trades[2]!.id) },
  ])
  expect(sent, 'one write for each owner').toHaveLength(1)
  expect(balances).toEqual([[1n]])
})

test('what has changed is published to all nodes, which send it with the balances after it', async () => {
  const { news, receive } = openNews()
  news.changed({ tradeIds: [trades[0]!.id], userIds: [1n] })
  const ids = [String(trades[0]!.id)]
  expect(published).toEqual([['all', 'trades-changed', { tradeIds: ids, userIds: ['1'] }]])
  receive('trades-changed', { tradeIds: ids, userIds: ['1'] })
  await expect.poll(() => balances.length).toBe(1)
  expect([tradesSent.length, balances]).toEqual([1, [[1n]]])
})

/** A frame with one tick of the trades' symbol. */
const frameOf = (n: number, afterMs: number): FrameEvent => ({
  n,
  t: TRADED_AT + afterMs,
  entries: [
    {
      symbol: 'ETHUSDT',
      symbolId: 3,
      price: price(260_000n),
      scale: 2,
      sourceMs: TRADED_AT + afterMs,
      seq: n,
      kind: 2,
    },
  ],
})
const turn = () => new Promise((resolve) => setImmediate(resolve))
const ENTERED = { start_price: 2_600, start_time: new Date(TRADED_AT + 250).toISOString() }

test('an entry is sent to the screens that were shown the trade, in one write for each owner', async () => {
  const { news } = openNews({ db: undefined as unknown as Db })
  news.frame(frameOf(1, 0))
  for (const id of [11n, 12n]) news.opened(accepted(orderOf(1n, { id })))
  news.opened(accepted(orderOf(2n, { id: 13n })))
  await turn()
  expect(news.waiting()).toBe(3)
  sent = []
  listening = [1n]
  news.frame(frameOf(2, 250))
  expect(sent).toEqual([
    {
      userId: 1n,
      news: [11n, 12n].map((id) => ({
        op: 'trade',
        data: expect.objectContaining({ trade_id: publicId(id), ...ENTERED }),
      })),
    },
  ])
  expect(news.waiting()).toBe(0)
})

test('a result that arrives before the entry is the last news of its trade', async () => {
  const [trade] = await storeTrades(database, { user: 1n, symbol: 3, status: 'Won' })
  const { news, receive } = openNews()
  news.frame(frameOf(1, 0))
  news.opened(accepted(orderOf(1n, { id: trade!.id })))
  await turn()
  receive('trades-changed', { tradeIds: [String(trade!.id)], userIds: ['1'] })
  news.frame(frameOf(2, 250))
  await expect.poll(() => balances.length).toBe(2)
  const states = sent.flatMap(({ news }) => news.map((one) => (one.op === 'trade' ? one.data.status : one.op)))
  expect(states).toEqual(['Pending', 'Won'])
})

test('an entry whose frame came before the acceptance was known is sent right after the trade', async () => {
  const { news } = openNews({ db: undefined as unknown as Db })
  news.frame(frameOf(1, 0))
  news.frame(frameOf(2, 250))
  news.opened(accepted(orderOf(1n, { id: 11n })))
  await turn()
  expect(sent.map(({ news: [trade] }) => trade)).toEqual([
    { op: 'trade', data: expect.not.objectContaining(ENTERED) },
    { op: 'trade', data: expect.objectContaining({ trade_id: publicId(11n), ...ENTERED }) },
  ])
})

test('many entries are sent in turns, so that nothing else waits for all of them', async () => {
  const { news } = openNews({ db: undefined as unknown as Db })
  listening = Array.from({ length: 401 }, (_, n) => BigInt(n + 1))
  news.frame(frameOf(1, 0))
  for (const user of listening) news.opened(accepted(orderOf(user, { id: 1_000n + user })))
  await turn()
  sent = []
  news.frame(frameOf(2, 250))
  expect(sent).toHaveLength(200)
  await expect.poll(() => sent.length).toBe(401)
})

test('the entry of a trade that was not shown here is read from the tape, if its owner has a screen now', async () => {
  const { news, receive } = openNews()
  const [mine, others] = await storeTrades(database, { user: 1n, symbol: 3 }, { user: 2n, symbol: 3 })
  await database.db
    .insertInto('ticks')
    .values({ symbol_id: 3, source_ms: BigInt(TRADED_AT + 250), seq: 2n, price: 260_000n, kind: 2, frame: 2n })
    .execute()
  listening = []
  news.frame(frameOf(1, 0))
  receive('trades-opened', [mine!, others!].map(openedBy))
  listening = [1n]
  news.frame(frameOf(2, 250))
  await expect.poll(() => sent.length).toBe(1)
  await quiet()
  const data = expect.objectContaining({ trade_id: publicId(mine!.id), ...ENTERED })
  expect(sent).toEqual([{ userId: 1n, news: [{ op: 'trade', data }] }])
  expect(balances).toEqual([])
})

test('nothing is read for owners without a screen', async () => {
  const { receive } = openNews({ db: undefined as unknown as Db })
  listening = []
  receive('trades-changed', { tradeIds: [String(trades[0]!.id)], userIds: ['1'] })
  await quiet()
  expect([tradesSent, balances, warned]).toEqual([[], [], []])
})

test('many trades are read 200 at a time', async () => {
  const reads: number[] = []
  const counting = database.db.withPlugin({
    transformQuery({ node }) {
      reads.push(tradesSent.length)
      return node
    },
    transformResult: async ({ result }) => result,
  }) as Db
  const many = await storeTrades(
    database,
    ...Array.from({ length: 401 }, () => ({ user: 1n, status: 'Lost' as const })),
  )
  const { receive } = openNews({ db: counting })
  receive('trades-changed', { tradeIds: many.map(({ id }) => String(id)), userIds: ['1'] })
  await expect.poll(() => balances.length).toBe(1)
  expect(reads).toEqual([0, 200, 400])
  expect(tradesSent).toHaveLength(401)
})

test('a read that fails is logged, and changes no balance', async () => {
  const { receive } = openNews({ db: { getExecutor: () => undefined } as unknown as Db })
  receive('trades-changed', { tradeIds: [String(trades[0]!.id)], userIds: ['1'] })
  await expect.poll(() => warned.length).toBe(1)
  expect(balances).toEqual([])
})
