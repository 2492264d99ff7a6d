import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { isoTime, LENGTH, oneOf, optionalText, text, usdNumber } from '../fields.ts'
import { BANK_ACCOUNT_TYPES, COINS, WITHDRAW_STATUSES } from '../terms.ts'
import { Approval, actionRow, actProblems, byId, claimRow, finance, item, queue, Reason } from './parts.ts'

export const DeskWithdrawal = z.strictObject({
  ...item,
  method: z.enum(['crypto', 'bank']),
  currency: z.nullable(z.enum(COINS)),
  /** The address, or 'Bank, account ending 1234'. */
  wallet: z.string(),
  amount: usdNumber,
  status: z.enum(WITHDRAW_STATUSES),
  reason: z.optional(z.string()),
  reference: z.optional(z.string()),
  approvals: z.number(),
  approvals_needed: z.number(),
  approved_by: z.array(Approval),
  due_by: z.optional(isoTime),
})
export type DeskWithdrawal = z.infer<typeof DeskWithdrawal>

/** Where to send a bank payment. */
export const BankDetails = z.strictObject({
  bank_name: z.string(),
  type: z.enum(BANK_ACCOUNT_TYPES),
  account_number: z.string(),
  routing_number: z.string(),
})

/** Withdrawals. */
export const withdrawalCalls = {
  'GET /desk/withdrawals': {
    summary: 'Withdrawals, newest first.',
    access: 'operator',
    roles: ['finance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(WITHDRAW_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskWithdrawal),
    problems: [],
  },
  'GET /desk/withdrawals/:id/bank': {
    summary: 'The bank account of a withdrawal, unmasked; each view is written into the audit log.',
    access: 'operator',
    roles: finance,
    params: byId,
    reply: replyOf(BankDetails),
    problems: ['not_found'],
  },
  'POST /desk/withdrawals/:id/claim': claimRow('withdrawals', 'Take a withdrawal to work on.'),
  'POST /desk/withdrawals/:id/release': claimRow('withdrawals', 'Give a withdrawal back.'),
  'POST /desk/withdrawals/:id/approve': {
    ...actionRow(
      'Approve a withdrawal; above the threshold a second person completes it. It is then Processing.',
      finance,
      replyOf(DeskWithdrawal),
    ),
    problems: [...actProblems, 'second_person_required', 'debt_outstanding', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/withdrawals/:id/withdraw-approval': actionRow(
    "Take one's own approval of a withdrawal back, while it waits for another.",
    finance,
    replyOf(DeskWithdrawal),
  ),
  'POST /desk/withdrawals/:id/paid': {
    ...actionRow('Mark a withdrawal as paid.', finance, replyOf(DeskWithdrawal)),
    body: z.strictObject({ reference: text(LENGTH.bank) }),
    problems: [...actProblems, 'debt_outstanding', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/withdrawals/:id/reject': {
    ...actionRow(
      'Reject a withdrawal, or note that its payment bounced; the money returns to the balance.',
      finance,
      replyOf(DeskWithdrawal),
    ),
    body: Reason,
    idempotent: true,
    problems: [...actProblems, 'idempotency_mismatch'],
  },
} as const satisfies Record<string, Endpoint>
