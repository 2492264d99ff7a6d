import { Problem } from '#contract/problem.ts'
import { inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { Who } from '../../platform/http/index.ts'
import { composeMail } from '../../platform/mail/index.ts'
import type { IdentityDeps } from '../deps.ts'
import { dropFactors } from '../factors/drop-factors.ts'
import { confirmMail } from '../mails.ts'
import { belongsToConfirmed, endTokens, issueToken, ownerOfToken, redeemToken } from '../passwords/one-time-token.ts'
import { lockReplaceable, setAside } from './register.ts'
import { findAccountById, lockAccountById, lockAddress } from './store.ts'

/**
 * Confirms an address through its single-use link. After that, the address can't be registered again. Someone other
 * than the owner of the address may have opened the account, so every earlier session and second factor is revoked.
 * Only a session that presents the link itself continues. Throws `invalid_hash`, and `wrong_state` for a link of an
 * account that is confirmed already.
 */
export async function confirmEmail(deps: LinkDeps, hash: string, who: Who | undefined): Promise<void> {
  await confirmOnce(deps, hash, who).catch(async (error: unknown) => {
    const isUsed = error instanceof Problem && error.code === 'invalid_hash'
    throw isUsed && (await belongsToConfirmed(deps.db, 'confirm_email', hash)) ? alreadyConfirmed() : error
  })
}

type LinkDeps = Pick<IdentityDeps, 'db' | 'sessions' | 'kyc' | 'ledger' | 'hasOpenRequest'>

async function confirmOnce(deps: LinkDeps, hash: string, who: Who | undefined): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const owner = await emailOf(tx, await ownerOfToken(tx, 'confirm_email', hash))
    await lockAddress(tx, owner.email)
    // The address was registered again meanwhile: the link decides which account is the owner's.
    await restoreReplaced(deps, tx, owner)
    await lockAccountById(tx, owner.id)
    const userId = await redeemToken(tx, 'confirm_email', hash)
    await tx.updateTable('users').set({ email_confirmed_at: sql`clock_timestamp()` }).where('id', '=', userId).execute()
    await endTokens(tx, userId, ['confirm_email'])
    await dropFactors(tx, userId)
    const own = who?.userId === userId ? { except: who.sessionId } : {}
    await endOthers(deps, tx, owner)
    await deps.sessions.end(tx, userId, 'email_confirmed', own)
  })
}

const emailOf = (tx: Tx, id: bigint) =>
  tx.selectFrom('users').select(['id', 'email', 'ended_at']).where('id', '=', id).executeTakeFirstOrThrow()

/** Restores an account that a newer registration of its address replaced, and sets that newer one aside. */
async function restoreReplaced(
  deps: Pick<IdentityDeps, 'kyc' | 'sessions' | 'ledger' | 'hasOpenRequest'>,
  tx: Tx,
  owner: { id: bigint; email: string },
): Promise<void> {
  const { ended_at } = await emailOf(tx, owner.id)
  if (ended_at === null) return
  const newer = await lockReplaceable(deps, tx, owner.email).catch((error: unknown) => {
    // Another link confirmed the address, or the other account has money: this link is too late.
    throw error instanceof Problem && error.code === 'already_exists'
      ? new Problem('invalid_hash', 'This link has expired. Request a new one.')
      : error
  })
  if (newer) await setAside(deps, tx, newer.id)
  await tx.updateTable('users').set({ ended_at: null }).where('id', '=', owner.id).execute()
}

/**
 * Revokes the links of the address's other accounts and deletes their document images, because the address has an owner
 * now.
 */
export async function endOthers(
  deps: Pick<IdentityDeps, 'kyc'>,
  tx: Tx,
  owner: { id: bigint; email: string },
): Promise<void> {
  const others = await tx
    .selectFrom('users')
    .select('id')
    .where(sql`lower(email)`, '=', owner.email.toLowerCase())
    .where('id', '<>', owner.id)
    // A closed account that was confirmed keeps its documents for as long as the law asks.
    .where('email_confirmed_at', 'is', null)
    .execute()
  for (const { id } of others) {
    await endTokens(tx, id, ['onboarding', 'confirm_email', 'reset_password'])
    await deps.kyc.endChecksOf(tx, id)
  }
}

/**
 * Closes an unconfirmed account by the link of its confirmation e-mail: its reader says that it isn't theirs. Its
 * sessions and links end, and the address is free. Throws `invalid_hash`, and `wrong_state` for an account that is
 * confirmed or has held money.
 */
export async function disownEmail(deps: LinkDeps, hash: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const owner = await emailOf(tx, await ownerOfToken(tx, 'confirm_email', hash))
    await lockAddress(tx, owner.email)
    const userId = await redeemToken(tx, 'confirm_email', hash)
    const open = await lockReplaceable(deps, tx, owner.email).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
      throw new Problem('wrong_state', "This account can't be closed by a link. Contact us, and we'll look into it.")
    })
    // A newer registration may have replaced the account: then only its links are left.
    if (open?.id === userId) await setAside(deps, tx, userId)
    await endTokens(tx, userId, ['onboarding', 'confirm_email'])
  })
}

/** E-mails another confirmation link. Throws `wrong_state` when the address is already confirmed. */
export async function sendConfirmation(deps: IdentityDeps, userId: bigint): Promise<void> {
  const account = await findAccountById(deps.db, userId)
  if (!account) throw new Problem('unauthenticated', 'Please sign in.')
  if (account.email_confirmed_at) throw alreadyConfirmed()
  // By account: someone else may have registered the address too.
  deps.limits.mails.confirm.take(`user ${userId}`)
  await inTransaction(deps.db, async (tx) => {
    const locked = await lockAccountById(tx, userId)
    if (!locked) throw new Problem('unauthenticated', 'Please sign in.')
    if (locked.email_confirmed_at) throw alreadyConfirmed()
    const hash = await issueToken(tx, 'confirm_email', userId)
    await deps.mail.enqueue(tx, composeMail(confirmMail(locked.email, deps.publicUrl(), hash), deps.brand))
  })
}

const alreadyConfirmed = () => new Problem('wrong_state', 'Your e-mail is already confirmed.')
