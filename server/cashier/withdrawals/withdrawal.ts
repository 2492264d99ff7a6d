import { WITHDRAWAL_BUSINESS_DAYS, type WithdrawalStatus } from '#contract/terms.ts'
import type { Ms } from '#kernel/time.ts'
import type { Standing } from '../deposits/deposit.ts'
import { afterBusinessDays } from './business-days.ts'

/**
 * Allowed status changes of a withdrawal. The trader can cancel only while it is Pending; a bounced payment is
 * Rejected.
 */
export const WITHDRAWAL_NEXT: Record<WithdrawalStatus, readonly WithdrawalStatus[]> = {
  Pending: ['Processing', 'Rejected', 'Cancelled'],
  Processing: ['Paid', 'Rejected'],
  Paid: [],
  Rejected: [],
  Cancelled: [],
}

const HALTED = 'Payouts are paused'

export function standingOfWithdrawal(withdrawal: {
  status: WithdrawalStatus
  createdAt: Ms
  approvals: number
  approvedAt: Ms | undefined
  processingAt: Ms | undefined
  endedAt: Ms | undefined
  /** Since when payouts are halted. */
  haltedAt: Ms | undefined
}): Standing {
  const { createdAt, approvedAt = createdAt, processingAt = createdAt, endedAt = createdAt } = withdrawal
  const dueBy = afterBusinessDays(createdAt, WITHDRAWAL_BUSINESS_DAYS)
  if (withdrawal.haltedAt !== undefined && WITHDRAWAL_NEXT[withdrawal.status].length > 0)
    return { heldBy: HALTED, since: withdrawal.haltedAt, dueBy }
  switch (withdrawal.status) {
    case 'Pending':
      return withdrawal.approvals > 0
        ? { heldBy: 'Second operator (reviewing)', since: approvedAt, dueBy }
        : { heldBy: 'Operator (reviewing)', since: createdAt, dueBy }
    case 'Processing':
      return { heldBy: 'Operator (paying)', since: processingAt, dueBy }
    default:
      return { heldBy: 'You', since: endedAt }
  }
}

/** Returns a bank account in its masked form. */
export const maskedBank = (ending: string): string => `Bank, account ending ${ending}`
