import { first } from '#kernel/must.ts'
import { DAY_MS, type Ms } from '#kernel/time.ts'
import { type Db, sql } from '../platform/database/db.ts'

const DAYS = 30
/** A median of fewer isn't meaningful. */
const USEFUL = 20

const daysAgo = (now: Ms) => new Date(now - DAYS * DAY_MS)

interface Measured {
  count: bigint
  median_ms: number | null
}

/**
 * The median time from the receipt's upload to the credit of the coin deposits that were credited in the last 30 days,
 * in ms; null with fewer than 20. Without what operators assign, which nobody submitted. Public.
 */
export async function creditTime(db: Db, now: Ms): Promise<{ credited: number; median_ms: number } | null> {
  const { rows } = await sql<Measured>`
    select count(*), percentile_cont(0.5) within group (
      order by extract(epoch from decided_at - created_at) * 1000) median_ms
    from deposits where status = 'Approved' and receipt is not null and decided_at >= ${daysAgo(now)}`.execute(db)
  const { count, median_ms } = usefulOf(first(rows))
  return median_ms === null ? null : { credited: count, median_ms }
}

/**
 * The median time from request to payment of the withdrawals that were paid in the last 30 days, however long they took,
 * in ms; null with fewer than 20. Public.
 */
export async function payoutTime(db: Db, now: Ms): Promise<{ paid: number; median_ms: number } | null> {
  const { rows } = await sql<Measured>`
    select count(*), percentile_cont(0.5) within group (
      order by extract(epoch from ended_at - created_at) * 1000) median_ms
    from withdrawals where status = 'Paid' and ended_at >= ${daysAgo(now)}`.execute(db)
  const { count, median_ms } = usefulOf(first(rows))
  return median_ms === null ? null : { paid: count, median_ms }
}

/** In whole ms; without the median of too few. */
const usefulOf = ({ count, median_ms }: Measured) => ({
  count: Number(count),
  median_ms: count < USEFUL || median_ms === null ? null : Math.round(Number(median_ms)),
})
