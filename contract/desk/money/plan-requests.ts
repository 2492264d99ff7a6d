import * as z from 'zod/mini'
import { isoTime, optionalText, usdNumber } from '../../fields.ts'
import { PLAN_REQUEST_STATUSES } from '../../terms.ts'
import { item, Reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'

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
export const planRequestCalls = queueCalls('plan-requests', {
  item: DeskPlanRequest,
  summary: 'Lists requests for a higher plan, newest first.',
  filter: { user: optionalText(20) },
  actions: {
    approve: {
      summary: 'Approves a plan request and takes the price difference from the real balance.',
      idempotent: true,
      problems: ['insufficient_balance'],
    },
    reject: { summary: 'Rejects a plan request. The trader sees the reason.', body: Reason, idempotent: true },
  },
})
