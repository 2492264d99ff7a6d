import type { IdentityDeps, Submission } from '../deps.ts'
import { ownerOfToken, redeemToken } from '../passwords/one-time-token.ts'
import { lockAccountById } from './store.ts'

/**
 * Submits an ID in an onboarding session, which ends with it. Throws `invalid_session`, and the errors of the image
 * check.
 */
export async function submitId(
  deps: Pick<IdentityDeps, 'db' | 'kyc'>,
  command: Pick<Submission, 'method' | 'file'> & { session: string },
): Promise<void> {
  const owner = await ownerOfToken(deps.db, 'onboarding', command.session)
  await deps.kyc.submit({
    method: command.method,
    file: command.file,
    owner,
    async claim(tx) {
      await lockAccountById(tx, owner)
      return redeemToken(tx, 'onboarding', command.session)
    },
  })
}
