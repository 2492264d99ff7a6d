import type { Mode } from '#contract/trading/trading.ts'
import { first } from '#kernel/must.ts'
import { type Db, type Snapshot, sql } from '../platform/database/db.ts'
import { accountOf } from './account.ts'

/** A day whose trades were removed, except those that were still needed. */
export interface RemovedDay {
  /** `archived`: into files. `expired`: trades in demo, for which nothing is kept but what the checkpoints state. */
  kind: 'archived' | 'expired'
  /** YYYY-MM-DD, in UTC. */
  day: string
  trades: bigint
  /** sha256 over the id (8 bytes) and the leaf of each trade, in the order of the checkpoints. */
  leaves: Buffer
}

/** Returns the days whose trades were removed, oldest first. One whose demo trades expired may be archived later. */
export async function removedDays(db: Db | Snapshot): Promise<RemovedDay[]> {
  const { rows } = await sql<RemovedDay>`
    select 'archived' as kind, d.day::text as day, d.trades, d.leaves from archived_days d
    union all
    select 'expired', e.day::text, e.trades, e.leaves from expired_days e
    order by day, kind`.execute(db)
  return rows
}

/** Returns the ids of a day's expired trades, 8 bytes each, in the order of the checkpoints. */
export async function expiredIds(db: Db | Snapshot, day: string): Promise<Buffer> {
  const { rows } = await sql<{ trade_ids: Buffer }>`
    select trade_ids from expired_days where day = ${day}::date`.execute(db)
  return rows[0]?.trade_ids ?? Buffer.alloc(0)
}

/** SQL: the first UTC day (YYYY-MM-DD) from which on an account has all its trades; null if none was removed. */
export const completeFromSql = (accountId: string): string =>
  `(select ((s.last_at at time zone 'UTC')::date + 1)::text from archived_sums s where s.account_id = ${accountId})`

/** SQL: the removed trades of an account and what they brought, in cents, as JSON; null if none was. */
export const archivedTradesSql = (accountId: string): string =>
  `(select json_build_object('before', ${completeFromSql(accountId)}, 'trades', s.trades, 'result', s.result)
    from archived_sums s where s.account_id = ${accountId})`

/** Returns the first UTC day (YYYY-MM-DD) from which on a user has all their movements; undefined if none was removed. */
export async function completeFrom(db: Db, userId: bigint, mode: Mode): Promise<string | undefined> {
  const account = accountOf(userId, mode)
  const { rows } = await sql<{ day: string | null }>`
    select greatest(${sql.raw(completeFromSql(String(account)))}, (
      select ((s.last_at at time zone 'UTC')::date + 1)::text from expired_grant_sums s where s.account_id = ${account}
    )) as day`.execute(db)
  return rows[0]?.day ?? undefined
}

/** Returns the day after the newest archived one, and after the newest whose demo trades expired (YYYY-MM-DD). */
export async function removedBefore(db: Db | Snapshot): Promise<{ archived: string | null; expired: string | null }> {
  const { rows } = await sql<{ archived: string | null; expired: string | null }>`
    select (select max(day) + 1 from archived_days)::text as archived,
      (select max(day) + 1 from expired_days)::text as expired`.execute(db)
  return first(rows)
}
