import type { z } from 'zod/mini'
import type { CompleteProfileBody } from '#contract/account/auth.ts'
import { inTransaction } from '../../../platform/database/db.ts'
import type { IdentityDeps } from '../../deps.ts'
import { ownerOfToken } from '../../passwords/one-time-token.ts'
import { lockAccountById } from '../store.ts'

/**
 * Saves the profile in an onboarding session, any number of times until the ID is submitted. Throws `invalid_session`.
 */
export async function completeProfile(
  deps: Pick<IdentityDeps, 'db' | 'checkAge' | 'guardrails'>,
  form: z.infer<typeof CompleteProfileBody>,
): Promise<void> {
  const { session, ...profile } = form
  deps.checkAge(profile.date_of_birth)
  await inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, await ownerOfToken(tx, 'onboarding', session))
    // Check again under the lock: the ID may have been submitted meanwhile.
    const userId = await ownerOfToken(tx, 'onboarding', session)
    await tx.updateTable('users').set(profile).where('id', '=', userId).execute()
    await deps.guardrails.carryOver(tx, userId)
  })
}
