import { DEPOSIT_BUSINESS_DAYS, type DepositStatus } from '#contract/terms.ts'
import type { Ms } from '#kernel/time.ts'
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

/** How many people must agree on an amount before it is credited, or approve a withdrawal before it is paid. */
export const approvalsNeeded = (amount: bigint, twoPersonAbove: bigint): 1 | 2 => (amount > twoPersonAbove ? 2 : 1)
