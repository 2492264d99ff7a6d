import { type Mode, PLANS } from '#contract/terms.ts'
import { DEMO_TRADES_A_DAY } from '#contract/trading/automatic.ts'

/** Returns how many automatic trades a day a plan includes. */
export const planTrades = (plan: string | undefined): number =>
  PLANS.find(({ value }) => value === plan)?.tradesADay ?? 0

/** Returns how many automatic trades a day an account may place: the plan's, or fewer by its settings. */
export const tradesAllowed = (mode: Mode, plan: string | undefined, tradesADay: number): number =>
  Math.min(tradesADay, mode === 'demo' ? DEMO_TRADES_A_DAY : planTrades(plan))
