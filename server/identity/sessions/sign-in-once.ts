import type { LoginReply } from '#contract/account/auth.ts'
import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import { inTransaction } from '../../platform/database/db.ts'
import type { RequestInfo } from '../../platform/http/index.ts'
import { lockAccountById, shownUser } from '../accounts/store.ts'
import type { IdentityDeps } from '../deps.ts'
import { ownerOfToken, redeemToken } from '../passwords/one-time-token.ts'
import { deviceOf } from './device.ts'
import { beginSession, type Generation } from './session-store.ts'

/**
 * Signs in by the onboarding session, once: it ends. The person who registered chose the password too, so this opens
 * nothing that the password doesn't; except after the address is confirmed, when its owner may be someone else. Throws
 * `invalid_session`.
 */
export async function signInOnce(
  deps: Pick<IdentityDeps, 'db'>,
  onboarding: string,
  from: Pick<RequestInfo, 'ip' | 'userAgent'>,
): Promise<Generation & Pick<LoginReply, 'data'>> {
  const { userId, session } = await inTransaction(deps.db, async (tx) => {
    const account = await lockAccountById(tx, await ownerOfToken(tx, 'onboarding', onboarding))
    if (!account || account.email_confirmed_at !== null || account.sign_in_locked_at !== null) {
      throw new Problem('invalid_session', 'This session has expired. Sign in to continue.')
    }
    const userId = await redeemToken(tx, 'onboarding', onboarding)
    const device = deviceOf(from.userAgent)
    return { userId, session: await beginSession(tx, { userId, remember: false, device, address: from.ip }) }
  })
  return { ...session, data: must(await shownUser(deps.db, userId)) }
}
