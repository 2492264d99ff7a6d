import { idSource } from '#kernel/id.ts'
import type { Ms } from '#kernel/time.ts'
import { type BalancePush, type RequestKeys, userOf } from '../ledger/index.ts'
import type { Clock } from '../platform/clock.ts'
import { openConnection } from '../platform/connection.ts'
import { type Db, sql, type Tx } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { startLoop } from '../platform/loop.ts'
import type { Push } from '../platform/push.ts'
import { rateLimit } from '../platform/rate-limit.ts'
import type { FrameEvent, Instruments, Tape } from '../prices/index.ts'
import { ACCEPTANCE_LANES, type AcceptanceQueue, acceptanceLanes, acceptanceQueue } from './acceptance.ts'
import { tradeOpener } from './open-trade.ts'
import { tradingRoutes } from './routes.ts'
import { SETTLE_WORKERS, type Settlement, startSettlement, type TradesChanged } from './settle-trades.ts'
import { tradesByIds, tradeUnderKey } from './store.ts'
import { fromAccepted, toTrade } from './view.ts'

export { figuresRoutes } from './figures.ts'
export { maxStake, type SymbolLimit, setTradingLimits, type TradingLimits, tradingLimits } from './limits.ts'
export { replayOutcomes } from './replay.ts'
export { isTradeKey, type TradeRow, tradesByIds } from './store.ts'
export { decideOutcome, type Terms, type Tick } from './trade.ts'
export { type ShownTradeRow, toTrade } from './view.ts'
export { type Voiding, voidTrade } from './void-trade.ts'

export interface TradingDeps {
  db: Db
  /** Connects as the application's role; acceptance, entries and settlement open separate connections. */
  databaseUrl: string
  clock: Clock
  tape: Tape
  instruments: Instruments
  log: Log
  /** 0 to 1023; must differ between processes that run at the same time. */
  node: number
  rateFactor: number | undefined
  realTradesOn(kind: number): boolean
  push: Pick<Push, 'listening' | 'tell'>
  balances: BalancePush
  keys: RequestKeys
  /** Whether this process settles trades (role `worker`). */
  settles: boolean
  /** Benchmarks: another way to accept, for comparison. */
  queue?: AcceptanceQueue
}

export interface Trading {
  routes: ReturnType<typeof tradingRoutes>
  /** Called when the tape has advanced. */
  frame(event: FrameEvent): void
  /** Pushes a trade that operators voided, and its owner's balances, after the commit. */
  pushVoided(tx: Tx, tradeId: bigint, userId: bigint): void
  /** Returns the oldest tape time that an unsettled trade may still need. */
  neededFrom(): Promise<Ms>
  /** Returns the minutes (Unix ms of their start) between two times whose ticks decided a trade. */
  neededMinutes(from: Ms, to: Ms): Promise<Set<Ms>>
  stop(): Promise<void>
}

const LIMITS_EVERY_MS = 1_000

/** Opens and settles trades. */
export async function startTrading(deps: TradingDeps): Promise<Trading> {
  const { db, log, tape, instruments } = deps
  const accepting = Array.from({ length: ACCEPTANCE_LANES }, () => openConnection(deps.databaseUrl, 'acceptance', log))
  const newId = idSource(deps.node, () => Math.floor(deps.clock.now()))

  let limits = await readLimits(db)
  const limitsLoop = startLoop('trading limits', LIMITS_EVERY_MS, log, async () => {
    limits = await readLimits(db)
  })

  const queue =
    deps.queue ??
    acceptanceLanes(
      accepting.map((connection) => acceptanceQueue({ connection, openStakeMax: () => limits.openStakeMax, log })),
    )
  const settlement = deps.settles ? await settle() : undefined

  async function settle(): Promise<{ running: Settlement; close(): Promise<void> }> {
    const connections = Array.from({ length: SETTLE_WORKERS }, () =>
      openConnection(deps.databaseUrl, 'settlement', log),
    )
    const entryConnection = openConnection(deps.databaseUrl, 'entries', log)
    const running = await startSettlement({ connections, entryConnection, tape, instruments, log, changed })
    return {
      running,
      async close() {
        await running.stop()
        await Promise.all([...connections, entryConnection].map((connection) => connection.close()))
      },
    }
  }

  /** Notifies the owners who are connected; their next read recovers a lost message. */
  function changed(event: TradesChanged): void {
    pushTrades(event).catch((error: unknown) => log.warn({ error: String(error) }, 'could not notify owners'))
  }

  async function pushTrades(event: TradesChanged): Promise<void> {
    const listening = new Set(deps.push.listening(event.userIds))
    if (listening.size === 0) return
    for (let i = 0; i < event.tradeIds.length; i += 1_000) {
      for (const row of await tradesByIds(db, event.tradeIds.slice(i, i + 1_000))) {
        const userId = userOf(row.account_id)
        if (listening.has(userId)) deps.push.tell(userId, { op: 'trade', data: toTrade(instruments, row) })
      }
    }
    if (event.kind === 'settled') await deps.balances.now([...listening])
  }

  const openTrade = tradeOpener({
    instruments,
    tape,
    clock: deps.clock,
    queue,
    newId,
    limits: () => limits,
    realTradesOn: deps.realTradesOn,
    storedUnder: (userId, key) => tradeUnderKey(db, userId, key),
    opened(accepted) {
      settlement?.running.opened(accepted)
      const userId = userOf(accepted.order.accountId)
      if (deps.push.listening([userId]).length === 0) return
      deps.push.tell(userId, { op: 'trade', data: fromAccepted(instruments, accepted) })
      deps.balances
        .now([userId])
        .catch((error: unknown) => log.warn({ error: String(error) }, 'could not notify an owner'))
    },
  })

  const routes = tradingRoutes({
    db,
    instruments,
    openTrade,
    newId,
    balances: deps.balances,
    keys: deps.keys,
    submissions: rateLimit({
      max: 30,
      windowMs: 1_000,
      factor: deps.rateFactor,
      message: 'That was too fast. Wait a second.',
    }),
  })

  return {
    routes,
    frame: (event) => settlement?.running.frame(event),
    pushVoided: (tx, tradeId, userId) =>
      tx.afterCommit(() => pushTrades({ kind: 'settled', tradeIds: [tradeId], userIds: [userId] })),
    async neededFrom() {
      const { rows } = await sql<{ oldest: bigint | null }>`
        select min(case when entry_seq is null then trade_time else end_time - stale_after_ms end) as oldest from trades where status = 'Pending'`.execute(
        db,
      )
      return Number(rows[0]?.oldest ?? Number.MAX_SAFE_INTEGER)
    },
    async neededMinutes(from, to) {
      const { rows } = await sql<{ minute: bigint }>`
        select distinct m.at / 60000 * 60000 as minute from trades t, lateral (values (t.entry_time), (t.exit_time)) m(at)
        where m.at >= ${from} and m.at < ${to} and t.trade_time >= ${from - 90_000_000} and t.trade_time < ${to}`.execute(
        db,
      )
      return new Set(rows.map((row) => Number(row.minute)))
    },
    async stop() {
      await queue.drain()
      await settlement?.close()
      await limitsLoop.stop()
      await Promise.all(accepting.map((connection) => connection.close()))
    },
  }
}

async function readLimits(db: Db) {
  const limits = await db.selectFrom('trading_limits').selectAll().executeTakeFirstOrThrow()
  const symbols = await db.selectFrom('symbol_open').select('symbol_id').execute()
  return {
    stakeMax: limits.stake_max,
    openStakeMax: limits.open_stake_max,
    limitedSymbols: new Set(symbols.map((row) => row.symbol_id)),
  }
}
