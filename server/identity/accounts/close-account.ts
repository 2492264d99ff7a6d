import type { Closure } from '#contract/account/closure.ts'
import { Problem } from '#contract/problem.ts'
import { first } from '#kernel/must.ts'
import { lockAccounts } from '../../ledger/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { RequestInfo, Who } from '../../platform/http/index.ts'
import { composeMail } from '../../platform/mail/index.ts'
import { type Loop, startLoop } from '../../platform/process/loop.ts'
import type { IdentityDeps } from '../deps.ts'
import { dropFactors } from '../factors/drop-factors.ts'
import { closedMail, closingMail } from '../mails.ts'
import { checkOwnPassword } from '../passwords/change-password.ts'
import { endTokens, issueToken, ownerOfToken, redeemToken } from '../passwords/one-time-token.ts'
import { endSignInLinks, forgetDevices } from '../sessions/known-device.ts'
import { requireStepUp } from '../sessions/step-up.ts'
import { type AccountRow, endGuests, findAccountById, lockAccountById, requireConfirmed } from './store.ts'

const POLL_MS = 60_000
const GUESTS_AT_ONCE = 100

/** Returns when an account closes, and what has to be settled first. */
export async function closureOf(deps: Pick<IdentityDeps, 'db' | 'obligations'>, userId: bigint): Promise<Closure> {
  const account = await findAccountById(deps.db, userId)
  if (!account) throw new Problem('unauthenticated', 'Please sign in.')
  return {
    due_at: (await openClosure(deps.db, userId))?.due_at.toISOString() ?? null,
    first: await leftToSettle(deps, deps.db, account),
  }
}

async function openClosure(db: Db | Tx, userId: bigint): Promise<{ id: bigint; due_at: Date } | undefined> {
  const { rows } = await sql<{ id: bigint; due_at: Date }>`
    select id, due_at from account_closures where user_id = ${userId} and kept_at is null and closed_at is null`.execute(
    db,
  )
  return rows[0]
}

async function leftToSettle(deps: Pick<IdentityDeps, 'obligations'>, db: Db | Tx, account: AccountRow) {
  const found = await deps.obligations(db, account.id)
  return account.plan_request === null
    ? found
    : [...found, 'Your plan request is open. Cancel it or wait for its answer.']
}

/**
 * Asks to close an account in 14 days. Asking again changes nothing. Throws `invalid_credentials`, `step_up_required`,
 * `email_not_confirmed`, and `wrong_state` while something has to be settled.
 */
export async function requestClosure(
  deps: IdentityDeps,
  who: Who,
  password: string,
  request: Pick<RequestInfo, 'stepUp' | 'fingerprint'>,
): Promise<Closure> {
  requireConfirmed(await checkOwnPassword(deps, who, password, 'password'), 'close the account')
  await requireStepUp(deps.db, who, request)
  await inTransaction(deps.db, async (tx) => {
    const account = await lockAccountById(tx, who.userId)
    if (!account) throw new Problem('unauthenticated', 'Please sign in.')
    const [left] = await leftToSettle(deps, tx, account)
    if (left !== undefined) throw new Problem('wrong_state', left)
    if (await openClosure(tx, account.id)) return
    const { rows } = await sql<{ due_at: Date }>`
      insert into account_closures (user_id) values (${account.id}) returning due_at`.execute(tx)
    const dueAt = first(rows).due_at
    await deps.sessions.end(tx, account.id, 'account_closed', { except: who.sessionId })
    await deps.stopAutomatic(tx, account.id, 'Stopped: you are closing your account.')
    const hash = await issueToken(tx, 'keep_account', account.id)
    await deps.mail.enqueue(tx, composeMail(closingMail(account.email, deps.publicUrl(), hash, dueAt), deps.brand))
    await deps.notices.write(tx, {
      userId: account.id,
      kind: 'security',
      title: 'Your account will be closed',
      text: `This happens on ${minute(dueAt)} UTC. You can keep it until then.`,
      path: '/user/account',
      quiet: true,
    })
  })
  return closureOf(deps, who.userId)
}

/** Keeps an account from a signed-in session. Throws `wrong_state`. */
export const keepAccount = (deps: Pick<IdentityDeps, 'db' | 'notices'>, userId: bigint): Promise<void> =>
  inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, userId)
    if (!(await keep(deps, tx, userId))) throw new Problem('wrong_state', "Your account isn't being closed.")
  })

/** Keeps an account by the e-mailed link. Throws `invalid_hash`. */
export const keepAccountByLink = (deps: Pick<IdentityDeps, 'db' | 'notices'>, hash: string): Promise<void> =>
  inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, await ownerOfToken(tx, 'keep_account', hash))
    await keep(deps, tx, await redeemToken(tx, 'keep_account', hash))
  })

async function keep({ notices }: Pick<IdentityDeps, 'notices'>, tx: Tx, userId: bigint): Promise<boolean> {
  const { rows } = await sql`
    update account_closures set kept_at = clock_timestamp()
    where user_id = ${userId} and kept_at is null and closed_at is null returning 1`.execute(tx)
  await endTokens(tx, userId, ['keep_account'])
  if (rows.length === 0) return false
  await notices.write(tx, {
    userId,
    kind: 'security',
    title: 'Your account stays open',
    text: 'It will not be closed.',
    path: '/user/account',
  })
  return true
}

/** Starts the loop that closes accounts after their 14 days, and guests' that nobody has kept. Several nodes may run it. */
export const startClosures = (deps: IdentityDeps): Loop =>
  startLoop('account closures', POLL_MS, deps.log, async () => {
    await closeDueAccounts(deps)
    await closeGuests(deps)
  })

/** Closes the accounts of guests that nobody has kept in time. Their sessions have ended by then. */
export async function closeGuests({ db, endActivity }: Pick<IdentityDeps, 'db' | 'endActivity'>): Promise<void> {
  for (let closed = GUESTS_AT_ONCE; closed === GUESTS_AT_ONCE; ) {
    closed = await inTransaction(db, async (tx) => {
      const ids = await endGuests(tx, GUESTS_AT_ONCE)
      for (const id of ids) {
        await endActivity(tx, id)
        await eraseScreens(tx, id)
      }
      return ids.length
    })
  }
}

/** Closes the accounts whose 14 days are over. One that isn't empty any more stays open. */
async function closeDueAccounts(deps: IdentityDeps): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ user_id: bigint }>`
      select user_id from account_closures where kept_at is null and closed_at is null and due_at <= (select clock_timestamp())
      order by due_at limit 1`.execute(deps.db)
    const [due] = rows
    if (!due) return
    await inTransaction(deps.db, (tx) => closeOne(deps, tx, due.user_id))
  }
}

async function closeOne(deps: IdentityDeps, tx: Tx, userId: bigint): Promise<void> {
  const account = await lockAccountById(tx, userId)
  const closure = await openClosure(tx, userId)
  // Another node has closed it, or the trader has kept it.
  if (!account || !closure) return
  // Orders that are being accepted come first, and are among what has to be settled.
  await lockAccounts(tx, userId)
  if ((await leftToSettle(deps, tx, account)).length > 0) {
    await keep(deps, tx, userId)
    return
  }
  await sql`update account_closures set closed_at = clock_timestamp() where id = ${closure.id}`.execute(tx)
  await deps.mail.enqueue(tx, composeMail(closedMail(account.email), deps.brand))
  await deps.sessions.end(tx, userId, 'account_closed')
  await deps.endActivity(tx, userId)
  await eraseAtOnce(deps, tx, userId)
}

/**
 * Ends the account, and erases what no law asks to keep: how it signs in, its picture, phone and gender, its screens.
 * Name, address, birth date, address of e-mail and documents are kept for as long as the retention rules say.
 */
async function eraseAtOnce(deps: IdentityDeps, tx: Tx, userId: bigint): Promise<void> {
  const { rows } = await sql<{ avatar: string | null }>`
    select avatar from users where id = ${userId}`.execute(tx)
  await tx
    .updateTable('users')
    .set({ ended_at: sql`clock_timestamp()`, password_hash: '', avatar: null, phone: '', gender: '' })
    .where('id', '=', userId)
    .execute()
  await endTokens(tx, userId, [
    ...(['onboarding', 'confirm_email', 'reset_password', 'stop_factor_reset'] as const),
    ...(['change_email', 'new_email', 'disown_sign_in', 'keep_account'] as const),
  ])
  await endSignInLinks(tx, userId)
  await dropFactors(tx, userId)
  await forgetDevices(tx, userId)
  await eraseScreens(tx, userId)
  await deps.kyc.supersedeChecksOf(tx, userId)
  const avatar = first(rows).avatar
  if (avatar !== null) tx.afterCommit(() => deps.deleteFile(avatar))
}

/** Erases charts, presets and what else was chosen on the screens. */
async function eraseScreens(tx: Tx, userId: bigint): Promise<void> {
  await tx.deleteFrom('charts').where('user_id', '=', userId).execute()
  await tx.deleteFrom('screen_choices').where('user_id', '=', userId).execute()
}

const minute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ')
