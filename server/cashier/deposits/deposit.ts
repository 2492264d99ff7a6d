import { DEPOSIT_BUSINESS_DAYS, type DepositStatus, RATE_MINUTES } from '#contract/terms.ts'
import { MINUTE_MS, type Ms, toIso } from '#kernel/time.ts'
import { afterBusinessDays } from '../withdrawals/business-days.ts'

/** Allowed status changes of a deposit. A later refund changes no status. */
export const DEPOSIT_NEXT: Record<DepositStatus, readonly DepositStatus[]> = {
  Pending: ['Approved', 'Rejected'],
  Approved: [],
  Rejected: [],
}

/** Who has the item now, as text, since when, and the deadline. */
export interface Standing {
  heldBy: string
  since: Ms
  dueBy?: Ms
}

export function standingOfDeposit(deposit: {
  status: DepositStatus
  method: string
  createdAt: Ms
  approvals: number
  approvedAt: Ms | undefined
  decidedAt: Ms | undefined
}): Standing {
  if (deposit.status !== 'Pending') return { heldBy: 'You', since: deposit.decidedAt ?? deposit.createdAt }
  if (deposit.method === 'card') return { heldBy: 'Card provider', since: deposit.createdAt }
  const dueBy = afterBusinessDays(deposit.createdAt, DEPOSIT_BUSINESS_DAYS)
  return deposit.approvals > 0
    ? { heldBy: 'Second operator (reviewing)', since: deposit.approvedAt ?? deposit.createdAt, dueBy }
    : { heldBy: 'Operator (reviewing)', since: deposit.createdAt, dueBy }
}

/** Until when coins for a deposit count at the rate that its trader was shown. */
export const rateUntil = (requestedAt: Date): string => toIso(requestedAt.getTime() + RATE_MINUTES * MINUTE_MS)

/** How many people must agree on an amount before it is credited, or approve a withdrawal before it is paid. */
export const approvalsNeeded = (amount: bigint, twoPersonAbove: bigint): 1 | 2 => (amount > twoPersonAbove ? 2 : 1)
