import { usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import type { Ms } from '#kernel/time.ts'
import type { Db, Tx } from '../platform/db.ts'
import { type KindChange, readKinds, TicksDropped } from '../prices/index.ts'
import type { TradeRow } from './store.ts'
import { decideOutcome, ENTRY_WITHIN_MS, type OperatorVoid, type Tick } from './trade.ts'

/** A settled trade whose stored outcome doesn't match the tape. */
export interface Divergence {
  tradeId: bigint
  says: string
}

export interface ReplayVerdict {
  /** Number of trades replayed. */
  checked: number
  /** Number of trades that can't be replayed: the retention has dropped the ticks that decided them. */
  dropped: number
  divergence?: Divergence
}

/** Returns a symbol's ticks between two times, inclusive, in order; throws `TicksDropped` if they are gone. */
export type TickReader = (symbolId: number, from: Ms, to: Ms) => Promise<Tick[]>

const PAGE = 1_000

/**
 * Replays every settled trade from its terms, the tape and the operators' voids with the pure function, and returns the
 * first one that differs (invariant T3). Calls `progress` after each page with the number of trades checked.
 */
export async function replayOutcomes(
  db: Db | Tx,
  readTicks: TickReader,
  progress?: (looked: number) => void,
): Promise<ReplayVerdict> {
  const verdict: ReplayVerdict = { checked: 0, dropped: 0 }
  let after = 0n
  for (;;) {
    const rows = await db
      .selectFrom('trades')
      .selectAll()
      .where('id', '>', after)
      .where('status', '<>', 'Pending')
      .orderBy('id')
      .limit(PAGE)
      .execute()
    // Read after the trades, so that it includes every change that could have decided one of them.
    const kinds = await readKinds(db)
    const voids = await readVoids(
      db,
      rows.map((row) => row.id),
    )
    for (const row of rows) {
      try {
        const says = await difference(row, readTicks, kinds.get(row.symbol_id) ?? [], voids.get(row.id))
        if (says) return { ...verdict, divergence: { tradeId: row.id, says } }
        verdict.checked++
      } catch (error) {
        if (!(error instanceof TicksDropped)) throw error
        verdict.dropped++
      }
    }
    progress?.(verdict.checked + verdict.dropped)
    if (rows.length < PAGE) return verdict
    after = rows.at(-1)!.id
  }
}

/** Returns which of these trades operators voided. */
async function readVoids(db: Db | Tx, tradeIds: readonly bigint[]): Promise<Map<bigint, OperatorVoid>> {
  if (tradeIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('trade_voids')
    .select(['trade_id', 'reason', 'entered'])
    .where('trade_id', 'in', [...tradeIds])
    .where('completed_by', 'is not', null)
    .execute()
  return new Map(rows.map((row) => [row.trade_id, { reason: row.reason, entered: row.entered === true }]))
}

async function difference(
  row: TradeRow,
  readTicks: TickReader,
  kinds: readonly KindChange[],
  operatorVoid: OperatorVoid | undefined,
): Promise<string | undefined> {
  const tradeTime = Number(row.trade_time)
  const endTime = Number(row.end_time)
  // Only the two ends of a trade matter; between them, only the kind of source does.
  const early = await readTicks(row.symbol_id, tradeTime, Math.min(endTime, tradeTime + ENTRY_WITHIN_MS))
  const late = await readTicks(row.symbol_id, Math.max(tradeTime, endTime - row.stale_after_ms), endTime)
  const ticks = new Map<number, Tick>()
  for (const tick of [...early, ...late]) ticks.set(tick.sourceMs, tick)
  const inOrder = [...ticks.values()].sort((a, b) => a.sourceMs - b.sourceMs)
  const changed = kinds.find(
    ({ sourceMs, kind }) => sourceMs > tradeTime && sourceMs <= endTime && kind !== row.source_kind,
  )
  if (changed && !ticks.has(changed.sourceMs)) {
    inOrder.push({ seq: 0n, sourceMs: changed.sourceMs, price: price(0n), kind: changed.kind })
    inOrder.sort((a, b) => a.sourceMs - b.sourceMs)
  }
  const outcome = decideOutcome(
    {
      tradeMode: row.trade_mode,
      stake: usd(row.stake),
      percent: row.percent,
      tradeTime,
      endTime,
      staleAfterMs: row.stale_after_ms,
      sourceKind: row.source_kind,
    },
    inOrder,
    operatorVoid,
  )
  if (outcome.status !== row.status) return `is ${row.status}, but the tape gives ${outcome.status}`
  if (outcome.payout !== row.payout) return `paid ${row.payout}, but the tape gives ${outcome.payout}`
  if (outcome.reason !== row.outcome_reason) return `has a different reason than the tape gives: ${outcome.reason}`
  if (!isTick(outcome.entry, row.entry_seq, row.entry_price, row.entry_time))
    return 'has a different entry than the tape'
  if (!isTick(outcome.exit, row.exit_seq, row.exit_price, row.exit_time)) return 'has a different exit than the tape'
  return undefined
}

const isTick = (tick: Tick | undefined, seq: bigint | null, units: bigint | null, time: bigint | null): boolean =>
  tick === undefined
    ? seq === null && units === null && time === null
    : seq === tick.seq && units === tick.price && time === BigInt(tick.sourceMs)
