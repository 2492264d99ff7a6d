import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'

/**
 * Returns the tape's stored minutes of [from, to) as JSON text, `[[time, open, high, low, close, entry, exit], …]` in
 * units: text, so that a worker thread can parse it. The newest quarter of an hour isn't stored yet (`Tape.closedCandles` has it).
 */
export async function storedMinutes(db: Db, symbolId: number, from: Ms, to: Ms): Promise<string> {
  const { rows } = await sql<{ minutes: string | null }>`
    select json_agg(json_build_array(minute, open, high, low, close, entry, exit) order by minute)::text as minutes
    from candles where symbol_id = ${symbolId} and minute >= ${from} and minute < ${to}`.execute(db)
  return rows[0]?.minutes ?? '[]'
}

/** Returns the range of the stored minutes; undefined if there are none yet. */
export async function storedRange(db: Db): Promise<{ from: Ms; to: Ms } | undefined> {
  const { rows } = await sql<{ from: bigint | null; to: bigint | null }>`
    select min(minute) as "from", max(minute) + 60000 as "to" from tape_minutes`.execute(db)
  const { from, to } = first(rows)
  return from === null || to === null ? undefined : { from: Number(from), to: Number(to) }
}
