import * as z from 'zod/mini'
import { User } from '../account/user.ts'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { isoTime, oneOf } from '../fields.ts'
import { PLAN_REQUEST_STATUSES, PLANS, type PlanValue } from '../terms.ts'

const PlanBody = z.strictObject({
  trading_plan: oneOf(PLANS.map((plan) => plan.value) as [PlanValue, ...PlanValue[]]),
})

/** A plan upgrade request, as its owner sees it. */
export const PlanRequest = z.strictObject({ plan: z.string(), trading_plan: z.string(), status: z.string() })
export type PlanRequest = z.infer<typeof PlanRequest>

export const plansCalls = {
  'POST /users/set-plan': {
    summary: 'Buys the first plan, charged to the real balance, and returns the user.',
    access: 'user',
    limit: { max: 20, per: 'hour' },
    idempotent: true,
    body: PlanBody,
    reply: replyOf(User),
    problems: ['insufficient_balance', 'wrong_state', 'idempotency_mismatch'],
  },
  'POST /users/request-plan-update': {
    summary: 'Requests an upgrade, which an operator decides. One request at a time.',
    access: 'user',
    limit: { max: 20, per: 'hour' },
    body: PlanBody,
    reply: replyOf(PlanRequest),
    problems: ['wrong_state'],
  },
  'POST /users/withdraw-plan-request': {
    summary: 'Withdraws the pending upgrade request.',
    access: 'user',
    limit: { max: 20, per: 'hour' },
    reply: messageReply,
    problems: ['wrong_state'],
  },
  'GET /users/plan-request': {
    summary: 'Returns the latest upgrade request with its outcome, or null.',
    access: 'user',
    reply: replyOf(
      z.nullable(
        z.strictObject({
          plan: z.string(),
          status: z.enum(PLAN_REQUEST_STATUSES),
          /** Why it was rejected. */
          reason: z.optional(z.string()),
          decided_at: z.optional(isoTime),
        }),
      ),
    ),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
