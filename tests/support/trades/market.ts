import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'
import type { PriceSource } from '#contract/prices/prices.ts'
import { type AcceptedTrade, type SaleOrdered, SellTradeBody, SubmitTradeBody } from '#contract/trading/trading.ts'
import { idSource, parsePublicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kernel/time.ts'
import {
  type BalanceTopics,
  openAccounts,
  openBalancePush,
  openRequestKeys,
  startBalanceSender,
} from '#server/ledger/index.ts'
import { openBus } from '#server/platform/bus/index.ts'

import { inTransaction } from '#server/platform/database/db.ts'
import type { RequestInfo } from '#server/platform/http/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import type { UserNews } from '#server/platform/sockets/push.ts'
import type { Sockets } from '#server/platform/sockets/sockets.ts'
import { followPriceLists, type PriceListTopics } from '#server/price-lists/index.ts'
import {
  type Feed,
  type FeedQuestions,
  type FrameEvent,
  type OrdersToBind,
  type PricesTopics,
  startPrices,
} from '#server/prices/index.ts'
import { isTradeKey, startTrading, type TradingTopics } from '#server/trading/index.ts'
import { handClock } from '#tests/support/hand-clock.ts'
import { scriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '../servers/database.ts'
import { tradeAndLedgerChecks } from './invariants.ts'
import { fund, openUser } from './money.ts'

export type Market = Awaited<ReturnType<typeof openMarket>>

const openMarketBus = () =>
  openBus<PricesTopics & PriceListTopics & TradingTopics & BalanceTopics, FeedQuestions>(createLog('error'))
type MarketBus = Awaited<ReturnType<typeof openMarketBus>>

/** What a handler reads of a request with this body. */
const requestWith = (key: string | undefined, body: object): RequestInfo => ({
  ip: '127.0.0.1',
  userAgent: 'test',
  origin: undefined,
  cookies: {},
  token: undefined,
  idempotencyKey: key,
  stepUp: undefined,
  header: () => undefined,
  rawText: undefined,
  whenSent: () => undefined,
  arrivedAt: performance.now(),
  fingerprint: (except) =>
    createHash('sha256')
      .update(JSON.stringify(Object.entries(body).filter(([field]) => field !== except)))
      .digest(),
  setCookie: () => undefined,
  clearCookie: () => undefined,
})

/** Opens a market on a separate database for the tests of a file. Both are closed after the file's own hooks. */
export async function marketOfFile({ max = 20 }: { max?: number } = {}) {
  const database = await createTestDatabase({ max })
  const market = await openMarket(database)
  afterAll(async () => {
    await market.close()
    await database.drop()
  })
  return { database, market }
}

/**
 * Starts real trading with scripted prices on a real database. The tape runs an hour ahead of the wall clock, so that a
 * test controls time: a one-day trade takes only as long as its frames take to write. It starts on a full minute, so that
 * a test sees the same candles whenever it runs.
 */
export async function openMarket(
  database: TestDatabase,
  // `feed` replaces the scripted feed, `bus` the local one. `needsDeepSources`: real money counts, as in production.
  options: { kind?: PriceSource; settles?: boolean; feed?: Feed; bus?: MarketBus; needsDeepSources?: boolean } = {},
) {
  const log = createLog('error')
  const clock = handClock(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS + HOUR_MS)
  const feed = scriptedFeed(options.kind ?? 'simulation')
  const bus = options.bus ?? (await openMarketBus())
  let advanced: ((event: FrameEvent) => void) | undefined
  let orders: OrdersToBind | undefined
  const prices = await startPrices({
    database,
    url: database.appUrl,
    clock,
    log,
    bus,
    onFrame: (event) => advanced?.(event),
    feed: options.feed ?? feed,
    byHand: true,
    orders: () => orders,
    config: {
      FEED: 'simulation',
      REPLAY_SPEED: 1,
      TAPE_RETENTION_DAYS: 7,
      NEW_TAPE_EPOCH: false,
      ROLES: ['engine'],
      dataDir: '/nonexistent',
      realTradesOnTestPrices: true,
    },
    neededFrom: async () => 0,
    neededMinutes: async () => new Set(),
  })
  const news: { userId: bigint; news: UserNews }[] = []
  const sockets: Pick<Sockets, 'listening' | 'sendToUser'> = {
    listening: (userIds) => [...userIds],
    sendToUser: (userId, ...items) => news.push(...items.map((item) => ({ userId, news: item }))),
  }
  const priceLists = await followPriceLists({ db: database.db, log, bus })
  const trading = await startTrading({
    db: database.db,
    databaseUrl: database.appUrl,
    clock,
    tape: prices.tape,
    instruments: prices.instruments,
    priceLists,
    log,
    newId: idSource(1, () => Math.floor(clock.now())),
    realTradesOn: () => true,
    bus,
    screens: { sockets, balances: startBalanceSender({ db: database.db, sockets, bus, log }) },
    balances: openBalancePush(bus),
    keys: openRequestKeys(isTradeKey),
    needsDeepSources: options.needsDeepSources ?? false,
    leadsPrices: prices.leads,
    settles: options.settles ?? true,
    leads: prices.leads,
  })
  const others = new Set<(event: FrameEvent) => void>()
  advanced = (event) => {
    trading.frame(event)
    for (const other of others) other(event)
  }
  orders = trading.orders

  let lastUser = 0n
  const lastPrices = new Map<string, string>()

  const market = {
    clock,
    feed,
    prices,
    priceLists,
    trading,
    news,

    /** Calls also with each frame. */
    onFrame: (call: (event: FrameEvent) => void) => void others.add(call),

    /** Creates a trader with this much real money (cents). */
    async trader(realCents = 0n): Promise<bigint> {
      const userId = ++lastUser
      await inTransaction(database.db, async (tx) => {
        await openUser(tx, userId)
        await openAccounts(tx, userId)
        if (realCents > 0n) await fund(tx, userId, usd(realCents))
      })
      return userId
    },

    /** Writes one frame, 250 ms after the last, with these prices; other symbols have no quote. */
    async frame(
      quotes: Record<string, string> = {},
      options: { afterMs?: number; ageMs?: number } = {},
    ): Promise<void> {
      clock.advance(options.afterMs ?? 250)
      for (const [symbol, price] of Object.entries(quotes)) {
        lastPrices.set(symbol, price)
        feed.quote(symbol, price, clock.now() - (options.ageMs ?? 0))
      }
      // As if it had looked just before the frame: a test doesn't wait for it.
      await trading.orders?.look()
      await prices.step()
    },

    /** Advances time with one frame per second that repeats the last prices, or has no quotes with `silent`. */
    async pass(ms: number, options: { silent?: boolean; symbols?: string[] } = {}): Promise<void> {
      const until = clock.now() + ms
      while (clock.now() < until) {
        const step = Math.min(1_000, until - clock.now())
        const quotes = options.silent
          ? []
          : [...lastPrices].filter(([symbol]) => options.symbols?.includes(symbol) ?? true)
        await market.frame(Object.fromEntries(quotes), { afterMs: step })
      }
    },

    async submit(userId: bigint, order: Partial<SubmitTradeBody> & { key?: string } = {}): Promise<AcceptedTrade> {
      const { key, ...rest } = order
      const sent: SubmitTradeBody = {
        symbol: 'BTCUSDT',
        trading_type: 'Cryptocurrency',
        trade_mode: 'Buy',
        amount: 10,
        duration: 60,
        strike_rate: '75/3',
        mode: 'demo',
        ...rest,
      }
      const answer = await trading.routes['POST /trading/submit']({
        params: undefined,
        query: undefined,
        body: SubmitTradeBody.parse(sent),
        form: undefined,
        files: {},
        who: { userId, sessionId: 0n, isGuest: false },
        request: requestWith(key, sent),
      })
      if (!('data' in answer)) throw new Error('no trade was answered')
      return answer.data as AcceptedTrade
    },

    /** Orders to sell a trade for at least this much (dollars). */
    async sell(userId: bigint, tradeId: string, minimum: number, key?: string): Promise<SaleOrdered> {
      const answer = await trading.routes['POST /trading/:trade_id/sell']({
        params: { trade_id: parsePublicId(tradeId)! },
        query: undefined,
        body: SellTradeBody.parse({ minimum }),
        form: undefined,
        files: {},
        who: { userId, sessionId: 0n, isGuest: false },
        request: requestWith(key, { tradeId, minimum }),
      })
      if (!('data' in answer)) throw new Error('no order was answered')
      return answer.data as SaleOrdered
    },

    /** Returns the newest order to sell a trade once it is decided. */
    async decided(tradeId: string) {
      for (let waited = 0; waited < 60_000; waited += 10) {
        const orders = await database.db
          .selectFrom('sale_orders')
          .selectAll()
          .where('trade_id', '=', parsePublicId(tradeId)!)
          .orderBy('at', 'desc')
          .execute()
        if (orders[0]?.decided_at) return orders[0]
        await sleep(10)
      }
      throw new Error('the order to sell was not decided')
    },

    /** Advances the tape by minutes, with a price of BTCUSDT each twenty seconds that moves up and down by a dollar. */
    async passMinutes(minutes: number): Promise<void> {
      for (let i = 0; i < minutes * 3; i++)
        await market.frame({ BTCUSDT: (60_000 + 30 * ((i * 7) % 5)).toFixed(2) }, { afterMs: 20_000 })
    },

    /** Waits until no due trade is pending any more. */
    async settled(): Promise<void> {
      for (let waited = 0; waited < 60_000; waited += 10) {
        const due = await database.db
          .selectFrom('trades')
          .select('id')
          .where('status', '=', 'Pending')
          .where('end_time', '<=', BigInt(market.provenMin()))
          .limit(1)
          .execute()
        if (due.length === 0) return
        await sleep(10)
      }
      throw new Error('due trades were not settled')
    },

    provenMin: () =>
      Math.min(...prices.instruments.list.map((instrument) => prices.tape.provenUntil(instrument.symbol))),

    async trade(tradeId: string) {
      return database.db
        .selectFrom('trades')
        .selectAll()
        .where('id', '=', parsePublicId(tradeId)!)
        .executeTakeFirstOrThrow()
    },

    /** Returns the names of violated invariants. */
    async broken(): Promise<string[]> {
      const client = await connectTo(database.superUrl)
      try {
        const names: string[] = []
        for (const check of tradeAndLedgerChecks) {
          const { rows } = await client.query(check.sql)
          if (rows.length > 0)
            names.push(
              `${check.name}: ${JSON.stringify(rows[0], (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
            )
        }
        return names
      } finally {
        await client.end()
      }
    },

    async close(): Promise<void> {
      await trading.stop()
      await priceLists.stop()
      await prices.stop()
    },
  }
  return market
}

/** Moves a market's clock to noon on a Wednesday in the middle of a month, so that no period ends during a test. */
export async function toMidweek(market: Market, quotes: Record<string, string>): Promise<void> {
  let noon = Math.floor(market.clock.now() / DAY_MS) * DAY_MS + DAY_MS + 12 * HOUR_MS
  const fits = (time: number) => {
    const date = new Date(time)
    return date.getUTCDay() === 3 && date.getUTCDate() >= 10 && date.getUTCDate() <= 20
  }
  while (!fits(noon)) noon += DAY_MS
  await market.frame(quotes, { afterMs: noon - market.clock.now() })
}
