import { first } from '#kernel/must.ts'
import { type Db, sql } from '../database/db.ts'

/** Counting stops here, so that monitoring costs little. */
const COUNT_MAX = 10_000

/** Counts the e-mails that wait to be sent, up to 10,000, with the age of the oldest. */
export async function mailBacklog(db: Db): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; oldest: number }>`
    select count(*)::int as waiting,
      coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as oldest
    from (select created_at from mails where state = 'waiting' limit ${COUNT_MAX}) waiting`.execute(db)
  return { waiting: first(rows).waiting, oldestSeconds: first(rows).oldest }
}
