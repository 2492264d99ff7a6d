import type { z } from 'zod/mini'
import type { ChangePasswordBody } from '#contract/account/auth.ts'
import { Problem } from '#contract/problem.ts'
import { inTransaction } from '../../platform/database/db.ts'
import type { RequestInfo, Who } from '../../platform/http/index.ts'
import { composeMail } from '../../platform/mail/index.ts'
import {
  type AccountRow,
  findAccountById,
  lockAccountById,
  requireConfirmed,
  setPasswordHash,
} from '../accounts/store.ts'
import type { IdentityDeps } from '../deps.ts'
import { passwordChangedMail } from '../mails.ts'
import { requireStepUp } from '../sessions/step-up.ts'
import { endTokens } from './one-time-token.ts'

/**
 * Changes the password of a user who knows the current one. Keeps the requesting session and ends all others. Wrong
 * guesses count as failed sign-ins, so that a stolen token can't bypass their limit. Throws `invalid_credentials`.
 */
export async function changePassword(
  deps: IdentityDeps,
  who: Who,
  form: z.infer<typeof ChangePasswordBody>,
  request: Pick<RequestInfo, 'stepUp' | 'fingerprint'>,
): Promise<void> {
  const account = await checkOwnPassword(deps, who, form.current, 'current')
  await requireStepUp(deps.db, who, request)
  await deps.passwords.rejectCommon(form.password, [deps.brand, account.email])
  const passwordHash = await deps.passwords.hash(form.password)
  await inTransaction(deps.db, async (tx) => {
    const locked = await lockAccountById(tx, who.userId)
    if (!locked || locked.password_hash !== account.password_hash) throw wrongPassword('current')
    await setPasswordHash(tx, who.userId, passwordHash)
    await endTokens(tx, who.userId, ['reset_password', 'onboarding'])
    if (locked.email_confirmed_at)
      await deps.mail.enqueue(tx, composeMail(passwordChangedMail(locked.email, deps.publicUrl()), deps.brand))
    await deps.sessions.end(tx, who.userId, 'password_changed', { except: who.sessionId })
  })
}

/**
 * Throws unless the caller gave their password, and their second factor if they have one: what a stolen session doesn't
 * have.
 */
export async function confirmOwner(
  deps: IdentityDeps,
  who: Who,
  password: string,
  request: Pick<RequestInfo, 'stepUp' | 'fingerprint'>,
): Promise<void> {
  await checkOwnPassword(deps, who, password, 'password')
  await requireStepUp(deps.db, who, request)
}

/**
 * Returns the caller's account if they know its password. Wrong guesses count. Throws `invalid_credentials` on `field`.
 */
export async function checkOwnPassword(
  deps: IdentityDeps,
  who: Who,
  password: string,
  field: string,
): Promise<AccountRow> {
  const account = await findAccountById(deps.db, who.userId)
  if (!account) throw new Problem('unauthenticated', 'Please sign in.')
  const key = String(who.userId)
  deps.limits.passwordsWhenSignedIn.take(key)
  if (!(await deps.passwords.verify(password, account.password_hash))) throw wrongPassword(field)
  deps.limits.passwordsWhenSignedIn.refund(key)
  return account
}

/** Throws unless the caller knows their password and has confirmed their address. */
export async function checkConfirmedPassword(deps: IdentityDeps, who: Who, password: string): Promise<void> {
  requireConfirmed(await checkOwnPassword(deps, who, password, 'password'), 'try again')
}

const wrongPassword = (field: string) =>
  new Problem('invalid_credentials', 'The current password is wrong.', { errors: [{ field, message: 'is wrong' }] })
