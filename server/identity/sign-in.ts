import type { z } from 'zod/mini'
import type { LoginBody } from '#contract/auth.ts'
import { Problem } from '#contract/problem.ts'
import type { User } from '#contract/user.ts'
import { oneByOne } from '../platform/at-most.ts'
import { inTransaction } from '../platform/db.ts'
import { setLetter } from '../platform/mail/index.ts'
import type { IdentityDeps } from './deps.ts'
import { deviceOf } from './device.ts'
import { newDeviceLetter } from './letters.ts'
import { verifyPassword } from './password.ts'
import { demandFactor } from './second-factor.ts'
import { beginSession, type Generation, knowsDevice } from './session-store.ts'
import { type AccountRow, findAccountByEmail, findUser, lockAccountById } from './store.ts'
import { toUser } from './user.ts'

// Tries on one account come one after the other: side by side they would all pass the limit before one is counted.
const inTurn = oneByOne()

/**
 * Signs in: `invalid_credentials` for an unknown address and for a wrong password, in the same words and the same time;
 * 428 `second_factor_required` where the account has one and none was shown; `sign_in_locked` where an operator has closed the door (told only to who knows the password).
 */
export async function signIn(
  deps: IdentityDeps,
  form: z.infer<typeof LoginBody>,
  from: { ip: string; userAgent: string },
): Promise<Generation & { user: User; remember: boolean }> {
  const account = form.email.toLowerCase()
  const checked = await checkPassword(deps, form, from)
  await demandFactor(deps, checked.id, form)

  const remember = form.remember ?? false
  const device = deviceOf(from.userAgent)
  const { session, lettered } = await inTransaction(deps.db, async (tx) => {
    // Locked, so that a password that was changed meanwhile lets nobody in who knew the old one.
    const locked = await lockAccountById(tx, checked.id)
    if (!locked || locked.password_hash !== checked.password_hash) throw wrongPassword()
    if (locked.sign_in_locked_at) {
      throw new Problem('sign_in_locked', 'Sign-in to this account is closed. Please contact our support.')
    }
    const known = await knowsDevice(tx, locked.id, device)
    const session = await beginSession(tx, { userId: locked.id, remember, device, address: from.ip })
    // An address that nobody confirmed may be a stranger's: it is told of no sign-in.
    const lettered = known === 'new' && locked.email_confirmed_at !== null && mayMail(deps, account)
    if (lettered) {
      const signInAt = { device, address: from.ip, at: session.createdAt }
      await deps.mail.enqueue(tx, setLetter(newDeviceLetter(locked.email, deps.publicUrl(), signInAt), deps.brand))
    }
    return { session, lettered }
  })
  if (lettered) deps.mail.wake()
  const user = toUser((await findUser(deps.db, checked.id))!, await deps.ledger.balancesOf(deps.db, checked.id))
  return { renewal: session.renewal, tokens: session.tokens, user, remember }
}

/** The account of an address and its password; failures count. Throws `invalid_credentials`, `too_many_requests`. */
export async function checkPassword(
  deps: IdentityDeps,
  form: { email: string; password: string },
  from: { ip: string },
): Promise<AccountRow> {
  const account = form.email.toLowerCase()
  const { failedSignInsOfAccount, failedSignInsFromAddress } = deps.limits
  return inTurn(account, async () => {
    failedSignInsOfAccount.check(account)
    failedSignInsFromAddress.check(from.ip)
    const found = await findAccountByEmail(deps.db, form.email)
    if (await verifyPassword(form.password, found?.password_hash)) return found!
    failedSignInsOfAccount.count(account)
    failedSignInsFromAddress.count(from.ip)
    throw wrongPassword()
  })
}

/** Beyond the limit the letter is left out; signing in does not fail for it. */
function mayMail(deps: IdentityDeps, account: string): boolean {
  try {
    deps.limits.mails.newDevice.take(account)
    return true
  } catch {
    return false
  }
}

const wrongPassword = () => new Problem('invalid_credentials', 'The e-mail or the password is wrong.')
