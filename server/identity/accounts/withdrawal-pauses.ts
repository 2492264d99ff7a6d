import { Problem } from '#contract/problem.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { IdentityDeps } from '../deps.ts'
import { forgetDevices } from '../sessions/known-device.ts'

/** A pause of a trader's withdrawals. The database refuses to request, approve or pay one meanwhile. */
interface WithdrawalPause {
  cause: 'email_changed' | 'disowned'
  since: Date
  /** Null: until the trader signs in with a password that they set by an e-mailed link. */
  until: Date | null
}

/** Pauses a trader's withdrawals; the database sets until when. The caller has locked the user's row. */
export const pauseWithdrawals = (tx: Tx, userId: bigint, cause: WithdrawalPause['cause']) =>
  tx.insertInto('withdrawal_pauses').values({ user_id: userId, cause }).execute()

/** Returns the pause in force that lasts longest, or undefined. */
export async function withdrawalPause(db: Db | Tx, userId: bigint): Promise<WithdrawalPause | undefined> {
  const { rows } = await sql<WithdrawalPause>`
    select cause, started_at as since, until from withdrawal_pauses
    where user_id = ${userId} and ended_at is null and coalesce(until, 'infinity') > clock_timestamp()
    order by until desc nulls first, started_at limit 1`.execute(db)
  return rows[0]
}

/** Throws `withdrawals_paused` while a trader's withdrawals are paused. The caller has locked the user's row. */
export async function refuseWithdrawalPause(db: Db | Tx, userId: bigint, asks: 'trader' | 'operator'): Promise<void> {
  const pause = await withdrawalPause(db, userId)
  if (!pause) return
  const until = pause.until && `until ${minute(pause.until)} UTC`
  const words =
    asks === 'trader'
      ? until
        ? `Your e-mail address has changed, so withdrawals are paused ${until}.`
        : 'Withdrawals are frozen because you reported that someone else used your account. Set a new password by e-mail and sign in with it.'
      : until
        ? `This trader's e-mail address has changed: their withdrawals are paused ${until}.`
        : 'This trader reported that someone else used their account: their withdrawals are frozen until they sign in with a new password.'
  throw new Problem('withdrawals_paused', words)
}

/**
 * The owner says that someone else is in the account: ends all sessions, and freezes withdrawals until they sign in with a
 * password that they set by an e-mailed link. The caller has locked the user's row, and proved the owner's mailbox.
 */
export async function disownSessions(
  deps: Pick<IdentityDeps, 'sessions' | 'notices'>,
  tx: Tx,
  userId: bigint,
): Promise<void> {
  await deps.sessions.end(tx, userId, 'disowned')
  // A device that was not theirs counts as a stranger's again, and the next sign-in from it is reported.
  await forgetDevices(tx, userId)
  // Another one even during a freeze: a password that was set before this report is no longer fresh.
  await pauseWithdrawals(tx, userId, 'disowned')
  await deps.notices.write(tx, {
    userId,
    kind: 'security',
    title: 'Your withdrawals are frozen',
    text: "You reported that someone else used your account, so we ended all sessions. Withdrawals continue once you've set a new password by e-mail and signed in with it.",
    path: '/user/security',
  })
}

/** The trader has set a new password by an e-mailed link: the next sign-in ends a freeze. */
export const noteFreshPassword = (tx: Tx, userId: bigint) =>
  sql`update withdrawal_pauses set reset_at = clock_timestamp()
    where user_id = ${userId} and until is null and reset_at is null and ended_at is null`.execute(tx)

/** The trader signs in: ends a freeze if the password is a fresh one. */
export const endFreeze = (tx: Tx, userId: bigint) =>
  sql`update withdrawal_pauses set ended_at = clock_timestamp()
    where user_id = ${userId} and reset_at is not null and ended_at is null`.execute(tx)

const minute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ')
