import type { z } from 'zod/mini'
import type { LoginBody } from '#contract/account/auth.ts'
import type { User } from '#contract/account/user.ts'
import { Problem } from '#contract/problem.ts'
import type { Mode } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { inTransaction } from '../../platform/database/db.ts'
import type { RequestInfo } from '../../platform/http/index.ts'
import { networkOf } from '../../platform/http/limits/network.ts'
import { composeMail } from '../../platform/mail/index.ts'
import { screenChoices } from '../accounts/profile/screen-choices.ts'
import { type AccountRow, findAccountByEmail, lockAccountById, shownUser } from '../accounts/store.ts'
import { endFreeze } from '../accounts/withdrawal-pauses.ts'
import type { IdentityDeps } from '../deps.ts'
import { demandFactor } from '../factors/second-factor.ts'
import { newDeviceMail } from '../mails.ts'
import { issueToken } from '../passwords/one-time-token.ts'
import { askForSignInLink } from '../passwords/reset-password.ts'
import { deviceOf } from './device.ts'
import { endSignInLink, knownDevice, NOBODY, rememberDevice, validLink } from './known-device.ts'
import { beginSession, type Generation, knowsDevice } from './session-store.ts'
import type { SignInOrigin } from './sign-in-guard.ts'

/** The cookie that identifies a known device. */
const DEVICE_COOKIE = { name: 'device', path: '/api/auth' }

type SignInRequest = Pick<RequestInfo, 'ip' | 'userAgent' | 'cookies' | 'setCookie'>

/**
 * Signs a user in. Throws `invalid_credentials` for an unknown address and for a wrong password, with the same message
 * and timing; 428 `second_factor_required` when the account has a second factor and none was presented;
 * `sign_in_locked` when an operator locked sign-in (revealed only with the right password).
 */
export async function signIn(
  deps: IdentityDeps,
  form: z.infer<typeof LoginBody>,
  from: SignInRequest,
): Promise<Generation & { user: User; mode: Mode | undefined; remember: boolean }> {
  const { account: checked, origin } = await checkPassword(deps, form, from)
  await offeringLink(deps, form.email, () => demandFactor(deps, checked.id, form, origin))

  const remember = form.remember ?? false
  const device = deviceOf(from.userAgent)
  const session = await inTransaction(deps.db, async (tx) => {
    // Lock the row, so that the old password stops working once it is changed.
    const locked = await lockAccountById(tx, checked.id)
    if (!locked || locked.password_hash !== checked.password_hash || locked.email !== checked.email)
      throw wrongPassword()
    if (locked.sign_in_locked_at) {
      throw new Problem('sign_in_locked', 'Sign-in to this account is locked. Contact support.')
    }
    await endFreeze(tx, locked.id)
    const known = origin.device ? 'known' : await knowsDevice(tx, locked.id, { device, network: origin.network })
    const session = await beginSession(tx, { userId: locked.id, remember, device, address: from.ip })
    // An unconfirmed address may belong to someone else: don't e-mail it about sign-ins.
    if (known === 'new' && locked.email_confirmed_at !== null) {
      const signInAt = { device, address: from.ip, at: session.createdAt }
      const hash = await issueToken(tx, 'disown_sign_in', locked.id)
      await deps.mail.enqueue(
        tx,
        composeMail(newDeviceMail(locked.email, deps.publicUrl(), hash, signInAt), deps.brand),
      )
    }
    await rememberDevice(tx, { userId: locked.id }, DEVICE_COOKIE, from)
    if (form.link !== undefined) await endSignInLink(tx, form.link)
    return session
  })
  const user = must(await shownUser(deps.db, checked.id))
  const { mode } = await screenChoices(deps.db, checked.id)
  return { renewal: session.renewal, tokens: session.tokens, user, mode, remember }
}

/**
 * Returns the account of an address and password, and the origin of the sign-in. Failures count. Throws
 * `invalid_credentials`, `too_many_requests`, `sign_in_link_required`.
 */
export async function checkPassword(
  deps: IdentityDeps,
  form: { email: string; password: string; link?: string | undefined },
  from: Pick<SignInRequest, 'ip' | 'cookies'>,
): Promise<{ account: AccountRow; origin: SignInOrigin }> {
  const found = await findAccountByEmail(deps.db, form.email)
  // An unknown address is looked up as well: it must take as long as a known one.
  const owner = { userId: found?.id ?? NOBODY }
  const origin = {
    network: networkOf(from.ip),
    device: await knownDevice(deps.db, owner, from.cookies[DEVICE_COOKIE.name]),
    link: await validLink(deps.db, owner, form.link),
  }
  const refund = await offeringLink(deps, form.email, async () =>
    deps.limits.passwords.begin(form.email.toLowerCase(), origin),
  )
  if (!(await deps.passwords.verify(form.password, found?.password_hash))) {
    // Never the address: people type passwords there by mistake.
    const user = found && String(found.id)
    deps.log.warn({ security: 'sign_in_failed', user, network: origin.network }, 'a security event')
    throw wrongPassword()
  }
  refund()
  return { account: must(found), origin }
}

/** E-mails a sign-in link to the owner when the work throws that one is required. */
async function offeringLink<T>(deps: IdentityDeps, email: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && error.code === 'sign_in_link_required') await askForSignInLink(deps, email)
    throw error
  }
}

const wrongPassword = () => new Problem('invalid_credentials', 'Wrong e-mail or password.')
