import type { z } from 'zod/mini'
import type { EmailChange, emailChangeCalls } from '#contract/account/email-change.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { first } from '#kernel/must.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { RequestInfo, Who } from '../../platform/http/index.ts'
import { composeMail } from '../../platform/mail/index.ts'
import type { IdentityDeps } from '../deps.ts'
import { changeEmailMail, emailChangedMail, newEmailMail } from '../mails.ts'
import { checkOwnPassword } from '../passwords/change-password.ts'
import { endTokens, findToken, issueToken, redeemToken } from '../passwords/one-time-token.ts'
import { endSignInLinks } from '../sessions/known-device.ts'
import { requireStepUp } from '../sessions/step-up.ts'
import { endOthers } from './confirm-email.ts'
import { isGuestAddress } from './guests.ts'
import { alreadyExists, lockReplaceable, setAside } from './register.ts'
import { type AccountRow, findAccountByEmail, lockAccountById, lockAddress, requireConfirmed } from './store.ts'
import { disownSessions, pauseWithdrawals } from './withdrawal-pauses.ts'

/** Tokens of the two e-mails: to the old address, and to the new one. */
const SIDES = ['change_email', 'new_email'] as const

interface ChangeRow {
  id: bigint
  session_id: bigint
  new_email: string
  expires_at: Date
  old_confirmed_at: Date | null
  new_confirmed_at: Date | null
}

/** Returns the change of an account's address that waits for confirmations; undefined if there is none. */
async function openChange(db: Db | Tx, userId: bigint): Promise<ChangeRow | undefined> {
  const { rows } = await sql<ChangeRow>`
    select id, session_id, new_email, expires_at, old_confirmed_at, new_confirmed_at from email_changes
    where user_id = ${userId} and outcome is null and expires_at > clock_timestamp()`.execute(db)
  return rows[0]
}

/** Returns the change that waits, as its owner sees it. */
export async function emailChangeOf(db: Db, userId: bigint): Promise<EmailChange | null> {
  const row = await openChange(db, userId)
  return row ? toEmailChange(row) : null
}

const toEmailChange = (row: ChangeRow): EmailChange => ({
  email: row.new_email,
  expires_at: row.expires_at.toISOString(),
  old_confirmed: row.old_confirmed_at !== null,
  new_confirmed: row.new_confirmed_at !== null,
})

/**
 * Starts a change of address, and e-mails a link to both addresses. The same address again e-mails the links again;
 * another one replaces the change. Throws `invalid_credentials`, `step_up_required`, `email_not_confirmed`,
 * `already_exists`.
 */
export async function requestEmailChange(
  deps: IdentityDeps,
  who: Who,
  { email, password }: z.infer<(typeof emailChangeCalls)['POST /auth/email-change']['body']>,
  request: Pick<RequestInfo, 'stepUp' | 'fingerprint'>,
): Promise<EmailChange> {
  const checked = await checkOwnPassword(deps, who, password, 'password')
  requireConfirmed(checked, 'change it')
  if (isGuestAddress(email)) throw fieldProblem('email', 'is invalid')
  if (email.toLowerCase() === checked.email.toLowerCase()) throw fieldProblem('email', 'is your address already')
  await requireStepUp(deps.db, who, request)
  return inTransaction(deps.db, async (tx) => {
    const account = await lockAccountById(tx, who.userId)
    if (!account || account.email !== checked.email || account.password_hash !== checked.password_hash)
      throw new Problem('unauthenticated', 'Please sign in.')
    if ((await findAccountByEmail(tx, email))?.email_confirmed_at) throw alreadyExists()
    const change = await beginChange(tx, who, account.email, email)
    await mailLinks(deps, tx, account, change)
    return toEmailChange(change)
  })
}

/** Returns the open change to this address. A change to another one ends. */
async function beginChange(tx: Tx, { userId, sessionId }: Who, oldEmail: string, newEmail: string): Promise<ChangeRow> {
  const open = await openChange(tx, userId)
  if (open?.new_email === newEmail && open.session_id === sessionId) return open
  await endChange(tx, userId, 'Replaced')
  const { rows } = await sql<ChangeRow>`
    insert into email_changes (user_id, session_id, old_email, new_email)
    values (${userId}, ${sessionId}, ${oldEmail}, ${newEmail})
    returning id, session_id, new_email, expires_at, old_confirmed_at, new_confirmed_at`.execute(tx)
  return first(rows)
}

/** Ends a user's open change, expired or not, and its links. Returns whether there was one. */
export async function endChange(tx: Tx, userId: bigint, outcome: 'Done' | 'Cancelled' | 'Disowned' | 'Replaced') {
  const { rows } = await sql`
    update email_changes set outcome = ${outcome}, ended_at = clock_timestamp()
    where user_id = ${userId} and outcome is null returning 1`.execute(tx)
  await endTokens(tx, userId, SIDES)
  return rows.length > 0
}

/** E-mails a link to each address that hasn't confirmed yet. */
async function mailLinks(deps: IdentityDeps, tx: Tx, account: AccountRow, change: ChangeRow): Promise<void> {
  const url = deps.publicUrl()
  if (change.old_confirmed_at === null) {
    const hash = await issueToken(tx, 'change_email', account.id)
    await deps.mail.enqueue(tx, composeMail(changeEmailMail(account.email, url, hash), deps.brand))
  }
  if (change.new_confirmed_at === null) {
    const hash = await issueToken(tx, 'new_email', account.id)
    await deps.mail.enqueue(tx, composeMail(newEmailMail(change.new_email, url, hash), deps.brand))
  }
}

/** Cancels the open change. Throws `wrong_state`. */
export async function cancelEmailChange(deps: Pick<IdentityDeps, 'db'>, userId: bigint): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, userId)
    if (!(await openChange(tx, userId)) || !(await endChange(tx, userId, 'Cancelled')))
      throw new Problem('wrong_state', 'There is no change of your address to cancel.')
  })
}

/** Returns the new address of a link, and where the link was mailed. Throws `invalid_hash`. */
export async function emailChangeDetails({ db }: Pick<IdentityDeps, 'db'>, hash: string) {
  const { purpose, userId } = await findToken(db, SIDES, hash)
  const change = await openChange(db, userId)
  if (!change) throw expired()
  return { email: change.new_email, mailed_to: purpose === 'change_email' ? ('old' as const) : ('new' as const) }
}

/**
 * Confirms a change by a link, and makes it once both addresses have confirmed. Returns whether the address has changed.
 * Throws `invalid_hash`, and `already_exists` if someone has confirmed the new address meanwhile.
 */
export const confirmEmailChange = (deps: IdentityDeps, hash: string): Promise<boolean> =>
  inTransaction(deps.db, async (tx) => {
    const { purpose, userId } = await findToken(tx, SIDES, hash)
    const seen = await openChange(tx, userId)
    if (!seen) throw expired()
    // In the order of registrations: the address first.
    await lockAddress(tx, seen.new_email)
    const account = await lockAccountById(tx, userId)
    await redeemToken(tx, purpose, hash)
    const change = await openChange(tx, userId)
    if (!account || change?.id !== seen.id) throw expired()
    const column = purpose === 'change_email' ? 'old_confirmed_at' : 'new_confirmed_at'
    await tx
      .updateTable('email_changes')
      .set({ [column]: sql`coalesce(${sql.ref(column)}, clock_timestamp())` })
      .where('id', '=', change.id)
      .execute()
    const isDone = (purpose === 'change_email' ? change.new_confirmed_at : change.old_confirmed_at) !== null
    if (isDone) await makeChange(deps, tx, account, change)
    return isDone
  })

/** Makes a change that both addresses have confirmed. The old address loses all that was mailed to it. */
async function makeChange(deps: IdentityDeps, tx: Tx, account: AccountRow, change: ChangeRow): Promise<void> {
  const { id: userId, email: oldEmail } = account
  // An account that nobody confirmed gives way to the owner of the mailbox.
  const other = await lockReplaceable(deps, tx, change.new_email)
  if (other) await setAside(deps, tx, other.id)
  await endChange(tx, userId, 'Done')
  await pauseWithdrawals(tx, userId, 'email_changed')
  await tx
    .updateTable('users')
    .set({ email: change.new_email, email_confirmed_at: sql`clock_timestamp()` })
    .where('id', '=', userId)
    .execute()
  await endTokens(tx, userId, ['onboarding', 'confirm_email', 'reset_password', 'disown_sign_in'])
  await endSignInLinks(tx, userId)
  await endOthers(deps, tx, { id: userId, email: change.new_email })
  await deps.sessions.end(tx, userId, 'email_changed', { except: change.session_id })
  await deps.guardrails.mailboxChanged(tx, userId)
  for (const to of [oldEmail, change.new_email])
    await deps.mail.enqueue(tx, composeMail(emailChangedMail(to), deps.brand))
  await deps.notices.write(tx, {
    userId,
    kind: 'security',
    title: 'Your e-mail address was changed',
    text: 'Sign in with the new address from now on. Withdrawals are paused for 24 hours.',
    path: '/user/security',
    quiet: true,
  })
}

/**
 * 'This wasn't me': cancels the change. From the old address, the owner says that someone else has their password: all
 * sessions end, and withdrawals are frozen. Throws `invalid_hash`.
 */
export const disownEmailChange = (deps: IdentityDeps, hash: string): Promise<{ signedOut: boolean }> =>
  inTransaction(deps.db, async (tx) => {
    const { purpose, userId } = await findToken(tx, SIDES, hash)
    await lockAccountById(tx, userId)
    await redeemToken(tx, purpose, hash)
    await endChange(tx, userId, 'Disowned')
    const signedOut = purpose === 'change_email'
    if (signedOut) await disownSessions(deps, tx, userId)
    return { signedOut }
  })

const expired = () => new Problem('invalid_hash', 'This link has expired, or was used already.')
