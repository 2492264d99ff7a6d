import { Problem } from '#contract/problem.ts'
import { endOnboarding, findUser, lockAccountById } from '../identity/index.ts'
import type { News } from '../notices/index.ts'
import { sql, type Tx } from '../platform/database/db.ts'
import { type CheckKind, NEXT } from './identity-check.ts'
import { checkById } from './store.ts'
import type { KycDeps } from './submit.ts'

/** The result of a decision in the caller's transaction. */
interface DecidedCheck {
  userId: bigint
  method: string
}

type Decision = { status: 'Approved' } | { status: 'Rejected'; reason: string }

/**
 * Approves an identity check. The caller checks permissions. Throws `not_found`, and `wrong_state` once it is decided.
 */
export const approveCheck = (deps: KycDeps, tx: Tx, checkId: bigint): Promise<DecidedCheck> =>
  decide(deps, tx, checkId, { status: 'Approved' })

/**
 * Rejects a check, with the reason that the trader sees; they may upload another document. Throws as `approveCheck`.
 */
export const rejectCheck = (deps: KycDeps, tx: Tx, checkId: bigint, reason: string): Promise<DecidedCheck> =>
  decide(deps, tx, checkId, { status: 'Rejected', reason })

async function decide(deps: KycDeps, tx: Tx, checkId: bigint, decision: Decision): Promise<DecidedCheck> {
  const seen = await checkById(tx, checkId)
  // Lock the user's row first, as everywhere, then read the check again under that lock.
  const account = seen && (await lockAccountById(tx, seen.userId))
  const check = account && (await checkById(tx, checkId))
  if (!check) throw new Problem('not_found', 'Identity check not found.')
  if (check.superseded || !NEXT[check.status].includes(decision.status)) {
    throw new Problem('wrong_state', 'This identity check has already been decided.')
  }
  if (decision.status === 'Approved') await requireProfile(tx, check.userId)
  await tx
    .updateTable('identity_checks')
    .set({
      status: decision.status,
      reason: 'reason' in decision ? decision.reason : null,
      decided_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', checkId)
    .execute()
  // End the onboarding session, so that it can't change the profile that was just reviewed.
  await endOnboarding(tx, check.userId)
  deps.push.afterCommit(tx, check.userId, {
    op: 'verification',
    data: { kind: check.kind, status: decision.status },
  })
  await deps.notices.write(tx, newsOf(check.userId, check.kind, decision))
  if (decision.status === 'Approved' && check.kind === 'identity') await deps.approved(tx, check.userId)
  return { userId: check.userId, method: check.method }
}

/** Requires the profile fields that the document is compared with. Throws `wrong_state`, naming the missing ones. */
async function requireProfile(tx: Tx, userId: bigint): Promise<void> {
  const user = await findUser(tx, userId)
  const missing = (['date_of_birth', 'address', 'city', 'state', 'country'] as const)
    .filter((field) => !user?.[field])
    .map((field) => field.replaceAll('_', ' '))
  if (missing.length === 0) return
  throw new Problem(
    'wrong_state',
    `The trader's profile is incomplete (${missing.join(', ')}). Ask them to complete it, then approve.`,
  )
}

const newsOf = (userId: bigint, kind: CheckKind, decision: Decision): News =>
  kind === 'address' ? addressNews(userId, decision) : identityNews(userId, decision)

const addressNews = (userId: bigint, decision: Decision): News => ({
  userId,
  kind: 'verification',
  path: '/user/verify',
  ...(decision.status === 'Approved'
    ? { title: 'Your address is verified', text: 'Your proof of address was approved.' }
    : {
        title: 'Your proof of address was rejected',
        text: `Please upload another document. Reason: ${decision.reason}`,
      }),
})

const identityNews = (userId: bigint, decision: Decision): News =>
  decision.status === 'Approved'
    ? {
        userId,
        kind: 'verification',
        title: 'Your identity is verified',
        text: 'Thank you. You can now withdraw.',
        path: '/user/verify',
      }
    : {
        userId,
        kind: 'verification',
        title: 'Your ID was rejected',
        text: `Please upload another photo. Reason: ${decision.reason}`,
        path: '/user/verify',
      }
