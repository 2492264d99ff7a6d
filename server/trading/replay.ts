import { last } from '#kernel/must.ts'
import { price } from '#kernel/price.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import { type KindChange, readKinds, TicksDropped } from '../prices/index.ts'
import { saleDifference, type UnsoldOrder, unsoldDifference } from './sales/replay-sale.ts'
import type { TradeRow } from './store.ts'
import {
  decideOutcome,
  ENTRY_WITHIN_MS,
  type OperatorVoid,
  type Outcome,
  ruleVersion,
  type Terms,
  type Tick,
  type TickReader,
} from './trade.ts'

/** A settled trade (or signal) whose stored outcome doesn't match the tape. */
interface Divergence {
  id: bigint
  says: string
}

export interface ReplayVerdict {
  /** Number of trades or signals replayed. */
  checked: number
  /** Number of those that can't be replayed: the retention has dropped the ticks that decided them. */
  dropped: number
  divergence?: Divergence
}

const PAGE = 1_000

interface Replay<Row> {
  db: Db | Tx
  /** Opens a reader of ticks. One for each page: what it keeps must be newer than the page's rows. */
  openTicks(): TickReader
  /** Returns the settled rows after this number, in order. */
  read(after: bigint, limit: number): Promise<Row[]>
  numberOf(row: Row): bigint
  /** Says how a row differs from the tape; throws `TicksDropped` if that can't be known any more. */
  difference(row: Row, readTicks: TickReader, kinds: readonly KindChange[]): Promise<string | undefined>
  /** Called after each page with the number of rows looked at. */
  progress?: ((looked: number) => void) | undefined
}

/** Replays all settled rows, page by page, up to the first one that differs. */
export async function replayAll<Row extends { symbol_id: number }>(replay: Replay<Row>): Promise<ReplayVerdict> {
  const verdict: ReplayVerdict = { checked: 0, dropped: 0 }
  let after = 0n
  for (;;) {
    const rows = await replay.read(after, PAGE)
    // Read after the rows, so that it includes every change that could have decided one of them.
    const kinds = await readKinds(replay.db)
    const readTicks = replay.openTicks()
    for (const row of rows) {
      try {
        const says = await replay.difference(row, readTicks, kinds.get(row.symbol_id) ?? [])
        if (says) return { ...verdict, divergence: { id: replay.numberOf(row), says } }
        verdict.checked++
      } catch (error) {
        if (!(error instanceof TicksDropped)) throw error
        verdict.dropped++
      }
    }
    replay.progress?.(verdict.checked + verdict.dropped)
    if (rows.length < PAGE) return verdict
    after = replay.numberOf(last(rows))
  }
}

/**
 * Replays every settled trade from its terms, the tape, the operators' voids and the order that sold it with the pure functions, and returns the
 * first one that differs (invariant T3). Calls `progress` after each page with the number of trades checked.
 */
export async function replayOutcomes(
  db: Db | Tx,
  openTicks: () => TickReader,
  progress?: (looked: number) => void,
): Promise<ReplayVerdict> {
  return replayAll({
    db,
    openTicks,
    async read(after, limit) {
      const rows = await db
        .selectFrom('trades')
        .selectAll()
        .where('id', '>', after)
        .where('status', '<>', 'Pending')
        .orderBy('id')
        .limit(limit)
        .execute()
      const voids = await readVoids(
        db,
        rows.map((row) => row.id),
      )
      return rows.map((row) => ({ ...row, operatorVoid: voids.get(row.id) }))
    },
    numberOf: (row) => row.id,
    difference: (row, readTicks, kinds) => difference(db, row, readTicks, kinds, row.operatorVoid),
    progress,
  })
}

/**
 * Replays one settled trade. Returns how it differs from the tape, or undefined if it doesn't. Throws `TicksDropped` if
 * the tape no longer holds what decided it.
 */
export async function replayTrade(db: Db | Tx, row: TradeRow, readTicks: TickReader): Promise<string | undefined> {
  const [voids, kinds] = await Promise.all([readVoids(db, [row.id]), readKinds(db)])
  return difference(db, row, readTicks, kinds.get(row.symbol_id) ?? [], voids.get(row.id))
}

/** Returns which of these trades operators voided. */
async function readVoids(db: Db | Tx, tradeIds: readonly bigint[]): Promise<Map<bigint, OperatorVoid>> {
  if (tradeIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('trade_voids')
    .select(['trade_id', 'reason', 'entered'])
    .where('trade_id', 'in', [...tradeIds])
    .execute()
  return new Map(rows.map((row) => [row.trade_id, { reason: row.reason, entered: row.entered }]))
}

async function difference(
  db: Db | Tx,
  row: TradeRow,
  readTicks: TickReader,
  kinds: readonly KindChange[],
  operatorVoid: OperatorVoid | undefined,
): Promise<string | undefined> {
  const terms = termsOf(row)
  if (!terms) return unknownRule(row)
  if (row.status === 'Sold') return saleDifference(db, { row, terms }, readTicks, kinds)
  const outcome = await outcomeOnTape(terms, row.symbol_id, readTicks, kinds, operatorVoid)
  if (outcome.status !== row.status) return `is ${row.status}, but the tape gives ${outcome.status}`
  if (outcome.payout !== row.payout) return `paid ${row.payout}, but the tape gives ${outcome.payout}`
  if (outcome.reason !== row.outcome_reason) return `has a different reason than the tape gives: ${outcome.reason}`
  if (!isTick(outcome.entry, row.entry_seq, row.entry_price, row.entry_time))
    return 'has a different entry than the tape'
  if (!isTick(outcome.exit, row.exit_seq, row.exit_price, row.exit_time)) return 'has a different exit than the tape'
  return undefined
}

const unknownRule = (row: TradeRow) => `has the rule ${row.rule_version}, which this version doesn't know`

/** Returns the terms of a trade; undefined if this version doesn't know its rule. */
function termsOf(row: TradeRow): Terms | undefined {
  const rule = ruleVersion(row.rule_version)
  return (
    rule && {
      side: row.side,
      stake: row.stake,
      percent: row.percent,
      tradeTime: Number(row.trade_time),
      endTime: Number(row.end_time),
      staleAfterMs: row.stale_after_ms,
      sourceKind: row.source_kind,
      rule,
    }
  )
}

/**
 * Replays every order to sell that was decided without a sale (invariant T12): its reason must be the one that the tape
 * gives. Counts trades with such orders.
 */
export async function replayUnsold(db: Db | Tx, openTicks: () => TickReader): Promise<ReplayVerdict> {
  return replayAll({
    db,
    openTicks,
    async read(after, limit) {
      // Before the trades, whose rows then say all that could have decided one.
      const orders = await readUnsold(db, after, limit)
      const ids = [...orders.keys()]
      if (ids.length === 0) return []
      const rows = await db.selectFrom('trades').selectAll().where('id', 'in', ids).orderBy('id').execute()
      const voids = await readVoids(db, ids)
      return rows.map((row) => ({ ...row, isVoided: voids.has(row.id), orders: orders.get(row.id) ?? [] }))
    },
    numberOf: (row) => row.id,
    async difference(row, readTicks, kinds) {
      const terms = termsOf(row)
      if (!terms) return unknownRule(row)
      for (const order of row.orders) {
        const says = await unsoldDifference(db, { row, terms, order, isVoided: row.isVoided }, readTicks, kinds)
        if (says) return `has an order to sell of ${order.at} that ${says}`
      }
      return undefined
    },
  })
}

/** Returns the orders that sold nothing, by their trades: those of the first `limit` trades after this one. */
async function readUnsold(db: Db | Tx, after: bigint, limit: number): Promise<Map<bigint, UnsoldOrder[]>> {
  const { rows } = await sql<UnsoldOrder & { trade_id: bigint }>`
    select trade_id, at, minimum, decided_at, says, tick_seq, tick_time, tick_price from sale_orders
    where outcome = 'unsold' and trade_id in (
      select trade_id from sale_orders where outcome = 'unsold' and trade_id > ${after} group by 1 order by 1 limit ${limit}
    ) order by trade_id, at`.execute(db)
  return Map.groupBy(rows, ({ trade_id }) => trade_id)
}

/** Decides a trade whose end is proven by the ticks of the tape. `kinds` are the changes of the symbol's source. */
export async function outcomeOnTape(
  terms: Terms,
  symbolId: number,
  readTicks: TickReader,
  kinds: readonly KindChange[],
  operatorVoid?: OperatorVoid,
): Promise<Outcome> {
  const { tradeTime, endTime, staleAfterMs, sourceKind } = terms
  // Only the two ends of a trade matter; between them, only the kind of source does.
  const early = await readTicks(symbolId, tradeTime, Math.min(endTime, tradeTime + ENTRY_WITHIN_MS))
  const late = await readTicks(symbolId, Math.max(tradeTime, endTime - staleAfterMs), endTime)
  const ticks = new Map<number, Tick>()
  for (const tick of [...early, ...late]) ticks.set(tick.sourceMs, tick)
  const changed = kinds.find(({ sourceMs, kind }) => sourceMs > tradeTime && sourceMs <= endTime && kind !== sourceKind)
  if (changed && !ticks.has(changed.sourceMs))
    ticks.set(changed.sourceMs, { seq: 0n, sourceMs: changed.sourceMs, price: price(0n), kind: changed.kind })
  const inOrder = [...ticks.values()].sort((a, b) => a.sourceMs - b.sourceMs)
  return decideOutcome(terms, inOrder, operatorVoid)
}

const isTick = (tick: Tick | undefined, seq: bigint | null, units: bigint | null, time: bigint | null): boolean =>
  tick === undefined
    ? seq === null && units === null && time === null
    : seq === tick.seq && units === tick.price && time === BigInt(tick.sourceMs)
