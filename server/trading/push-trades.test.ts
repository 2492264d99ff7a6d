import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { instrument } from '#tests/support/instruments.ts'
import { orderOf } from '#tests/support/orders.ts'
import { type StoredTrade, storeTrades, TRADED_AT } from '#tests/support/stored-trades.ts'
import type { Bus } from '../platform/bus/index.ts'
import type { Db } from '../platform/db.ts'
import { createLog } from '../platform/log.ts'
import type { UserNews } from '../platform/push.ts'
import type { Instruments } from '../prices/index.ts'
import { type OpenedTrade, type TradingTopics, tradeNews } from './push-trades.ts'

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
let balances: bigint[][]
let published: [to: 'all' | 'others', topic: string, message: unknown][]
let elsewhere: OpenedTrade[][]
let warned: string[]
beforeEach(() => {
  listening = [1n, 2n]
  tradesSent = []
  balances = []
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
    sendToUser(userId: bigint, news: UserNews) {
      if (news.op === 'trade') tradesSent.push({ userId, trade: news.data.trade_id })
    },
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
    screens: withScreens ? { sockets, balances: { changed: (ids) => balances.push([...ids]) } } : undefined,
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
/** Long enough for what must not be sent. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 60))

test("this node's trades go to their owner's screen at once, and to the other nodes together", async () => {
  const { news } = openNews()
  listening = [1n]
  const orders = [orderOf(1n, { id: 11n }), orderOf(2n, { id: 12n })]
  for (const order of orders) news.opened({ order, tradeTime: TRADED_AT })
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
  news.opened({ order: orderOf(2n, { id: 13n }), tradeTime: TRADED_AT })
  await new Promise((resolve) => setImmediate(resolve))
  expect(published[1]).toEqual(['others', 'trades-opened', [{ ...message[1], id: '13' }]])
})

test('a node without sockets reports its trades', async () => {
  const { news, receive } = openNews({ withScreens: false })
  news.opened({ order: orderOf(1n), tradeTime: TRADED_AT })
  receive('trades-changed', { kind: 'settled', tradeIds: [String(trades[0]!.id)], userIds: ['1'] })
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
  await vi.waitUntil(() => balances.length > 0)
  expect(tradesSent.toSorted((a, b) => (a.trade < b.trade ? -1 : 1))).toEqual([
    { userId: 1n, trade: publicId(trades[0]!.id) },
    { userId: 1n, trade: publicId(trades[2]!.id) },
  ])
  expect(balances).toEqual([[1n]])
})

test('what has changed is published to all nodes; a settlement changes balances, an entry does not', async () => {
  const { news, receive } = openNews()
  news.changed({ kind: 'entered', tradeIds: [trades[0]!.id], userIds: [1n] })
  const ids = [String(trades[0]!.id)]
  expect(published).toEqual([['all', 'trades-changed', { kind: 'entered', tradeIds: ids, userIds: ['1'] }]])
  receive('trades-changed', { kind: 'entered', tradeIds: ids, userIds: ['1'] })
  await vi.waitUntil(() => tradesSent.length === 1)
  await quiet()
  expect(balances).toEqual([])
  receive('trades-changed', { kind: 'settled', tradeIds: ids, userIds: ['1'] })
  await vi.waitUntil(() => balances.length === 1)
  expect([tradesSent.length, balances]).toEqual([2, [[1n]]])
})

test('nothing is read for owners without a screen', async () => {
  const { receive } = openNews({ db: undefined as unknown as Db })
  listening = []
  receive('trades-changed', { kind: 'settled', tradeIds: [String(trades[0]!.id)], userIds: ['1'] })
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
  const many = await storeTrades(database, ...Array.from({ length: 401 }, () => ({ user: 1n })))
  const { receive } = openNews({ db: counting })
  receive('trades-changed', { kind: 'settled', tradeIds: many.map(({ id }) => String(id)), userIds: ['1'] })
  await vi.waitUntil(() => balances.length === 1)
  expect(reads).toEqual([0, 200, 400])
  expect(tradesSent).toHaveLength(401)
})

test('a read that fails is logged, and changes no balance', async () => {
  const { receive } = openNews({ db: { getExecutor: () => undefined } as unknown as Db })
  receive('trades-changed', { kind: 'settled', tradeIds: [String(trades[0]!.id)], userIds: ['1'] })
  await vi.waitUntil(() => warned.length === 1)
  expect(balances).toEqual([])
})
