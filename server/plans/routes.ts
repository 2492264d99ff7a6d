import type { plansCalls } from '#contract/money/plans.ts'
import { keyOf } from '../ledger/index.ts'
import type { Handlers } from '../platform/http/index.ts'
import type { PlansDeps } from './deps.ts'
import { nameOf } from './ladder.ts'
import { newestRequest, requestPlan } from './request-plan.ts'
import { buyPlan } from './set-plan.ts'
import { withdrawPlanRequest } from './withdraw-request.ts'

/** The routes of `contract/money/plans.ts`. */
export function plansRoutes(deps: PlansDeps): Handlers<keyof typeof plansCalls> {
  return {
    'POST /users/set-plan': async ({ who, body, request }) => {
      const data = await buyPlan(deps, { userId: who.userId, plan: body.trading_plan, key: keyOf(request) })
      return { status: true, message: `You now have the ${nameOf(body.trading_plan)} plan.`, data }
    },
    'POST /users/request-plan-update': async ({ who, body }) => ({
      status: true,
      message: `You requested the ${nameOf(body.trading_plan)} plan.`,
      data: await requestPlan(deps, who.userId, body.trading_plan),
    }),
    'POST /users/withdraw-plan-request': async ({ who }) => {
      await withdrawPlanRequest(deps, who.userId)
      return { status: true, message: 'Your request was withdrawn.' }
    },
    'GET /users/plan-request': async ({ who }) => ({ status: true, data: await newestRequest(deps.db, who.userId) }),
  }
}
