import type { DeskUserPicture } from '#contract/desk/people/users.ts'
import { LOCKS, type LockKind } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { type Locks, locksOf, locksOfOthers, setLock } from '../../identity/index.ts'
import { sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { refuseOwn } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { isoOf, type List } from '../lists/read.ts'
import { lockUserOf } from './user-of.ts'

interface SetLocks {
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
  userId: bigint,
  { locks, reason }: SetLocks,
): Promise<Locks> {
  return audited(deps.db, who, async (tx) => {
    const user = await lockUserOf(tx, userId)
    refuseOwn(who, user.email)
    const lifted = LOCKS.filter((kind) => locks[kind] === false)
    const [other] = await locksOfOthers(tx, user.id, lifted, who.roles)
    if (other !== undefined)
      throw new Problem(
        'second_person_required',
        `Another role locked ${IN_WORDS[other]}. Propose to unlock it; a second operator decides.`,
      )
    const change = { userId: user.id, locks, reason, operatorId: who.operatorId }
    const { before, after } = await changeLocks(deps, tx, change)
    return {
      answer: after,
      entry: {
        action: 'locks',
        item: { kind: 'users', id: String(userId) },
        userId: user.id,
        before,
        after,
        why: reason,
      },
    }
  })
}

/** Changes locks of a user whose row the caller has locked, and notifies the user. */
export async function changeLocks(
  deps: Pick<DeskDeps, 'notices' | 'sessions'>,
  tx: Tx,
  { userId, locks, reason, operatorId }: SetLocks & { userId: bigint; operatorId: bigint },
): Promise<{ before: Locks; after: Locks }> {
  const before = await locksOf(tx, userId)
  const changed = LOCKS.filter((kind) => locks[kind] !== undefined && locks[kind] !== before[kind])
  const after = { ...before }
  for (const kind of changed) {
    after[kind] = must(locks[kind])
    await setLock(tx, { userId, kind, locked: after[kind], operatorId, reason })
  }
  if (changed.includes('sign_in') && after.sign_in) await deps.sessions.end(tx, userId, 'sign_in_locked')
  const closed = changed.filter((kind) => after[kind])
  const opened = changed.filter((kind) => !after[kind])
  if (closed.length > 0)
    await deps.notices.write(tx, {
      userId,
      kind: 'account',
      title: `We've locked ${listed(closed)} on your account`,
      text: `Reason: ${reason} Contact support if you have questions.`,
    })
  if (opened.length > 0)
    await deps.notices.write(tx, {
      userId,
      kind: 'account',
      title: `We've unlocked ${listed(opened)} on your account`,
      text: 'No action is needed.',
    })
  return { before, after }
}

interface LockRow {
  kind: LockKind
  operator_id: string
  email: string
  reason: string
  at: string
  roles: OperatorRole[]
}

/** Selects a user's locks with who set them, when and why. */
export const lockRows = (userId: bigint): List<LockRow> => sql`
  select l.kind, l.operator_id::text, o.email, l.reason, l.at, l.roles from user_locks l join operators o on o.id = l.operator_id
  where l.user_id = ${userId} order by l.at`

export const toLockReason = (row: LockRow): DeskUserPicture['lock_reasons'][number] => ({ ...row, at: isoOf(row.at) })

const listed = (kinds: readonly LockKind[]): string =>
  new Intl.ListFormat('en').format(kinds.map((kind) => IN_WORDS[kind]))
