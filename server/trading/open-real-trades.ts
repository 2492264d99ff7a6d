import { first } from '#kernel/must.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import { sql, type Tx } from '../platform/database/db.ts'
import { tapeTime } from '../prices/index.ts'

/** A change of how prices are made waits for open trades that end within this time. */
const WAITS_FOR_MS = 5 * MINUTE_MS

/**
 * Counts the open real trades on these symbols, and returns when the last of those that end within five minutes ends
 * (Unix ms); null without one.
 */
export async function openRealTrades(
  tx: Tx,
  symbolIds: readonly number[],
): Promise<{ count: number; lastEnd: number | null }> {
  const until = Number(await tapeTime(tx)) + WAITS_FOR_MS
  const { rows } = await sql<{ count: number; last_end: bigint | null }>`
    select count(*)::int as count, max(end_time) filter (where end_time <= ${until}) as last_end from trades
    where symbol_id = any (${symbolIds}::smallint[]) and status = 'Pending' and mode = 'real'`.execute(tx)
  const { count, last_end } = first(rows)
  return { count, lastEnd: last_end === null ? null : Number(last_end) }
}
