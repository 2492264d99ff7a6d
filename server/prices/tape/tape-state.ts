import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import { LEADER_LOCK } from './leader/follow.ts'

/** Whether a node writes the tape at this moment, and how old its newest frame is; undefined before the first. */
export async function tapeState(db: Db): Promise<{ isWritten: boolean; ageMs: Ms | undefined }> {
  const { rows } = await sql<{ n: bigint; age: number; written: boolean }>`
    select number as n, (extract(epoch from clock_timestamp()) * 1000 - t)::float8 as age, exists (
      select from pg_locks where locktype = 'advisory' and classid = 0 and objid = ${LEADER_LOCK} and granted
        and database = (select oid from pg_database where datname = current_database())
    ) as written
    from tape_head`.execute(db)
  const row = first(rows)
  return { isWritten: row.written, ageMs: row.n === 0n ? undefined : row.age }
}
