import { Problem } from '#contract/problem.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import { currentCheck } from './store.ts'
import type { KycDeps } from './submit.ts'

/** Fields that an ID proves. Changing any of these after an approval triggers another check. */
type ProvenField = 'firstname' | 'lastname' | 'date_of_birth' | 'country'

/**
 * Reopens an approved identity check after a change of a field that it proves: the same document is Pending again, with
 * the previous values for the operator, and withdrawals are held until compliance decides. The caller holds the user's
 * row lock.
 */
export async function reopenCheck(
  deps: Pick<KycDeps, 'push' | 'notices'>,
  tx: Tx,
  userId: bigint,
  changedFrom: Partial<Record<ProvenField, string>>,
): Promise<void> {
  const check = await currentCheck(tx, userId)
  if (!check) return
  if (check.status === 'Pending' && check.changedFrom !== null) {
    // Changed again while pending: the operator compares with the approved values.
    const all = { ...changedFrom, ...check.changedFrom }
    await sql`update identity_checks set changed_from = ${JSON.stringify(all)}::jsonb where id = ${check.id}`.execute(
      tx,
    )
    return
  }
  if (check.status !== 'Approved') return
  await sql`update identity_checks set superseded_at = clock_timestamp(), file = null where id = ${check.id}`.execute(
    tx,
  )
  await sql`
    insert into identity_checks (user_id, kind, method, file, changed_from, holds_withdrawals)
    values (${userId}, 'identity', ${check.method}, ${check.file}, ${JSON.stringify(changedFrom)}::jsonb, true)`.execute(
    tx,
  )
  deps.push.afterCommit(tx, userId, { op: 'verification', data: { kind: 'identity', status: 'Pending' } })
  await deps.notices.write(tx, {
    userId,
    kind: 'verification',
    title: "We're checking your identity again",
    text: "You changed your name, date of birth or country. Withdrawals are on hold until we've confirmed the change.",
    path: '/user/verify',
  })
}

/** Whether withdrawals are held because an approved identity check was reopened. */
export async function isIdentityReopened(db: Db | Tx, userId: bigint): Promise<boolean> {
  const check = await currentCheck(db, userId)
  return check?.holdsWithdrawals === true && check.status !== 'Approved'
}

/**
 * Throws `identity_required` for requesting, approving or paying a withdrawal while an approved identity check is
 * reopened.
 */
export async function refuseReopenedIdentity(tx: Db | Tx, userId: bigint, asks: 'trader' | 'operator'): Promise<void> {
  if (!(await isIdentityReopened(tx, userId))) return
  throw new Problem(
    'identity_required',
    asks === 'trader'
      ? "You changed your name, date of birth or country. You can withdraw again once we've confirmed the change."
      : 'This trader changed their name, date of birth or country. Compliance must confirm the change first.',
  )
}
