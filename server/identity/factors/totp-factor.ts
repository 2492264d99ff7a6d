import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import { inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { Who } from '../../platform/http/index.ts'
import { newTotpSecret, otpauthUrl, totpStep } from '../../platform/secrets/totp.ts'
import { lockAccountById, requireConfirmed } from '../accounts/store.ts'
import type { IdentityDeps } from '../deps.ts'
import { firstRecoveryCodes, wrongCode } from './recovery-codes.ts'

export const aboutOf = (userId: bigint) => `totp of user ${userId}`

/** Starts enrolling an authenticator app. A confirmed app stays valid until the new one is confirmed. */
export async function beginTotp(deps: IdentityDeps, who: Who): Promise<{ secret: string; otpauth_url: string }> {
  const secret = newTotpSecret()
  const email = await inTransaction(deps.db, async (tx) => {
    const account = await lockAccountById(tx, who.userId)
    requireConfirmed(account)
    await tx
      .insertInto('totp_factors')
      .values({ user_id: who.userId, new_secret: deps.seal.seal(secret, aboutOf(who.userId)) })
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet((row) => ({ new_secret: row.ref('excluded.new_secret') })),
      )
      .execute()
    return must(account).email
  })
  return { secret, otpauth_url: otpauthUrl(secret, deps.brand, email) }
}

/** Confirms a new authenticator app with one of its codes. Returns recovery codes if the account had none. */
export async function confirmTotp(deps: IdentityDeps, who: Who, code: string): Promise<string[]> {
  return inTransaction(deps.db, async (tx) => {
    requireConfirmed(await lockAccountById(tx, who.userId))
    const begun = await tx
      .selectFrom('totp_factors')
      .select('new_secret')
      .where('user_id', '=', who.userId)
      .executeTakeFirst()
    if (!begun?.new_secret) throw new Problem('wrong_state', 'Begin with a new authenticator first.')
    const step = totpStep(deps.seal.open(begun.new_secret, aboutOf(who.userId)), code, deps.clock.now())
    if (step === undefined) throw wrongCode()
    await tx
      .updateTable('totp_factors')
      .set({
        secret: begun.new_secret,
        new_secret: null,
        confirmed_at: sql<Date>`clock_timestamp()`,
        last_step: BigInt(step),
      })
      .where('user_id', '=', who.userId)
      .execute()
    const codes = await firstRecoveryCodes(tx, who.userId)
    await deps.notices.write(tx, {
      userId: who.userId,
      kind: 'security',
      title: 'An authenticator app protects your account',
      text: 'From now on you need one of its codes to sign in and to withdraw.',
      path: '/user/security',
    })
    return codes
  })
}

/** Consumes a code of the confirmed app. Returns false when it is wrong or already used. */
export async function spendTotp(
  deps: Pick<IdentityDeps, 'seal' | 'clock'>,
  tx: Tx,
  userId: bigint,
  code: string,
): Promise<boolean> {
  const row = await tx
    .selectFrom('totp_factors')
    .select(['secret', 'last_step'])
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .forUpdate()
    .executeTakeFirst()
  if (!row?.secret) return false
  const step = totpStep(deps.seal.open(row.secret, aboutOf(userId)), code, deps.clock.now())
  if (step === undefined || BigInt(step) <= row.last_step) return false
  await tx
    .updateTable('totp_factors')
    .set({ last_step: BigInt(step) })
    .where('user_id', '=', userId)
    .execute()
  return true
}
