import type { plansCalls } from '#contract/plans.ts'
import { Problem } from '#contract/problem.ts'
import { findUser, toUser } from '../identity/index.ts'
import { balancesOf, keyOf } from '../ledger/index.ts'
import type { Handlers } from '../platform/http/index.ts'
import type { PlansDeps } from './deps.ts'
import { nameOf } from './ladder.ts'
import { requestPlan } from './request-plan.ts'
import { buyPlan } from './set-plan.ts'

/** The calls of `contract/plans.ts`. */
export function plansRoutes(deps: PlansDeps): Handlers<keyof typeof plansCalls> {
  return {
    'POST /users/set-plan': async ({ who, body, request }) => {
      await buyPlan(deps, { userId: who.userId, plan: body.trading_plan, key: keyOf(request) })
      const row = await findUser(deps.db, who.userId)
      if (!row) throw new Problem('unauthenticated', 'Please sign in.')
      return {
        status: true,
        message: `The ${nameOf(body.trading_plan)} plan is yours.`,
        data: toUser(row, await balancesOf(deps.db, who.userId)),
      }
    },
    'POST /users/request-plan-update': async ({ who, body }) => ({
      status: true,
      message: `Your request for the ${nameOf(body.trading_plan)} plan was recorded.`,
      data: await requestPlan(deps, who.userId, body.trading_plan),
    }),
  }
}
