import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'

/** The open trades of the whole installation. */
interface Backlog {
  open: number
  /** Those whose end has passed: they wait for settlement. */
  due: number
  /** How long ago the oldest of them ended; 0 if there are none. */
  oldestDueMs: number
}

/** Counting stops here, so that monitoring costs little however many trades are open. */
const COUNT_MAX = 200_000

/** Counts open and due trades, up to 200,000. */
export async function tradeBacklog(db: Db, now: Ms): Promise<Backlog> {
  const { rows } = await sql<{ open: number; due: number; oldest: bigint | null }>`
    select (select count(*)::int from (select from trades where status = 'Pending' limit ${COUNT_MAX}) o) as open,
      count(*)::int as due, min(end_time) as oldest
    from (select end_time from trades where status = 'Pending' and end_time <= ${now} limit ${COUNT_MAX}) d`.execute(db)
  const { open, due, oldest } = first(rows)
  return { open, due, oldestDueMs: oldest === null ? 0 : Math.max(0, now - Number(oldest)) }
}
