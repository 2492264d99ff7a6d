import type { Mode } from '#contract/trading/trading.ts'
import { type Db, type Snapshot, sql } from '../platform/database/db.ts'
import { accountOf } from './account.ts'

/** A day whose trades are archived, except those that were still needed. */
interface ArchivedDay {
  /** YYYY-MM-DD, in UTC. */
  day: string
  trades: bigint
  /** sha256 over the id (8 bytes) and the leaf of each trade, in the order of the checkpoints. */
  leaves: Buffer
}

/** Returns the archived days, oldest first. */
export async function archivedDays(db: Db | Snapshot): Promise<ArchivedDay[]> {
  const { rows } = await sql<ArchivedDay>`
    select d.day::text as day, d.trades, d.leaves from archived_days d order by d.day`.execute(db)
  return rows
}

/** SQL: the first UTC day (YYYY-MM-DD) from which on an account has all its movements; null if none is archived. */
export const completeFromSql = (accountId: string): string =>
  `(select ((s.last_at at time zone 'UTC')::date + 1)::text from archived_sums s where s.account_id = ${accountId})`

/** SQL: the archived trades of an account and what they brought, in cents, as JSON; null if none is archived. */
export const archivedTradesSql = (accountId: string): string =>
  `(select json_build_object('before', ${completeFromSql(accountId)}, 'trades', s.trades, 'result', s.result)
    from archived_sums s where s.account_id = ${accountId})`

/** Returns the first UTC day (YYYY-MM-DD) from which on a user has all their movements; undefined if none is archived. */
export async function completeFrom(db: Db, userId: bigint, mode: Mode): Promise<string | undefined> {
  const { rows } = await sql<{ day: string | null }>`
    select ${sql.raw(completeFromSql(String(accountOf(userId, mode))))} as day`.execute(db)
  return rows[0]?.day ?? undefined
}

/** Returns the day after the newest archived one (YYYY-MM-DD); undefined if nothing is archived. */
export async function archivedBefore(db: Db | Snapshot): Promise<string | undefined> {
  const { rows } = await sql<{ day: string | null }>`select (max(day) + 1)::text as day from archived_days`.execute(db)
  return rows[0]?.day ?? undefined
}
