import { idSource } from '#kernel/id.ts'
import type { AlertsTopics } from '../alerts/index.ts'
import type { AutomaticTopics } from '../automatic/index.ts'
import type { Config } from '../config/config.ts'
import { addressesOf, type IdentityTopics } from '../identity/index.ts'
import { type BalanceTopics, openRequestKeys, type RequestKeys } from '../ledger/index.ts'
import { followLevers, type Levers, type LeversTopics } from '../levers/index.ts'
import { type Notices, openNotices } from '../notices/index.ts'
import { type Bus, databaseTransport, openBus, redisTransport } from '../platform/bus/index.ts'
import { type Database, type Db, openDatabase } from '../platform/database/db.ts'
import { openRateLimits, type RateLimits, type RateLimitTopics } from '../platform/http/limits/rate-limit.ts'
import { type Outbox, openOutbox } from '../platform/mail/index.ts'
import { type Metrics, NO_METRICS, openMetrics } from '../platform/observe/metrics.ts'
import { type Clock, startClock } from '../platform/process/clock.ts'
import { type EventLoop, watchEventLoop } from '../platform/process/event-loop.ts'
import type { Log } from '../platform/process/log.ts'
import { leaseNodeNumber } from '../platform/process/node-number.ts'
import { HEARTBEAT_MS } from '../platform/sockets/heartbeat.ts'
import { openPush, type Push, type PushTopics } from '../platform/sockets/push.ts'
import { followPriceLists, type PriceLists, type PriceListTopics } from '../price-lists/index.ts'
import {
  type Feed,
  type FeedQuestions,
  type FrameEvent,
  type Prices,
  type PricesTopics,
  recordedDays,
  startPrices,
} from '../prices/index.ts'
import type { RiskTopics } from '../risk/index.ts'
import type { ChatQuestions, ChatTopics } from '../support/index.ts'
import { isTradeKey, type Trading, type TradingTopics } from '../trading/index.ts'
import { openVenue } from '../venues/index.ts'
import type { WaitingTopics } from '../waiting/index.ts'
import { openPushOutbox } from '../webpush/index.ts'

/** Whether people have sockets open, on any node. */
interface AudienceTopics {
  watched: null
}

/** A node that says nothing for this long has no socket open. */
const UNWATCHED_AFTER_MS = 2 * HEARTBEAT_MS + 5_000

/**
 * Work that another node has just given to the engine. The engine's loops find it by themselves too, a little later.
 */
interface WakeTopics {
  wake: 'mail' | 'push' | 'resets' | 'signals'
}

/** Callers who wrote on one node: their reads on another must include the writes. */
interface ReadTopics {
  wrote: { callers: string[] }
}

/** Everything that nodes tell each other. */
export type Topics = PricesTopics &
  LeversTopics &
  PriceListTopics &
  TradingTopics &
  RiskTopics &
  BalanceTopics &
  PushTopics &
  IdentityTopics &
  AlertsTopics &
  WaitingTopics &
  AutomaticTopics &
  ChatTopics &
  RateLimitTopics &
  AudienceTopics &
  ReadTopics &
  WakeTopics
type Questions = FeedQuestions & ChatQuestions

type Needs = Pick<Trading, 'neededFrom' | 'neededMinutes' | 'mayHaveOpenTrades' | 'orders'>

/** What every node has, whatever its roles. */
export interface Base {
  config: Config
  log: Log
  urls: { app: string }
  db: Db
  clock: Clock
  eventLoop: EventLoop
  /** The database that `db` belongs to. */
  database: Database
  metrics: Metrics
  bus: Bus<Topics, Questions>
  /** Makes an id that no other node makes. Throws `unavailable` if this one was cut off from the database for minutes. */
  newId(): bigint
  levers: Levers
  priceLists: PriceLists
  prices: Prices
  /** Recorded days, newest first. They are read once, for the first who asks. */
  recordings: ReturnType<typeof recordedDays>
  push: Push
  mail: Outbox
  /** Writes push notifications for the browsers of notices' owners. */
  sendPush: ReturnType<typeof openPushOutbox>
  notices: Notices
  keys: RequestKeys
  rateLimits: RateLimits
  /** The base address of links in e-mails. */
  publicUrl(): string
  /** The port of this machine that people reach the web on. */
  port(): number
  /** The port that was taken for `PORT=0`. */
  listensOn(port: number): void
  /** Calls the listener for each committed frame, in order. */
  onFrame(listener: (event: FrameEvent) => void): void
  /** Trading depends on prices, so it reports here which part of the tape it still needs. */
  needs(trading: Needs): void
  /** Makes health and readiness report that this node is stopping. */
  announceStop(): void
  isStopping(): boolean
  stop(): Promise<void>
}

/** Opens what every node needs: the database, its clock, the bus and the prices. */
export async function openBase(options: {
  config: Config
  log: Log
  urls: { app: string }
  feed?: Feed
  clock?: Clock
}): Promise<Base> {
  const { config, log, urls } = options
  const database = openDatabase(urls.app, { max: 16, name: config.ROLES.join('+'), log, isNode: true })
  const { db } = database
  // Nobody can read the metrics of an engine that has no port for them.
  const isRead = config.ROLES.includes('web') || config.METRICS_PORT !== undefined
  const metrics = isRead ? await openMetrics(log) : NO_METRICS
  let stopping = false
  const clock = options.clock ? { ...options.clock, stop: () => undefined } : await startClock(database.pool, log)
  const eventLoop = watchEventLoop()
  const transport = config.REDIS_URL ? await redisTransport(config.REDIS_URL, log) : databaseTransport(urls.app, log)
  const bus = await openBus<Topics, Questions>(log, transport)
  const nodeNumber = await leaseNodeNumber(db, log)
  const frameListeners: ((event: FrameEvent) => void)[] = []
  let needs: Needs | undefined
  const audience = openAudience(bus)
  const levers = await followLevers({ db, log, bus })
  const priceLists = await followPriceLists({ db, log, bus })
  let port = config.PORT
  const prices = await openPrices({ ...options, database, clock, bus, levers }, audience, () => needs, frameListeners)
  const push = openPush(bus)
  const mail = openOutbox(() => bus.publish('wake', 'mail'))
  const sendPush = openPushOutbox(() => bus.publish('wake', 'push'))
  const publicUrl = () => config.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://localhost:${port}`

  return {
    ...{
      config,
      log,
      urls,
      db,
      clock,
      eventLoop,
      database,
      metrics,
      bus,
      levers,
      priceLists,
      prices,
      push,
      mail,
      publicUrl,
      sendPush,
    },
    recordings: recordedDays(config.RECORDINGS, prices.instruments, log),
    newId: idSource(nodeNumber.current, () => Math.floor(clock.now())),
    notices: openNotices({ brand: config.BRAND, publicUrl, mail, push, addressesOf, webPush: sendPush }),
    keys: openRequestKeys(isTradeKey),
    rateLimits: openRateLimits(config.rateFactor, bus),
    port: () => port,
    listensOn(taken) {
      port = taken
    },
    onFrame: (listener) => void frameListeners.push(listener),
    needs(trading) {
      needs = trading
    },
    announceStop() {
      stopping = true
    },
    isStopping: () => stopping,
    async stop() {
      await prices.stop()
      await levers.stop()
      await priceLists.stop()
      clock.stop()
      eventLoop.stop()
      await bus.stop()
      await nodeNumber.stop()
      await database.close()
    },
  }
}

/** Whether people watch prices, on any node. */
interface Audience {
  isWatched(): boolean
  /** Calls the function when someone watches after nobody did. */
  onBegin(begin: () => void): void
}

function openAudience(bus: Bus<Topics, Questions>): Audience {
  // After a start someone may be watching already: their node says so within a heartbeat.
  let watchedAt = performance.now()
  const isWatched = () => performance.now() - watchedAt <= UNWATCHED_AFTER_MS
  let begin = (): void => undefined
  bus.subscribe('watched', () => {
    const wasWatched = isWatched()
    watchedAt = performance.now()
    if (!wasWatched) begin()
  })
  return {
    isWatched,
    onBegin(call) {
      begin = call
    },
  }
}

async function openPrices(
  parts: Pick<Base, 'config' | 'log' | 'urls' | 'database' | 'clock' | 'bus' | 'levers'> & { feed?: Feed },
  audience: Audience,
  needs: () => Needs | undefined,
  frameListeners: readonly ((event: FrameEvent) => void)[],
): Promise<Prices> {
  const { config, log, urls, database, clock, bus, levers, feed } = parts
  const prices = await startPrices({
    database,
    url: urls.app,
    clock,
    log,
    bus,
    config,
    ...(feed ? { feed } : {}),
    onFrame(event) {
      for (const listener of frameListeners) listener(event)
    },
    openVenue: async (id) =>
      openVenue(id, {
        clock,
        log,
        address: config.VENUE_ADDRESSES[id],
        key: id === 'pyth' ? config.PYTH_API_KEY : undefined,
      }),
    symbolStop: levers.symbolStop,
    isQuiet: () => !audience.isWatched() && needs()?.mayHaveOpenTrades() === false,
    orders: () => needs()?.orders,
    neededFrom: async () => needs()?.neededFrom() ?? 0,
    neededMinutes: async (from, to) => needs()?.neededMinutes(from, to) ?? new Set(),
  })
  audience.onBegin(prices.endQuiet)
  return prices
}
