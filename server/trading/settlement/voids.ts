import type { VoidReason } from '#contract/prices/incidents.ts'
import { HOUR_MS, type Ms } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import { REASON } from '../trade.ts'

/** Trades of a symbol that were void for one reason, and ended within one hour. */
interface Voids {
  symbolId: number
  reason: VoidReason
  from: Ms
  to: Ms
  real: number
  demo: number
}

const REASONS: ReadonlyMap<string, VoidReason> = new Map([
  [REASON.noEntry, 'no_entry'],
  [REASON.noExit, 'no_exit'],
  [REASON.sourceChanged, 'source_changed'],
])

/** Returns the newest groups of void trades that settled since a time. */
export async function voidsSince(db: Db, since: Ms, limit: number): Promise<Voids[]> {
  const { rows } = await sql<{
    symbol_id: number
    reason: string
    from: bigint
    to: bigint
    real: bigint
    demo: bigint
  }>`
    select symbol_id, case when outcome_reason = any (${[...REASONS.keys()]}::text[]) then outcome_reason end as reason,
      min(trade_time) as from, max(end_time) as to,
      count(*) filter (where mode = 'real') as real, count(*) filter (where mode = 'demo') as demo
    from trades where status = 'Void' and settled_at >= ${new Date(since)}
    group by symbol_id, 2, end_time / ${sql.raw(String(HOUR_MS))} order by max(end_time) desc limit ${limit}`.execute(
    db,
  )
  return rows.map((row) => ({
    symbolId: row.symbol_id,
    // Operators give a reason of their own, which only the trader and the desk read.
    reason: REASONS.get(row.reason) ?? 'operators',
    from: Number(row.from),
    to: Number(row.to),
    real: Number(row.real),
    demo: Number(row.demo),
  }))
}
