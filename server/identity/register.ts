import { randomInt } from 'node:crypto'
import type { z } from 'zod/mini'
import type { RegisterBody } from '#contract/auth.ts'
import { Problem } from '#contract/problem.ts'
import { inTransaction, isUniqueViolation, type Tx } from '../platform/db.ts'
import { setLetter } from '../platform/mail/index.ts'
import type { IdentityDeps } from './deps.ts'
import { confirmLetter } from './letters.ts'
import { endTokens, issueToken } from './one-time-token.ts'
import { hashPassword } from './password.ts'
import { endSessions } from './session-store.ts'
import { endAccount, findAccountByEmail, lockAccountByEmail, lockAddress } from './store.ts'

/**
 * Opens an account with its two ledger accounts, and answers the onboarding session. Mails the confirmation link.
 * An address that its owner has confirmed is taken (`already_exists`); an unconfirmed one is registered anew while no
 * money has moved and nothing is asked for: the newest wins, and everything the older one had ends.
 */
export async function register(
  deps: IdentityDeps,
  form: z.infer<typeof RegisterBody>,
  from: { ip: string },
): Promise<{ session: string }> {
  deps.limits.registrationsFromAddress.take(from.ip)
  const existing = await findAccountByEmail(deps.db, form.email)
  if (existing?.email_confirmed_at) throw alreadyExists()
  deps.limits.mails.confirm.take(form.email.toLowerCase())
  const passwordHash = await hashPassword(form.password)

  const done = await inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, form.email)
    const replaced = await replaceUnconfirmed(deps, tx, form.email)
    const userId = await insertUser(tx, {
      email: form.email,
      password_hash: passwordHash,
      firstname: form.firstname,
      lastname: form.lastname,
      phone: form.phone ?? '',
      referred_by: await referrer(tx, form.referral_code),
    })
    await deps.ledger.openAccounts(tx, userId)
    const session = await issueToken(tx, 'onboarding', userId)
    const hash = await issueToken(tx, 'confirm_email', userId)
    await deps.mail.enqueue(tx, setLetter(confirmLetter(form.email, deps.publicUrl(), hash), deps.brand))
    return { session, replaced }
  })

  deps.mail.wake()
  if (done.replaced) {
    deps.sessions.announceEnd(done.replaced.userId, done.replaced.sessionIds)
    await done.replaced.removeFiles()
  }
  return { session: done.session }
}

async function replaceUnconfirmed(deps: IdentityDeps, tx: Tx, email: string) {
  const older = await lockAccountByEmail(tx, email)
  if (!older) return undefined
  const bound =
    older.email_confirmed_at !== null ||
    older.plan_request !== null ||
    (await deps.ledger.hasRealMovement(tx, older.id)) ||
    (await deps.hasOpenRequest(tx, older.id))
  if (bound) throw alreadyExists()
  await endAccount(tx, older.id)
  await endTokens(tx, older.id, ['onboarding', 'confirm_email', 'reset_password'])
  const sessionIds = await endSessions(tx, older.id, 'account_replaced')
  const removeFiles = await deps.kyc.endChecksOf(tx, older.id)
  return { userId: older.id, sessionIds, removeFiles }
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
        throw isUniqueViolation(error, 'users_living_email') ? alreadyExists() : error
      })
    // No row: the code was somebody else's already. Draw another.
    if (row) return row.id
  }
}

async function referrer(tx: Tx, code: string | undefined): Promise<bigint | null> {
  if (!code) return null
  const row = await tx
    .selectFrom('users')
    .select('id')
    .where('referral_code', '=', code.toUpperCase())
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return row?.id ?? null
}

/** 8 letters, without vowels (no words by accident) and without those that are mistaken for digits. */
const LETTERS = 'BCDFGHJKMNPQRSTVWXYZ'
const newReferralCode = () => Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('')

const alreadyExists = () =>
  new Problem('already_exists', 'An account with this e-mail already exists', {
    errors: [{ field: 'email', message: 'An account with this e-mail already exists' }],
  })
