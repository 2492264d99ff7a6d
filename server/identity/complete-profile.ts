import type { z } from 'zod/mini'
import type { CompleteProfileBody } from '#contract/auth.ts'
import { inTransaction } from '../platform/db.ts'
import type { IdentityDeps } from './deps.ts'
import { ownerOfToken } from './one-time-token.ts'
import { lockAccountById } from './store.ts'

/** Writes the profile within an onboarding session, as often as wanted until the ID is handed in. Throws `invalid_session`. */
export async function completeProfile(
  deps: Pick<IdentityDeps, 'db' | 'checkAge'>,
  form: z.infer<typeof CompleteProfileBody>,
): Promise<void> {
  const { session, ...profile } = form
  deps.checkAge(profile.date_of_birth)
  await inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, await ownerOfToken(tx, 'onboarding', session))
    // Asked again under the lock: the ID may have been handed in meanwhile.
    const userId = await ownerOfToken(tx, 'onboarding', session)
    await tx.updateTable('users').set(profile).where('id', '=', userId).execute()
  })
}
