import { idFloor } from '#kernel/id.ts'
import { first } from '#kernel/must.ts'
import { DAY_MS, type Ms } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'

const DAYS = 30
/** A median of fewer isn't meaningful. */
const USEFUL = 20

/**
 * The median time from request to payment of the withdrawals that were requested in the last 30 days and paid, in ms;
 * null with fewer than 20. Public.
 */
export async function payoutTime(db: Db, now: Ms): Promise<{ paid: number; median_ms: number } | null> {
  const { rows } = await sql<{ paid: bigint; median_ms: number | null }>`
    select count(*) paid, percentile_cont(0.5) within group (
      order by extract(epoch from ended_at - created_at) * 1000) median_ms
    from withdrawals where id >= ${idFloor(now - DAYS * DAY_MS)} and status = 'Paid'`.execute(db)
  const { paid, median_ms } = first(rows)
  return paid < USEFUL || median_ms === null ? null : { paid: Number(paid), median_ms: Math.round(Number(median_ms)) }
}
