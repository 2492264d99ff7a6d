import type { PLAN_REQUEST_STATUSES } from '#contract/plans.ts'
import { PLANS, type PlanValue } from '#contract/terms.ts'
import { type Usd, usd } from '#kernel/money.ts'

export type RequestStatus = (typeof PLAN_REQUEST_STATUSES)[number]

/** What a request may become. A decision is final: whoever wants more asks anew. */
export const NEXT: Record<RequestStatus, readonly RequestStatus[]> = {
  Pending: ['Approved', 'Rejected', 'Cancelled'],
  Approved: [],
  Rejected: [],
  Cancelled: [],
}

/** `''` is 'None', the foot of the ladder. */
export const stepOf = (plan: string): number => PLANS.findIndex((one) => one.value === plan)

/** Cents. 'None' costs nothing. */
export const priceOf = (plan: string): Usd => usd(BigInt(PLANS[stepOf(plan)]?.priceUsd ?? 0) * 100n)

/** Cents to pay for going from one plan to a higher one. */
export const differenceOf = (from: string, to: PlanValue): Usd => usd(priceOf(to) - priceOf(from))

/** 'Gold-7600' is called Gold. */
export const nameOf = (plan: string): string => plan.split('-')[0] || 'None'

/** Why a higher plan may not be asked for; undefined where it may. */
export function whyNoRequest(current: string, pending: string | null, wanted: PlanValue): string | undefined {
  if (current === '') return 'You have no plan yet: choose one first.'
  if (pending !== null) return `Your request for the ${nameOf(pending)} plan is still being looked at.`
  if (stepOf(wanted) === stepOf(current)) return `You have the ${nameOf(current)} plan already.`
  if (stepOf(wanted) < stepOf(current)) return `You have a higher plan already: ${nameOf(current)}.`
  return undefined
}
