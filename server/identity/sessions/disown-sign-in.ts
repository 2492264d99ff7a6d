import { inTransaction } from '../../platform/database/db.ts'
import { endChange } from '../accounts/change-email.ts'
import { lockAccountById } from '../accounts/store.ts'
import { disownSessions } from '../accounts/withdrawal-pauses.ts'
import type { IdentityDeps } from '../deps.ts'
import { endTokens, ownerOfToken, redeemToken } from '../passwords/one-time-token.ts'

/**
 * 'This wasn't me', by the link of the e-mail about a sign-in: ends all sessions, cancels an open change of address, and
 * freezes withdrawals until a sign-in with a new password. Throws `invalid_hash`.
 */
export const disownSignIn = (deps: IdentityDeps, hash: string): Promise<void> =>
  inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, await ownerOfToken(tx, 'disown_sign_in', hash))
    const userId = await redeemToken(tx, 'disown_sign_in', hash)
    await endTokens(tx, userId, ['disown_sign_in'])
    await endChange(tx, userId, 'Disowned')
    await disownSessions(deps, tx, userId)
  })
