import type { User } from '#contract/user.ts'
import { PLANS, type PlanValue } from '#web/ui/index.ts'

/** What the button of a plan's card says; the first and the last can be pressed. */
export type Standing = 'Request Plan' | 'Active' | 'Requested' | 'Nil' | 'Request Upgrade'

const step = (plan: string): number => PLANS.findIndex((one) => one.value === plan)

/** How a plan stands to what the trader has. */
export function standingOf(
  plan: PlanValue,
  user: Pick<User, 'trading_plan' | 'plan_request'> | null | undefined,
): Standing {
  if (!user) return 'Nil'
  if (user.trading_plan === '') return 'Request Plan'
  if (user.trading_plan === plan) return 'Active'
  if (user.plan_request?.trading_plan === plan) return 'Requested'
  return step(plan) < step(user.trading_plan) ? 'Nil' : 'Request Upgrade'
}

/** US dollars that the balance lacks for a price; 0 where it covers it. Counted in cents. */
export const missingFor = (priceUsd: number, balance: number): number =>
  Math.max(0, Math.round((priceUsd - balance) * 100)) / 100
