import type { ComplaintFinding, ComplaintItem, ComplaintTick } from '#contract/terms.ts'
import { type Usd, usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql } from '../platform/database/db.ts'
import { stakesReturned } from '../trading/index.ts'

/** A ruling as the public reads it: nothing names a trader or an operator. */
interface PublicRuling {
  at: Ms
  item: ComplaintItem
  finding: ComplaintFinding
  /** Number of complaints. Rulings of one day with the same finding that return nothing are merged into one. */
  complaints: number
  tick: { of: ComplaintTick; symbolId: number; at: Ms; real: number; demo: number; total: Usd } | null
}

/** Returns the newest rulings since a time. */
export async function rulingsSince(db: Db, since: Ms, limit: number): Promise<PublicRuling[]> {
  const { rows } = await sql<{
    at: Date
    item: ComplaintItem
    finding: ComplaintFinding
    complaints: number
    ruling: bigint | null
    tick: ComplaintTick | null
    symbol_id: number | null
    tick_time: bigint | null
  }>`
    select max(r.approved_at) as at, c.item, r.finding, count(*)::int as complaints, min(r.id) filter (where r.remedy = 'tick') as ruling,
      min(r.tick) as tick, min(r.symbol_id) as symbol_id, min(r.tick_time) as tick_time
    from complaint_rulings r join complaints c on c.id = r.complaint_id
    where r.approved_at >= ${new Date(since)}
    group by c.item, r.finding, case when r.remedy = 'tick' then r.id end, (r.approved_at at time zone 'UTC')::date
    order by max(r.approved_at) desc limit ${limit}`.execute(db)
  const returned = await stakesReturned(
    db,
    rows.flatMap(({ ruling }) => (ruling === null ? [] : [ruling])),
  )
  return rows.map((row) => ({
    at: row.at.getTime(),
    item: row.item,
    finding: row.finding,
    complaints: row.complaints,
    tick:
      row.ruling === null
        ? null
        : {
            of: must(row.tick),
            symbolId: must(row.symbol_id),
            at: Number(row.tick_time),
            ...(returned.get(row.ruling) ?? { real: 0, demo: 0, total: usd(0n) }),
          },
  }))
}
