import { LOCKS, type LockKind } from '#contract/desk/terms.ts'
import type { DeskUser, DeskUserPicture } from '#contract/desk/users.ts'
import { type Db, sql, type Tx } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { refuseOwn } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { isoOf, type List } from '../lists/read.ts'
import { lockUserOf } from './user-of.ts'

export type Locks = DeskUser['locks']

export interface SetLocks {
  /** Locks that are omitted don't change. */
  locks: { [kind in LockKind]?: boolean | undefined }
  reason: string
}

const IN_WORDS: Record<LockKind, string> = {
  trading: 'trading',
  deposits: 'deposits',
  withdrawals: 'withdrawals',
  sign_in: 'sign-in',
}

/**
 * Locks or unlocks trading, deposits, withdrawals or sign-in for a user. A trading lock applies from the next
 * submission; a sign-in lock ends the user's sessions and sockets at once. Throws `not_found`, `own_item`.
 */
export function setLocks(
  deps: Pick<DeskDeps, 'db' | 'notices' | 'sessions'>,
  who: WhoOperates,
  uncheckedUser: string,
  { locks, reason }: SetLocks,
): Promise<Locks> {
  return audited(deps.db, who, async (tx) => {
    const user = await lockUserOf(tx, uncheckedUser)
    refuseOwn(who, user.email)
    const before = await locksOf(tx, user.id)
    const changed = LOCKS.filter((kind) => locks[kind] !== undefined && locks[kind] !== before[kind])
    const after = { ...before }
    for (const kind of changed) {
      after[kind] = locks[kind]!
      await setLock(tx, who, user.id, kind, after[kind], reason)
    }
    if (changed.includes('sign_in') && after.sign_in) await deps.sessions.end(tx, user.id, 'sign_in_locked')
    const closed = changed.filter((kind) => after[kind])
    const opened = changed.filter((kind) => !after[kind])
    if (closed.length > 0)
      await deps.notices.write(tx, {
        userId: user.id,
        kind: 'account',
        title: `We have closed ${listed(closed)} for your account`,
        text: `The reason: ${reason} Please contact our support.`,
      })
    if (opened.length > 0)
      await deps.notices.write(tx, {
        userId: user.id,
        kind: 'account',
        title: `Your account is open again for ${listed(opened)}`,
        text: 'Everything works as before.',
      })
    return {
      answer: after,
      deed: {
        action: 'locks',
        item: { kind: 'users', id: uncheckedUser },
        userId: user.id,
        before,
        after,
        why: reason,
      },
    }
  })
}

async function setLock(
  tx: Tx,
  who: WhoOperates,
  userId: bigint,
  kind: LockKind,
  locked: boolean,
  reason: string,
): Promise<void> {
  if (locked) {
    await tx
      .insertInto('user_locks')
      .values({ user_id: userId, kind, operator_id: who.operatorId, reason: reason.toWellFormed() })
      .execute()
  } else await tx.deleteFrom('user_locks').where('user_id', '=', userId).where('kind', '=', kind).execute()
  // Store each lock where it is read anyway: acceptance locks the account's row, sign-in the user's.
  if (kind === 'trading')
    await sql`update accounts set trading_locked = ${locked} where id in (${userId * 2n}, ${userId * 2n + 1n})`.execute(
      tx,
    )
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

async function locksOf(db: Db | Tx, userId: bigint): Promise<Locks> {
  const rows = await db.selectFrom('user_locks').select('kind').where('user_id', '=', userId).execute()
  const kinds = new Set(rows.map((row) => row.kind))
  return {
    trading: kinds.has('trading'),
    deposits: kinds.has('deposits'),
    withdrawals: kinds.has('withdrawals'),
    sign_in: kinds.has('sign_in'),
  }
}

/** Whether deposits or withdrawals are locked for a user. The cashier calls it. */
export async function isLocked(db: Db | Tx, userId: bigint, kind: 'deposits' | 'withdrawals'): Promise<boolean> {
  const row = await db
    .selectFrom('user_locks')
    .select('kind')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return row !== undefined
}

export interface LockRow {
  kind: LockKind
  operator_id: string
  email: string
  reason: string
  at: string
}

/** Selects a user's locks with who set them, when and why. */
export const lockRows = (userId: bigint): List<LockRow> => sql`
  select l.kind, l.operator_id::text, o.email, l.reason, l.at from user_locks l join operators o on o.id = l.operator_id
  where l.user_id = ${userId} order by l.at`

export const toLockReason = (row: LockRow): DeskUserPicture['lock_reasons'][number] => ({ ...row, at: isoOf(row.at) })

const listed = (kinds: readonly LockKind[]): string =>
  new Intl.ListFormat('en').format(kinds.map((kind) => IN_WORDS[kind]))
