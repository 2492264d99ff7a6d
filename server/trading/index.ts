import type { Usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import type { BalancePush, RequestKeys } from '../ledger/index.ts'
import type { Bus } from '../platform/bus/index.ts'
import { type Connection, openConnection } from '../platform/database/connection.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import type { PriceLists } from '../price-lists/index.ts'
import type { FrameEvent, Instrument, Instruments, Tape } from '../prices/index.ts'
import {
  type AcceptanceLane,
  type AcceptanceQueue,
  acceptanceQueue,
  openAcceptanceConnection,
} from './acceptance/acceptance.ts'
import { ACCEPTANCE_LANES, acceptanceLanes } from './acceptance/acceptance-lanes.ts'
import { type OrderBinding, startBinding } from './acceptance/bind-orders.ts'
import type { LaneRooms } from './acceptance/limits/lane-rooms.ts'
import { type RealTrades, realTradesOf } from './acceptance/limits/real-trades.ts'
import { setThinSymbols } from './acceptance/limits/thin-symbols.ts'
import { offeredNow } from './acceptance/offered.ts'
import { type Opened, type OpenTrade, tradeOpener } from './acceptance/open-trade.ts'
import type { Accepted } from './acceptance/order.ts'
import { fateOf } from './acceptance/order-fate.ts'
import { setTradingLimits, type TradingLimitsChange } from './limits.ts'
import { type TradesChanged, type TradingTopics, tradeNews } from './notices/push-trades.ts'
import type { Screens } from './notices/send-trades.ts'
import type { TradingObserver, TradingQueues } from './observer.ts'
import { tradingRoutes } from './routes.ts'
import { startSelling } from './sales/sell-trades.ts'
import { neededMinutes } from './settlement/needed-minutes.ts'
import { SETTLE_WORKERS, type Settlement, startSettlement } from './settlement/settle-trades.ts'
import { tradeUnderKey } from './store.ts'

export { ACCEPTANCE_LANES } from './acceptance/acceptance-lanes.ts'
export { tradeBacklog } from './acceptance/backlog.ts'
export { orderHashes } from './acceptance/bind-orders.ts'
export { entrySql } from './acceptance/entries/entry.sql.ts'
export type { LaneRooms } from './acceptance/limits/lane-rooms.ts'
export { openInGroups } from './acceptance/open-groups.ts'
export { figuresRoutes } from './history/figures.ts'
export { ACCOUNT_RESULTS } from './history/results.ts'
export { maxStake, tradingLimits } from './limits.ts'
export { endingTrades, type NoticedTrade, settledLately, settledOf } from './notices/noticed-trades.ts'
export type { TradingTopics } from './notices/push-trades.ts'
export type { TradingObserver } from './observer.ts'
export { openRealTrades } from './open-real-trades.ts'
export { orderHash, orderOf } from './order-hash.ts'
export {
  outcomeOnTape,
  type ReplayVerdict,
  replayAll,
  replayOutcomes,
  replayTrade,
  replayUnsold,
} from './replay.ts'
export { lateSaleOrders } from './sales/late-orders.ts'
export { decideSale, SOLD, saleTick } from './sales/sale.ts'
export { isSoldSql } from './sales/sold.sql.ts'
export {
  hasLostOn,
  type ReturnedStakes,
  remediesOf,
  returnStakes,
  stakesReturned,
  type TradesOnTick,
  tradesOn,
} from './settlement/remedies.ts'
export type { DecidingTick } from './settlement/return-stakes.sql.ts'
export {
  isUnbound,
  isUnsigned,
  type SettledTrade,
  settledPage,
  settledTradeOf,
  settledTrades,
  unsignedIds,
  unsignedTrades,
} from './settlement/settled.ts'
export { tickReader } from './settlement/tick-reader.ts'
export { voidTrade } from './settlement/void-trade.ts'
export { voidsSince } from './settlement/voids.ts'
export { isTradeKey, type ShownTradeRow, type TradeRow, tradeOf, tradesByIds } from './store.ts'
export {
  decideOutcome,
  ENTRY_WITHIN_MS,
  findEntry,
  isVoidedByOperators,
  type Outcome,
  RULE_VERSION,
  ruleVersion,
  type Terms,
  type Tick,
  type TickReader,
} from './trade.ts'
export { tradeNotFound } from './trade-not-found.ts'
export { toTrade } from './view.ts'

interface TradingDeps {
  db: Db
  /** Connects as the application's role; acceptance, entries and settlement open separate connections. */
  databaseUrl: string
  clock: Clock
  tape: Tape
  instruments: Instruments
  log: Log
  /** Makes an id that no other node makes. */
  newId(): bigint
  realTradesOn(kind: number): boolean
  /** Why operators have stopped real trading; undefined while they haven't. The accepting statement decides. */
  realStop?(): string | undefined
  priceLists: PriceLists
  /** Real trades need several exchanges with deep markets, and measured moves; not on a test installation. */
  needsDeepSources: boolean
  /** Whether this node makes the prices. */
  leadsPrices(): boolean
  bus: Bus<TradingTopics>
  /** The screens that are open on this node; none on a node without sockets. */
  screens: Screens | undefined
  /** Limits what the house can lose on real trades; benchmarks: without. */
  rooms?: LaneRooms | undefined
  balances: BalancePush
  keys: RequestKeys
  /** Whether this node settles trades (role `engine`), and binds orders while it writes the tape. */
  settles: boolean
  leads(): boolean
  /** Benchmarks: another way to accept, for comparison. */
  queue?: AcceptanceQueue
  observer?: TradingObserver
  /** Called when a trade may be open after none was. */
  tradesBegin?(): void
}

export interface Trading {
  routes: ReturnType<typeof tradingRoutes>
  /** Opens a trade the same way as a click. */
  open(command: OpenTrade): Promise<Opened>
  /** Called for each committed frame, in order. */
  frame(event: FrameEvent): void
  /** Sets the limits that an operator can set. Every node applies them after the commit, at once. */
  setLimits(tx: Tx, change: TradingLimitsChange): Promise<void>
  /** Pushes a trade that operators voided, and its owner's balances, after the commit. */
  pushVoided(tx: Tx, tradeId: bigint, userId: bigint): void
  /** Whether a trade may be open, on any node; undefined where this node doesn't know, as it settles none. */
  mayHaveOpenTrades(): boolean | undefined
  /** Returns the oldest tape time that an unsettled trade may still need. */
  neededFrom(): Promise<Ms>
  /** Returns the minutes (Unix ms of their start) between two times whose ticks decided a trade. */
  neededMinutes(from: Ms, to: Ms): Promise<Set<Ms>>
  /** The orders that the next frame of the tape binds. */
  orders: OrderBinding | undefined
  queues(): TradingQueues
  stop(): Promise<void>
}

/** Changed limits are read at once. This interval is for messages about a change that were lost. */
const LIMITS_EVERY_MS = 5_000
const THIN_EVERY_MS = 1_000

/** Opens and settles trades. */
export async function startTrading(deps: TradingDeps): Promise<Trading> {
  const { db, log, tape, instruments } = deps
  const accepting = Array.from({ length: ACCEPTANCE_LANES }, () => openAcceptanceConnection(deps.databaseUrl, log))
  const limits = await followLimits(deps)
  const lanes = accepting.map((connection, place) => openLane(deps, { connection, place }, limits.current))
  const queue = deps.queue ?? acceptanceLanes(lanes)
  let settling: Settling | undefined
  const news = tradeNews({
    db,
    bus: deps.bus,
    instruments,
    screens: deps.screens,
    log,
    openedElsewhere(trades) {
      for (const trade of trades) settling?.settlement.opened(trade)
    },
  })
  if (deps.settles) settling = startSettling(deps, news.changed)

  const ofSources = (instrument: Instrument) =>
    realTradesOf(instrument, deps.needsDeepSources ? tape.deepSources(instrument.symbol) : undefined)
  const realTrades: RealTradesFor = (instrument) => {
    const refused = deps.realStop?.()
    return refused === undefined ? ofSources(instrument) : { refused }
  }
  const openTrade = openerOf(deps, { queue, realTrades, limits: limits.current }, (accepted) => {
    settling?.settlement.opened({ symbolId: accepted.order.symbolId, tradeTime: accepted.tradeTime })
    news.opened(accepted)
  })
  const thinLoop = followThinSymbols(deps, ofSources)

  return {
    routes: routesOf(deps, realTrades, openTrade, news.changed),
    open: openTrade,
    frame(event) {
      settling?.frame()
      news.frame(event)
    },
    mayHaveOpenTrades: () => settling?.settlement.mayHaveOpen(),
    setLimits: async (tx, change) => {
      await setTradingLimits(tx, change)
      tx.afterCommit(() => deps.bus.publish('limits-changed', null))
    },
    pushVoided: (tx, tradeId, userId) => tx.afterCommit(() => news.changed({ tradeIds: [tradeId], userIds: [userId] })),
    neededFrom: () => neededFrom(db),
    neededMinutes: (from, to) => neededMinutes(db, from, to),
    orders: settling?.orders,
    queues: () => ({
      orders: lanes.reduce((sum, lane) => sum + lane.waiting(), 0),
      entries: news.waiting(),
    }),
    async stop() {
      await queue.drain()
      await settling?.stop()
      await Promise.all([limits.stop(), thinLoop.stop()])
      await Promise.all([...accepting, ...(settling?.connections ?? [])].map((connection) => connection.close()))
    },
  }
}

type Limits = Awaited<ReturnType<typeof readLimits>>
type RealTradesFor = (instrument: Instrument) => RealTrades

/** Reads the limits, and reads them again whenever they change. */
async function followLimits({ db, log, bus }: TradingDeps): Promise<{ current(): Limits; stop(): Promise<void> }> {
  let limits = await readLimits(db)
  const loop = startLoop('trading limits', LIMITS_EVERY_MS, log, async () => {
    limits = await readLimits(db)
  })
  bus.subscribe('limits-changed', loop.wake)
  return { current: () => limits, stop: loop.stop }
}

function openLane(
  { screens, newId, log, rooms, priceLists, instruments }: TradingDeps,
  { connection, place }: { connection: Connection; place: number },
  limits: () => Limits,
): AcceptanceLane {
  const sockets = screens?.sockets
  const lane = rooms?.lanes[place]
  return acceptanceQueue({
    connection,
    openStakeMax: () => limits().openStakeMax,
    newId,
    offered: offeredNow(priceLists, instruments),
    rooms: rooms && lane !== undefined ? { lane, roomsOf: rooms.roomsOf, ask: rooms.ask } : undefined,
    isAnyListening: (userIds) => sockets !== undefined && sockets.listening(userIds).length > 0,
    log,
  })
}

/** What settles and sells trades and binds orders, on engines. */
interface Settling {
  settlement: Settlement
  /** The tape has advanced. */
  frame(): void
  stop(): Promise<void>
  orders: OrderBinding
  connections: Connection[]
}

function startSettling(deps: TradingDeps, changed: (event: TradesChanged) => void): Settling {
  const { tape, clock, instruments, log } = deps
  const connections: Connection[] = []
  const open = (name: string) => {
    const connection = openConnection(deps.databaseUrl, name, log)
    connections.push(connection)
    return connection
  }
  const settlement = startSettlement({
    ...{ tape, clock, instruments, log, changed },
    connections: Array.from({ length: SETTLE_WORKERS }, () => open('settlement')),
    busyConnection: open('settlement busy'),
    entryConnection: open('entries'),
    observer: deps.observer,
    begin: deps.tradesBegin,
  })
  deps.bus.onGap(settlement.reload)
  const selling = startSelling({ ...{ db: deps.db, tape, instruments, log, changed }, connection: open('sales') })
  deps.bus.subscribe('sale-ordered', selling.ordered)
  const orders = startBinding({
    connection: open('orders to bind'),
    instruments,
    leads: deps.leads,
    mayHaveOpen: settlement.mayHaveOpen,
    log,
  })
  return {
    settlement,
    orders,
    connections,
    frame() {
      settlement.frame()
      selling.frame()
    },
    async stop() {
      for (const one of [settlement, selling, orders]) await one.stop()
    },
  }
}

/** Limits the real trades on symbols whose price few exchanges make. */
function followThinSymbols(
  { db, log, bus, instruments, settles, leadsPrices }: TradingDeps,
  realTrades: RealTradesFor,
): Loop {
  // Only the node that makes the prices knows at once how many exchanges do.
  let thinSymbols: string | undefined
  return startLoop('thin symbols', THIN_EVERY_MS, log, async () => {
    if (!settles || !leadsPrices()) {
      // Another node may have set others by the time this one leads.
      thinSymbols = undefined
      return
    }
    const thin = new Map<number, Usd>()
    for (const instrument of instruments.current()) {
      const allowed = realTrades(instrument)
      if ('stakeMax' in allowed && allowed.stakeMax !== null) thin.set(instrument.id, allowed.stakeMax)
    }
    const wanted = [...thin].join()
    if (wanted === thinSymbols) return
    if (await setThinSymbols(db, thin)) bus.publish('limits-changed', null)
    thinSymbols = wanted
  })
}

const openerOf = (
  { db, instruments, tape, clock, newId, observer, realTradesOn, priceLists, needsDeepSources }: TradingDeps,
  parts: { queue: AcceptanceQueue; realTrades: RealTradesFor; limits(): Limits },
  opened: (accepted: Accepted) => void,
) =>
  tradeOpener({
    ...{ instruments, tape, clock, newId, observer, realTradesOn, priceLists, opened },
    needsMeasuredMoves: needsDeepSources,
    ...parts,
    storedUnder: (userId, key) => tradeUnderKey(db, userId, key),
    fateOf: (accountId, key) => fateOf(db, accountId, key),
  })

const routesOf = (
  { db, observer, instruments, newId, balances, keys, tape, clock, bus }: TradingDeps,
  realTrades: RealTradesFor,
  openTrade: Trading['open'],
  changed: (event: TradesChanged) => void,
) =>
  tradingRoutes({
    ...{ db, observer, instruments, realTrades, openTrade, newId, balances, keys, tape, clock },
    ordered: (tx, tradeId, userId) =>
      tx.afterCommit(() => {
        bus.publish('sale-ordered', null)
        changed({ tradeIds: [tradeId], userIds: [userId] })
      }),
  })

async function neededFrom(db: Db): Promise<Ms> {
  const { rows } = await sql<{ oldest: bigint | null }>`
    select min(least(case when entry_seq is null then trade_time else end_time - stale_after_ms end, sale_ordered_at)) as oldest
    from trades where status = 'Pending'`.execute(db)
  return Number(rows[0]?.oldest ?? Number.MAX_SAFE_INTEGER)
}

async function readLimits(db: Db) {
  const { rows } = await sql<{ stake_max: Usd; open_stake_max: Usd; limited: number[] }>`
    select stake_max, open_stake_max, array(select symbol_id from symbol_open) as limited from trading_limits`.execute(
    db,
  )
  const { stake_max, open_stake_max, limited } = first(rows)
  return { stakeMax: stake_max, openStakeMax: open_stake_max, limitedSymbols: new Set(limited) }
}
