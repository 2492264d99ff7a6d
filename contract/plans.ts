import * as z from 'zod/mini'
import { type Endpoint, replyOf } from './endpoint.ts'
import { oneOf } from './fields.ts'
import { PLANS, type PlanValue } from './terms.ts'
import { User } from './user.ts'

const PlanBody = z.strictObject({
  trading_plan: oneOf(PLANS.map((plan) => plan.value) as [PlanValue, ...PlanValue[]]),
})

export const PLAN_REQUEST_STATUSES = ['Pending', 'Approved', 'Rejected'] as const

/** A request for a higher plan, as its owner sees it. */
export const PlanRequest = z.strictObject({ plan: z.string(), trading_plan: z.string(), status: z.string() })
export type PlanRequest = z.infer<typeof PlanRequest>

export const plansCalls = {
  'POST /users/set-plan': {
    summary: 'Buy a plan, while there is none: its price is taken from the real balance. Answers the user with it.',
    access: 'user',
    idempotent: true,
    body: PlanBody,
    reply: replyOf(User),
    problems: ['insufficient_balance', 'wrong_state', 'idempotency_mismatch'],
  },
  'POST /users/request-plan-update': {
    summary: 'Ask for a higher plan, which an operator decides; one request at a time.',
    access: 'user',
    body: PlanBody,
    reply: replyOf(PlanRequest),
    problems: ['wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
