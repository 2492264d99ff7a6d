import type { User } from '#contract/account/user.ts'
import { PLANS, type PlanValue, roundToCents } from '#web/ui/index.ts'

/** The label of a plan's button; only the first and the last can be pressed. */
export type PlanState = 'Request Plan' | 'Active' | 'Requested' | 'Nil' | 'Request Upgrade'

const step = (plan: string): number => PLANS.findIndex((one) => one.value === plan)

/** Returns the state of a plan, given the trader's current plan and requests. */
export function planStateOf(
  plan: PlanValue,
  user: Pick<User, 'trading_plan' | 'plan_request'> | null | undefined,
): PlanState {
  if (!user) return 'Nil'
  if (user.trading_plan === '') return 'Request Plan'
  if (user.trading_plan === plan) return 'Active'
  if (user.plan_request?.trading_plan === plan) return 'Requested'
  return step(plan) < step(user.trading_plan) ? 'Nil' : 'Request Upgrade'
}

/** Returns the US dollars missing from the balance for a price; 0 if it covers it. Computed in cents. */
export const missingFor = (priceUsd: number, balance: number): number => Math.max(0, roundToCents(priceUsd - balance))
