import { PLANS, type PlanRequestStatus, type PlanValue } from '#contract/terms.ts'
import { subtract, type Usd, usd } from '#kernel/money.ts'

/** Allowed status changes of a request. A decision is final; the trader can make a new request. */
export const NEXT: Record<PlanRequestStatus, readonly PlanRequestStatus[]> = {
  Pending: ['Approved', 'Rejected', 'Cancelled'],
  Approved: [],
  Rejected: [],
  Cancelled: [],
}

/** Returns the plan of that name; undefined for 'None'. */
export const planOf = (plan: string): PlanValue | undefined => PLANS.find((one) => one.value === plan)?.value

/** `''` is 'None', the lowest step of the ladder. */
const stepOf = (plan: string): number => PLANS.findIndex((one) => one.value === plan)

/** Cents. 'None' is free. */
export const priceOf = (plan: string): Usd => usd(BigInt(PLANS[stepOf(plan)]?.priceUsd ?? 0) * 100n)

/** Price difference between a plan and a higher one, in cents. */
export const differenceOf = (from: string, to: PlanValue): Usd => subtract(priceOf(to), priceOf(from))

/** The display name: 'Gold-7600' is Gold. */
export const nameOf = (plan: string): string => plan.split('-')[0] || 'None'

/** Returns why a higher plan can't be requested, or undefined when it can. */
export function whyNoRequest(current: string, pending: string | null, wanted: PlanValue): string | undefined {
  if (current === '') return "You don't have a plan yet. Choose one first."
  if (pending !== null) return `Your request for the ${nameOf(pending)} plan is still under review.`
  if (stepOf(wanted) === stepOf(current)) return `You already have the ${nameOf(current)} plan.`
  if (stepOf(wanted) < stepOf(current)) return `You already have a higher plan: ${nameOf(current)}.`
  return undefined
}
