import { Problem } from '#contract/problem.ts'
import { inTransaction, sql } from '../platform/db.ts'
import type { Who } from '../platform/http/index.ts'
import { setLetter } from '../platform/mail/index.ts'
import type { IdentityDeps } from './deps.ts'
import { dropFactors } from './drop-factors.ts'
import { confirmLetter } from './letters.ts'
import { endTokens, issueToken, ownerOfToken, redeemToken } from './one-time-token.ts'
import { endSessions } from './session-store.ts'
import { findAccountById, lockAccountById } from './store.ts'

/**
 * Confirms an address through its link, which works once; from then on it can't be registered again. The account may
 * have been opened by someone other than the owner of the address, so every session and second factor from before ends.
 * Only a session that shows the link itself continues. Throws `invalid_hash`.
 */
export async function confirmEmail(
  deps: Pick<IdentityDeps, 'db' | 'sessions'>,
  hash: string,
  who: Who | undefined,
): Promise<void> {
  const { userId, ended } = await inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, await ownerOfToken(tx, 'confirm_email', hash))
    const userId = await redeemToken(tx, 'confirm_email', hash)
    await tx.updateTable('users').set({ email_confirmed_at: sql`clock_timestamp()` }).where('id', '=', userId).execute()
    await endTokens(tx, userId, ['confirm_email'])
    await dropFactors(tx, userId)
    const own = who?.userId === userId ? { except: who.sessionId } : {}
    return { userId, ended: await endSessions(tx, userId, 'email_confirmed', own) }
  })
  deps.sessions.announceEnd(userId, ended)
}

/** Mails another confirmation link. Throws `wrong_state` where the address is confirmed already. */
export async function sendConfirmation(deps: IdentityDeps, userId: bigint): Promise<void> {
  const account = await findAccountById(deps.db, userId)
  if (!account) throw new Problem('unauthenticated', 'Please sign in.')
  if (account.email_confirmed_at) throw alreadyConfirmed()
  deps.limits.mails.confirm.take(account.email.toLowerCase())
  await inTransaction(deps.db, async (tx) => {
    const locked = await lockAccountById(tx, userId)
    if (!locked) throw new Problem('unauthenticated', 'Please sign in.')
    if (locked.email_confirmed_at) throw alreadyConfirmed()
    const hash = await issueToken(tx, 'confirm_email', userId)
    await deps.mail.enqueue(tx, setLetter(confirmLetter(locked.email, deps.publicUrl(), hash), deps.brand))
  })
  deps.mail.wake()
}

const alreadyConfirmed = () => new Problem('wrong_state', 'Your e-mail is confirmed already.')
