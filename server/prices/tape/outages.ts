import { MINUTE_MS, type Ms } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'

/** A time without any published price. */
interface Outage {
  from: Ms
  /** Null while it lasts. */
  to: Ms | null
}

/**
 * Returns when the tape had no frame for whole minutes since a time, newest first. The tape has a row for each closed
 * minute with frames; the newest minutes are not closed yet, so an outage that lasts is seen by the newest frame.
 */
export async function outagesSince(db: Db, since: Ms, limit: number): Promise<Outage[]> {
  const { rows } = await sql<{ from: bigint; to: bigint | null }>`
    with minutes as (
      select minute, lead(minute) over (order by minute) as next from tape_minutes where minute >= ${since}
    ), head as (
      select t, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now from tape_head
    )
    select minute + ${MINUTE_MS} as from, next as to from minutes where next > minute + ${MINUTE_MS}
    union all
    select t, null from head where t > 0 and t < now - ${MINUTE_MS}
    order by 1 desc limit ${limit}`.execute(db)
  return rows.map((row) => ({ from: Number(row.from), to: row.to === null ? null : Number(row.to) }))
}

/** A change of several symbols from one kind of prices to another, within one minute. */
interface SourceChange {
  at: Ms
  was: number
  is: number
  symbolIds: number[]
}

/** Returns when symbols changed from one kind of prices to another since a time, newest first. */
export async function sourceChangesSince(db: Db, since: Ms, limit: number): Promise<SourceChange[]> {
  const { rows } = await sql<{ at: bigint; was: number; is: number; symbols: number[] }>`
    select min(source_ms) as at, was, kind as is, array_agg(symbol_id order by symbol_id) as symbols
    from (
      select symbol_id, source_ms, kind, lag(kind) over (partition by symbol_id order by source_ms) as was from tape_kinds
    ) k
    where was <> kind and source_ms >= ${since} group by was, kind, source_ms / ${sql.raw(String(MINUTE_MS))}
    order by 1 desc limit ${limit}`.execute(db)
  return rows.map((row) => ({ at: Number(row.at), was: row.was, is: row.is, symbolIds: row.symbols }))
}
