import { first } from '#kernel/must.ts'
import { type Db, sql } from '../../platform/database/db.ts'

/** Entries of the audit log that are looked at: enough for an hour of attack, and a bounded read. */
const NEWEST = 5_000

/** Returns how many sign-ins at the desk failed in the last hour, among the newest entries of the audit log. */
export async function failedDeskSignIns(db: Db): Promise<number> {
  const { rows } = await sql<{ failed: number }>`
    select count(*)::int as failed from (select at, action from audit order by n desc limit ${NEWEST}) newest
    where action = 'sign-in-failed' and at > clock_timestamp() - interval '1 hour'`.execute(db)
  return first(rows).failed
}
