import type { SecondFactor } from '#contract/account/second-factor.ts'
import { Problem } from '#contract/problem.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { Who } from '../../platform/http/index.ts'
import { lockAccountById } from '../accounts/store.ts'
import type { IdentityDeps } from '../deps.ts'
import type { SignInOrigin } from '../sessions/sign-in-guard.ts'
import { provesPasskey } from './passkeys.ts'
import { makeRecoveryCodes, spendRecoveryCode, wrongCode } from './recovery-codes.ts'
import { spendTotp } from './totp-factor.ts'

/** A second factor as the user presents it. */
export interface Shown {
  code?: string | undefined
  passkey?: object | undefined
}

/** Returns the factors of an account, as its owner sees them. */
export async function secondFactorOf(db: Db | Tx, userId: bigint): Promise<Omit<SecondFactor, 'reset'>> {
  const [totp, passkeys, codes] = await Promise.all([
    db
      .selectFrom('totp_factors')
      .select('user_id')
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is not', null)
      .executeTakeFirst(),
    db
      .selectFrom('passkeys')
      .select(['id', 'name', 'created_at', 'last_used_at'])
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute(),
    db
      .selectFrom('recovery_codes')
      .select(sql<number>`count(*)::int`.as('left'))
      .where('user_id', '=', userId)
      .where('used_at', 'is', null)
      .executeTakeFirstOrThrow(),
  ])
  return {
    on: totp !== undefined || passkeys.length > 0,
    totp: totp !== undefined,
    passkeys: passkeys.map((key) => ({
      id: String(key.id),
      name: key.name,
      created_at: key.created_at.toISOString(),
      last_used_at: key.last_used_at?.toISOString() ?? null,
    })),
    recovery_codes_left: codes.left,
  }
}

/**
 * Verifies and consumes a second factor: a code of the app, a recovery code or a passkey. Throws `invalid_credentials`,
 * and `too_many_requests` after too many wrong ones.
 */
export async function showFactor(
  deps: IdentityDeps,
  userId: bigint,
  /** A step-up belongs to a session, a sign-in has an origin. */
  purpose: 'step_up' | SignInOrigin,
  shown: Shown,
): Promise<void> {
  const refund = begin()
  if (!(await holds())) throw wrongCode()
  refund()

  function begin(): () => void {
    const key = String(userId)
    if (purpose !== 'step_up') return deps.limits.codes.begin(key, purpose)
    deps.limits.codesWhenSignedIn.take(key)
    return () => deps.limits.codesWhenSignedIn.refund(key)
  }

  async function holds(): Promise<boolean> {
    if (shown.passkey) return provesPasskey(deps, userId, purpose === 'step_up' ? purpose : 'sign_in', shown.passkey)
    const { code } = shown
    if (code === undefined) return false
    return inTransaction(deps.db, async (tx) => {
      if (await spendTotp(deps, tx, userId, code)) return true
      if (!(await spendRecoveryCode(tx, userId, code))) return false
      await deps.notices.write(tx, {
        userId,
        kind: 'security',
        title: 'A recovery code was used',
        text: "One of your recovery codes was used as a second factor. It won't work again.",
        path: '/user/security',
      })
      return true
    })
  }
}

/** Throws 428 when the account has a second factor and none was presented; otherwise consumes it. */
export async function demandFactor(
  deps: IdentityDeps,
  userId: bigint,
  shown: Shown,
  origin: SignInOrigin,
): Promise<void> {
  const { on, totp, passkeys } = await secondFactorOf(deps.db, userId)
  if (!on) return
  if (shown.code === undefined && shown.passkey === undefined) {
    throw new Problem('second_factor_required', 'Enter the code from your authenticator app, or use your passkey.', {
      errors: [
        ...(totp ? [{ field: 'code', message: 'is required' }] : []),
        ...(passkeys.length > 0 ? [{ field: 'passkey', message: 'is required' }] : []),
      ],
    })
  }
  await showFactor(deps, userId, origin, shown)
}

/** Removes a factor. Removing the last one also removes the recovery codes. */
export async function removeFactor(deps: IdentityDeps, who: Who, what: 'totp' | { passkey: string }): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, who.userId)
    const removed =
      what === 'totp'
        ? await tx
            .deleteFrom('totp_factors')
            .where('user_id', '=', who.userId)
            .where('confirmed_at', 'is not', null)
            .executeTakeFirst()
        : /^\d{1,18}$/.test(what.passkey)
          ? await tx
              .deleteFrom('passkeys')
              .where('user_id', '=', who.userId)
              .where('id', '=', BigInt(what.passkey))
              .executeTakeFirst()
          : undefined
    if (!removed || removed.numDeletedRows === 0n) throw noSuchFactor()
    if (!(await secondFactorOf(tx, who.userId)).on)
      await tx.deleteFrom('recovery_codes').where('user_id', '=', who.userId).execute()
    await deps.notices.write(tx, {
      userId: who.userId,
      kind: 'security',
      title: what === 'totp' ? 'The authenticator app was removed' : 'A passkey was removed',
      text: "It's no longer needed to sign in to your account.",
      path: '/user/security',
    })
  })
}

/** Replaces the recovery codes. */
export async function renewRecoveryCodes(deps: IdentityDeps, who: Who): Promise<string[]> {
  return inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, who.userId)
    if (!(await secondFactorOf(tx, who.userId)).on)
      throw new Problem('wrong_state', 'This account has no second factor. Set one up to get recovery codes.')
    return makeRecoveryCodes(tx, who.userId)
  })
}

export const noSuchFactor = () => new Problem('not_found', 'Second factor not found.')
