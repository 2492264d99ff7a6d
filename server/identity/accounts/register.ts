import type { z } from 'zod/mini'
import type { RegisterBody } from '#contract/account/auth.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { inTransaction, isUniqueViolation, type Tx } from '../../platform/database/db.ts'
import type { Who } from '../../platform/http/index.ts'
import { networkOf } from '../../platform/http/limits/network.ts'
import { composeMail } from '../../platform/mail/index.ts'
import type { IdentityDeps } from '../deps.ts'
import { confirmMail } from '../mails.ts'
import { endTokens, issueToken } from '../passwords/one-time-token.ts'
import { isGuestAddress, keepGuest } from './guests.ts'
import { newReferralCode } from './referral-code.ts'
import { type AccountRow, endAccount, findAccountByEmail, lockAccountByEmail, lockAddress } from './store.ts'

/**
 * Opens an account with its two ledger accounts, returns the onboarding session, and e-mails the confirmation link. A
 * confirmed address is taken (`already_exists`). An unconfirmed one can be registered again while no money has moved
 * and no request is open. The same password means the same person: the account continues, with its earlier links and
 * sessions. With a different password the newest account wins; the earlier account's links still work (`setAside`).
 * A guest who registers keeps their account and session: it gets the address and the password.
 */
export async function register(
  deps: IdentityDeps,
  form: z.infer<typeof RegisterBody>,
  from: { ip: string },
  who?: Who,
): Promise<{ session: string }> {
  const guest = who?.isGuest ? who.userId : undefined
  if (isGuestAddress(form.email)) throw fieldProblem('email', 'is invalid')
  const network = networkOf(from.ip)
  deps.limits.registrationsFromNetwork.take(network)
  await deps.passwords.rejectCommon(form.password, [deps.brand, form.email])
  const existing = await findAccountByEmail(deps.db, form.email)
  if (existing?.email_confirmed_at) throw alreadyExists()
  deps.limits.mails.confirm.take(`${form.email.toLowerCase()} ${network}`)
  // Without an account it takes just as long, so that the time doesn't tell whether there is one.
  const isSamePerson = await deps.passwords.verify(form.password, existing?.password_hash)
  const passwordHash = await deps.passwords.hash(form.password)

  return inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, form.email)
    const older = await lockReplaceable(deps, tx, form.email)
    const person = {
      firstname: form.firstname,
      lastname: form.lastname,
      phone: form.phone ?? '',
      referred_by: await referrer(tx, form.referral_code, guest),
    }
    const isContinued = guest === undefined && isSamePerson && older?.password_hash === existing?.password_hash
    const continued = isContinued ? older?.id : undefined
    // The ID is already submitted: the owner signs in and continues from there.
    if (continued !== undefined && (await deps.kyc.hasCheck(tx, continued))) throw alreadyExists()
    if (older && continued === undefined) await setAside(deps, tx, older.id)
    const account = { ...person, email: form.email, password_hash: passwordHash }
    if (guest !== undefined) await keepGuest(deps, tx, guest, account)
    const userId = guest ?? continued ?? (await insertUser(tx, account))
    if (guest === undefined && continued === undefined) await deps.ledger.openAccounts(tx, userId)
    else if (continued !== undefined) await tx.updateTable('users').set(person).where('id', '=', userId).execute()
    await deps.guardrails.carryOver(tx, userId)
    const session = await issueToken(tx, 'onboarding', userId)
    const hash = await issueToken(tx, 'confirm_email', userId)
    await deps.mail.enqueue(tx, composeMail(confirmMail(form.email, deps.publicUrl(), hash), deps.brand))
    return { session }
  })
}

/** Locks and returns the replaceable, unconfirmed account of an address. Throws `already_exists` for any other. */
export async function lockReplaceable(
  deps: Pick<IdentityDeps, 'ledger' | 'hasOpenRequest'>,
  tx: Tx,
  email: string,
): Promise<AccountRow | undefined> {
  const older = await lockAccountByEmail(tx, email)
  if (!older) return undefined
  const bound =
    older.email_confirmed_at !== null ||
    older.plan_request !== null ||
    (await deps.ledger.hasRealMovement(tx, older.id)) ||
    (await deps.hasOpenRequest(tx, older.id))
  if (bound) throw alreadyExists()
  return older
}

/**
 * Closes an unconfirmed account in favour of another with the same address: ends its sessions and deletes its document
 * images. Its confirmation links and onboarding session keep working, because their holder may be the owner: the link
 * restores the account.
 */
export async function setAside(deps: Pick<IdentityDeps, 'kyc' | 'sessions'>, tx: Tx, userId: bigint): Promise<void> {
  await endAccount(tx, userId)
  await endTokens(tx, userId, ['reset_password'])
  await deps.sessions.end(tx, userId, 'account_replaced')
  await deps.kyc.endChecksOf(tx, userId)
}

interface NewUser {
  email: string
  password_hash: string
  firstname: string
  lastname: string
  phone: string
  referred_by: bigint | null
}

async function insertUser(tx: Tx, user: NewUser): Promise<bigint> {
  for (;;) {
    const row = await tx
      .insertInto('users')
      .values({ ...user, referral_code: newReferralCode() })
      .onConflict((conflict) => conflict.column('referral_code').doNothing())
      .returning('id')
      .executeTakeFirst()
      .catch((error: unknown) => {
        throw isUniqueViolation(error, 'users_open_email') ? alreadyExists() : error
      })
    // No row: the code is already taken. Generate another.
    if (row) return row.id
  }
}

/** Returns the user of a referral code. Throws `validation_failed` for an unknown code. */
async function referrer(tx: Tx, code: string | undefined, self: bigint | undefined): Promise<bigint | null> {
  if (!code) return null
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('referral_code', '=', code.toUpperCase())
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  if (!row || row.id === self)
    throw fieldProblem('referral_code', "This code doesn't exist. Check it, or leave it empty.")
  return row.id
}

export const alreadyExists = () =>
  new Problem('already_exists', 'An account with this e-mail already exists', {
    errors: [{ field: 'email', message: 'An account with this e-mail already exists' }],
  })
