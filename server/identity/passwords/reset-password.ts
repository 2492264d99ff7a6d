import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod/mini'
import type { ResetPasswordBody } from '#contract/account/auth.ts'
import { Problem } from '#contract/problem.ts'
import { inTransaction, sql } from '../../platform/database/db.ts'
import { networkOf } from '../../platform/http/limits/network.ts'
import { composeMail } from '../../platform/mail/index.ts'
import { type Loop, startLoop } from '../../platform/process/loop.ts'
import { findAccountById, lockAccountByEmail, lockAccountById, setPasswordHash } from '../accounts/store.ts'
import { noteFreshPassword } from '../accounts/withdrawal-pauses.ts'
import type { IdentityDeps } from '../deps.ts'
import { passwordChangedMail, resetMail, signInLinkMail } from '../mails.ts'
import { issueSignInLink } from '../sessions/known-device.ts'
import { countTokens, endTokens, issueToken, ownerOfToken, redeemToken } from './one-time-token.ts'

const ANSWER_AFTER_MS = 150
/** Once this many reset links work, the owner has one, even if strangers asked: another isn't sent. */
const RESET_LINKS_MAX = 5
/** Requests wake the worker. This interval is for wake-ups that were lost, and for requests from before the start. */
const POLL_MS = 10_000

/**
 * Records a request for a reset link. Known and unknown addresses cost the same: one row, and a response after a fixed
 * delay. `startResetWorker` later looks up whether there is an account.
 */
export async function askForReset(
  deps: Pick<IdentityDeps, 'db' | 'limits' | 'wakeResets'>,
  email: string,
  from: { ip: string },
): Promise<void> {
  deps.limits.mails.reset.take(`${email.toLowerCase()} ${networkOf(from.ip)}`)
  await deps.db.insertInto('reset_requests').values({ email }).execute()
  deps.wakeResets()
  await sleep(ANSWER_AFTER_MS)
}

/** Queues an e-mailed sign-in link. Known and unknown addresses cost the same; a worker looks up the account. */
export async function askForSignInLink(
  deps: Pick<IdentityDeps, 'db' | 'limits' | 'wakeResets'>,
  email: string,
): Promise<void> {
  try {
    deps.limits.signInLinks.take(email.toLowerCase())
  } catch {
    return
  }
  await deps.db.insertInto('reset_requests').values({ email, kind: 'sign_in' }).execute()
  deps.wakeResets()
}

/** Starts the worker for queued requests: it e-mails the link if the address has an account, and drops the rest. */
export function startResetWorker(deps: Pick<IdentityDeps, 'db' | 'log' | 'mail' | 'publicUrl' | 'brand'>): Loop {
  return startLoop('resets', POLL_MS, deps.log, async () => {
    while (await answerOneRequest(deps));
  })
}

const answerOneRequest = (deps: Pick<IdentityDeps, 'db' | 'mail' | 'publicUrl' | 'brand'>): Promise<boolean> =>
  inTransaction(deps.db, async (tx) => {
    const { rows } = await sql<{ email: string; kind: string }>`
      delete from reset_requests where id = (select min(id) from reset_requests) returning email, kind`.execute(tx)
    if (!rows[0]) return false
    const account = await lockAccountByEmail(tx, rows[0].email)
    if (account && rows[0].kind === 'sign_in') {
      const link = await issueSignInLink(tx, { userId: account.id })
      if (link === undefined) return true
      await deps.mail.enqueue(
        tx,
        composeMail(signInLinkMail(account.email, `${deps.publicUrl()}/auth/signin?link=${link}`), deps.brand),
      )
    } else if (account && (await countTokens(tx, 'reset_password', account.id)) < RESET_LINKS_MAX) {
      const hash = await issueToken(tx, 'reset_password', account.id)
      await deps.mail.enqueue(tx, composeMail(resetMail(account.email, deps.publicUrl(), hash), deps.brand))
    }
    return true
  })

/** Returns the address of a reset link. Throws `invalid_hash`. */
export async function resetDetails(deps: Pick<IdentityDeps, 'db'>, hash: string): Promise<{ email: string }> {
  const account = await findAccountById(deps.db, await ownerOfToken(deps.db, 'reset_password', hash))
  if (!account) throw new Problem('invalid_hash', 'This link has expired. Request a new one.')
  return { email: account.email }
}

/** Sets a new password through a single-use link and ends every session. Throws `invalid_hash`. */
export async function resetPassword(deps: IdentityDeps, form: z.infer<typeof ResetPasswordBody>): Promise<void> {
  // Check before the expensive hash, so that fake links cost nothing.
  const owner = await ownerOfToken(deps.db, 'reset_password', form.hash)
  const { email } = (await findAccountById(deps.db, owner)) ?? { email: '' }
  await deps.passwords.rejectCommon(form.password, [deps.brand, email])
  const passwordHash = await deps.passwords.hash(form.password)
  await inTransaction(deps.db, async (tx) => {
    const account = await lockAccountById(tx, owner)
    await redeemToken(tx, 'reset_password', form.hash)
    await setPasswordHash(tx, owner, passwordHash)
    await noteFreshPassword(tx, owner)
    await endTokens(tx, owner, ['reset_password', 'onboarding'])
    if (account?.email_confirmed_at)
      await deps.mail.enqueue(tx, composeMail(passwordChangedMail(account.email, deps.publicUrl()), deps.brand))
    await deps.sessions.end(tx, owner, 'password_reset')
  })
}
