import { first } from '#kernel/must.ts'
import { isAnythingOwed } from '../../ledger/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { startLoop } from '../../platform/process/loop.ts'
import { type ProofKey, publishKey } from '../keys/key.ts'
import { makeSolvencyStatement } from './solvency.ts'

const LOOK_MS = 15_000
/** How often it checks, before the first statement, whether anything is owed to traders. */
const FIRST_LOOK_MS = 300_000

/** Makes a statement of solvency after midnight UTC and on demand, on the engine that writes the tape. */
export function startSolvency({
  db,
  log,
  key,
  leads,
  production,
  lookMs = LOOK_MS,
}: {
  db: Db
  log: Log
  key: ProofKey
  /** Whether this node writes the tape. */
  leads(): boolean
  /** Whether play money is no equity. */
  production: boolean
  lookMs?: number
}): { stop(): Promise<void> } {
  let askAt = 0
  return startLoop('solvency', lookMs, log, async () => {
    if (!leads()) return
    const { due, first } = await isDue(db)
    if (!due) {
      if (!first || performance.now() < askAt) return
      askAt = performance.now() + FIRST_LOOK_MS
      if (!(await isAnythingOwed(db))) return
    }
    if (await publishKey(db, key)) await makeSolvencyStatement(db, key, production)
  })
}

/** Whether a statement is requested, or the newest is of a day before or has no entries; `first`: there is none yet. */
async function isDue(db: Db): Promise<{ due: boolean; first: boolean }> {
  const { rows } = await sql<{ due: boolean; first: boolean }>`
    select case when s.t is null then r.requested_at is not null
      else coalesce(date_trunc('milliseconds', r.requested_at) > to_timestamp(s.t / 1000.0), false)
        or s.entries is null or to_timestamp(s.t / 1000.0) at time zone 'UTC' < date_trunc('day', clock_timestamp() at time zone 'UTC')
      end as due, s.t is null as first
    from (select) one
      left join lateral (select t, entries from solvency_statements order by number desc limit 1) s on true
      left join solvency_requests r on true`.execute(db)
  return first(rows)
}

/** Requests a statement. */
export async function requestSolvencyStatement(db: Db | Tx): Promise<void> {
  await sql`
    insert into solvency_requests (requested_at) values (clock_timestamp())
    on conflict (only_row) do update set requested_at = excluded.requested_at`.execute(db)
}

/** Returns the number of the newest statement that was made since a request; undefined while there is none. */
export async function solvencyStatementSinceRequest(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`
    select s.number from solvency_statements s, solvency_requests r
    where to_timestamp(s.t / 1000.0) >= date_trunc('milliseconds', r.requested_at) order by s.number desc limit 1`.execute(
    db,
  )
  return rows[0]?.number
}
