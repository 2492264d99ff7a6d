import { first } from '#kernel/must.ts'
import { type Db, sql } from '../../platform/database/db.ts'

/** Returns the seconds since the approval of the withdrawal that has waited longest to be paid; 0 if none does. */
export async function oldestUnpaidSeconds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from clock_timestamp() - min(processing_at)), 0)::float8 as seconds
    from withdrawals where status = 'Processing'`.execute(db)
  return first(rows).seconds
}
