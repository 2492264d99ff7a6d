import type { WithdrawalRequirements } from '#contract/money/cashier.ts'
import { Problem } from '#contract/problem.ts'
import { WITHDRAWAL_BUSINESS_DAYS } from '#contract/terms.ts'
import { usdToNumber } from '#kernel/money.ts'
import { findAccountById, isLocked, withdrawalPause } from '../identity/index.ts'
import { currentCheck, isIdentityReopened } from '../kyc/index.ts'
import { debtOf } from '../ledger/index.ts'
import { depositWaysOf } from './deposits/store.ts'
import type { CashierDeps } from './deps.ts'
import { readSettings } from './settings.ts'
import { payoutsPausedSince } from './withdrawals/payout-halts.ts'

/** Returns what a withdrawal requires and which of that the user meets. Shown before the first deposit. */
export async function withdrawalRequirements(deps: CashierDeps, userId: bigint): Promise<WithdrawalRequirements> {
  const [account, check, settings, locked, owed, cameBy, reopened, paused, pause] = await Promise.all([
    findAccountById(deps.db, userId),
    currentCheck(deps.db, userId),
    readSettings(deps.db),
    isLocked(deps.db, userId, 'withdrawals'),
    debtOf(deps.db, userId),
    depositWaysOf(deps.db, userId),
    isIdentityReopened(deps.db, userId),
    payoutsPausedSince(deps.db),
    withdrawalPause(deps.db, userId),
  ])
  if (!account) throw new Problem('unauthenticated', 'Please sign in.')
  const emailVerified = account.email_confirmed_at !== null
  const identityRequired = settings.withdrawalsNeedIdentity || reopened
  return {
    possible: emailVerified && !locked && !pause && owed === 0n && (!identityRequired || check?.status === 'Approved'),
    email_verified: emailVerified,
    identity: check?.status ?? null,
    identity_method: check?.method ?? null,
    identity_required: identityRequired,
    locked,
    pause: pause ? { cause: pause.cause, until: pause.until?.toISOString() ?? null } : null,
    owed: usdToNumber(owed),
    came_by: cameBy,
    two_person_amount: usdToNumber(settings.withdrawalTwoPersonAbove),
    business_days: WITHDRAWAL_BUSINESS_DAYS,
    paused_since: paused?.toISOString() ?? null,
  }
}
