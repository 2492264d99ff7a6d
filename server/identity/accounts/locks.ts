import { LOCKS, type LockKind } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { setTradingLocked } from '../../ledger/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'

/** The locks that operators have set for a user. */
export type Locks = Record<LockKind, boolean>

export async function locksOf(db: Db | Tx, userId: bigint): Promise<Locks> {
  const rows = await db.selectFrom('user_locks').select('kind').where('user_id', '=', userId).execute()
  const kinds = new Set(rows.map((row) => row.kind))
  return Object.fromEntries(LOCKS.map((kind) => [kind, kinds.has(kind)])) as Locks
}

/** Whether an operator has locked deposits or withdrawals for a user. */
export async function isLocked(db: Db | Tx, userId: bigint, kind: 'deposits' | 'withdrawals'): Promise<boolean> {
  const row = await db
    .selectFrom('user_locks')
    .select('kind')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the locks of these kinds that an operator with these roles can't lift alone: another role set them. */
export async function locksOfOthers(
  db: Db | Tx,
  userId: bigint,
  kinds: readonly LockKind[],
  roles: readonly OperatorRole[],
): Promise<LockKind[]> {
  const { rows } = await sql<{ kind: LockKind }>`
    select kind from user_locks
    where user_id = ${userId} and kind::text = any(${kinds}) and not roles && ${roles}::text[]`.execute(db)
  return rows.map(({ kind }) => kind)
}

/**
 * Returns which of these users can't act now, and why, as text for them: their account is closed or about to be, or nobody
 * can sign in to it.
 */
export async function blockedUsers(tx: Tx, userIds: readonly bigint[]): Promise<Map<bigint, string>> {
  const { rows } = await sql<{ id: bigint; reason: string }>`
    select id, reason from (
      select u.id, case
        when u.ended_at is not null then 'This account is closed.'
        when u.sign_in_locked_at is not null then 'Sign-in to this account is locked. Contact support.'
        when exists (
          select from account_closures c where c.user_id = u.id and c.kept_at is null and c.closed_at is null
        ) then 'You are closing your account.'
      end as reason
      from users u where u.id = any (${userIds}::bigint[])
    ) found where reason is not null`.execute(tx)
  return new Map(rows.map(({ id, reason }) => [id, reason]))
}

interface LockChange {
  userId: bigint
  kind: LockKind
  locked: boolean
  operatorId: bigint
  reason: string
}

/** Sets or removes a lock. The caller holds the user's row lock. A sign-in lock doesn't end the user's sessions. */
export async function setLock(tx: Tx, { userId, kind, locked, operatorId, reason }: LockChange): Promise<void> {
  if (locked) {
    await tx
      .insertInto('user_locks')
      .values({ user_id: userId, kind, operator_id: operatorId, reason: reason.toWellFormed() })
      .execute()
  } else {
    // The database requires the role that set it, or an approved proposal.
    await tx.insertInto('lock_lifts').values({ user_id: userId, kind, operator_id: operatorId }).execute()
    await tx.deleteFrom('user_locks').where('user_id', '=', userId).where('kind', '=', kind).execute()
  }
  // Store each lock where it is read anyway: acceptance locks the account's row, sign-in the user's.
  if (kind === 'trading') await setTradingLocked(tx, userId, locked)
  if (kind === 'sign_in') {
    await tx
      .updateTable('users')
      .set({
        sign_in_locked_at: locked ? sql<Date>`clock_timestamp()` : null,
        sign_in_lock_reason: locked ? reason.toWellFormed() : null,
      })
      .where('id', '=', userId)
      .execute()
  }
}
