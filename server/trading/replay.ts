import { usd } from '#kernel/money.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql } from '../platform/db.ts'
import type { TradeRow } from './store.ts'
import { decideOutcome, ENTRY_WITHIN_MS, type Tick } from './trade.ts'

/** A settled trade whose stored outcome is not what the tape says. */
export interface Divergence {
  tradeId: bigint
  says: string
}

const PAGE = 1_000

/**
 * Decides every settled trade again from its terms and the tape, with the pure function, and answers the first that
 * differs (invariant T3). `readTicks` answers the ticks of a symbol between two times, inclusive, in order.
 */
export async function replayOutcomes(
  db: Db,
  readTicks: (symbolId: number, from: Ms, to: Ms) => Promise<Tick[]>,
): Promise<{ checked: number; divergence?: Divergence }> {
  let checked = 0
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
    for (const row of rows) {
      const says = await difference(db, row, readTicks)
      if (says) return { checked, divergence: { tradeId: row.id, says } }
      checked++
    }
    if (rows.length < PAGE) return { checked }
    after = rows.at(-1)!.id
  }
}

async function difference(
  db: Db,
  row: TradeRow,
  readTicks: (symbolId: number, from: Ms, to: Ms) => Promise<Tick[]>,
): Promise<string | undefined> {
  const tradeTime = Number(row.trade_time)
  const endTime = Number(row.end_time)
  // Only the two ends of a trade can matter, and what lies between them only by the kind of its source.
  const early = await readTicks(row.symbol_id, tradeTime, Math.min(endTime, tradeTime + ENTRY_WITHIN_MS))
  const late = await readTicks(row.symbol_id, Math.max(tradeTime, endTime - row.stale_after_ms), endTime)
  const kinds = await sql<{ source_ms: bigint; kind: number }>`
    select source_ms, kind from tape_kinds where symbol_id = ${row.symbol_id} and source_ms > ${tradeTime} and source_ms <= ${endTime}`.execute(
    db,
  )
  const ticks = new Map<number, Tick>()
  for (const tick of [...early, ...late]) ticks.set(tick.sourceMs, tick)
  const inOrder = [...ticks.values()].sort((a, b) => a.sourceMs - b.sourceMs)
  const changed = kinds.rows.find((change) => change.kind !== row.source_kind)
  if (changed && !ticks.has(Number(changed.source_ms))) {
    inOrder.push({ seq: 0n, sourceMs: Number(changed.source_ms), price: 0n as Tick['price'], kind: changed.kind })
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
  )
  if (outcome.status !== row.status) return `is ${row.status}, the tape says ${outcome.status}`
  if (outcome.payout !== row.payout) return `paid ${row.payout}, the tape says ${outcome.payout}`
  if (outcome.reason !== row.outcome_reason) return `gives another reason than the tape: ${outcome.reason}`
  if ((outcome.entry?.seq ?? null) !== row.entry_seq || (outcome.entry?.price ?? null) !== row.entry_price)
    return 'names another entry than the tape'
  if ((outcome.exit?.seq ?? null) !== row.exit_seq || (outcome.exit?.price ?? null) !== row.exit_price)
    return 'names another exit than the tape'
  return undefined
}
