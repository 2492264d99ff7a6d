import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { isoTime, oneOf, optionalText, usdAmount, usdNumber } from '../fields.ts'
import { COINS, DEPOSIT_STATUSES } from '../terms.ts'
import { Approval, actionRow, actProblems, byId, claimRow, finance, item, queue, Reason } from './parts.ts'

export const DeskDeposit = z.strictObject({
  ...item,
  method: z.enum(['crypto', 'card']),
  currency: z.nullable(z.enum(COINS)),
  /** The submitted amount, US dollars. */
  usd_amount: usdNumber,
  coin_amount: z.nullable(z.number()),
  rate: z.nullable(z.string()),
  /** The credited amount, once it is credited. */
  amount: z.optional(usdNumber),
  status: z.enum(DEPOSIT_STATUSES),
  reason: z.optional(z.string()),
  receipt_url: z.nullable(z.string()),
  approvals: z.number(),
  /** For the submitted amount; the amount that the operator enters decides. */
  approvals_needed: z.number(),
  approved_by: z.array(Approval),
  due_by: z.optional(isoTime),
  reversed: z.optional(usdNumber),
})
export type DeskDeposit = z.infer<typeof DeskDeposit>

/** Deposits. Reversals of them are in `reversals.ts`. */
export const depositCalls = {
  'GET /desk/deposits': {
    summary: 'Deposits, newest first.',
    access: 'operator',
    roles: ['finance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(DEPOSIT_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskDeposit),
    problems: [],
  },
  'GET /desk/deposits/:id/receipt': {
    summary: 'The picture of a receipt; each view is written into the audit log.',
    access: 'operator',
    roles: finance,
    params: byId,
    reply: 'text',
    problems: ['not_found'],
  },
  'POST /desk/deposits/:id/claim': claimRow('deposits', 'Take a deposit to work on.'),
  'POST /desk/deposits/:id/release': claimRow('deposits', 'Give a deposit back.'),
  'POST /desk/deposits/:id/approve': {
    ...actionRow(
      'Approve a deposit by the US dollars that arrived; above the threshold a second person types the same.',
      finance,
      replyOf(DeskDeposit),
    ),
    body: z.strictObject({ amount: usdAmount() }),
    problems: [...actProblems, 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/deposits/:id/withdraw-approval': actionRow(
    "Take one's own approval of a deposit back, while it waits for another.",
    finance,
    replyOf(DeskDeposit),
  ),
  'POST /desk/deposits/:id/reject': {
    ...actionRow(
      'Reject a deposit; the trader reads the reason. The open checkout of a card deposit is closed first.',
      finance,
      replyOf(DeskDeposit),
    ),
    body: Reason,
    problems: [...actProblems, 'unavailable', 'not_configured', 'idempotency_mismatch'],
    idempotent: true,
  },
} as const satisfies Record<string, Endpoint>
