import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { isoTime, oneOf, optionalText, usdNumber } from '../fields.ts'
import { PLAN_REQUEST_STATUSES } from '../plans.ts'
import { actionRow, actProblems, claimRow, finance, item, queue, Reason } from './parts.ts'

export const DeskPlanRequest = z.strictObject({
  ...item,
  from_plan: z.string(),
  plan: z.string(),
  /** The plan's price difference and the trader's balance, US dollars. */
  price: usdNumber,
  balance: usdNumber,
  status: z.enum(PLAN_REQUEST_STATUSES),
  reason: z.optional(z.string()),
  decided_at: z.optional(isoTime),
})
export type DeskPlanRequest = z.infer<typeof DeskPlanRequest>

/** Requests for a higher plan. */
export const planRequestCalls = {
  'GET /desk/plan-requests': {
    summary: 'Requests for a higher plan, newest first.',
    access: 'operator',
    roles: ['finance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(PLAN_REQUEST_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskPlanRequest),
    problems: [],
  },
  'POST /desk/plan-requests/:id/claim': claimRow('plan-requests', 'Take a plan request to work on.'),
  'POST /desk/plan-requests/:id/release': claimRow('plan-requests', 'Give a plan request back.'),
  'POST /desk/plan-requests/:id/approve': {
    ...actionRow(
      'Approve a plan request; the difference is taken from the real balance.',
      finance,
      replyOf(DeskPlanRequest),
    ),
    problems: [...actProblems, 'insufficient_balance', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/plan-requests/:id/reject': {
    ...actionRow('Reject a plan request; the trader reads the reason.', finance, replyOf(DeskPlanRequest)),
    body: Reason,
    idempotent: true,
    problems: [...actProblems, 'idempotency_mismatch'],
  },
} as const satisfies Record<string, Endpoint>
