import { Problem } from '#contract/problem.ts'
import type { PlanRequestStatus, PlanValue, TradingPlan } from '#contract/terms.ts'
import { dollars } from '#kernel/money.ts'
import { lockAccountById, setPlan } from '../identity/index.ts'
import { sql, type Tx } from '../platform/database/db.ts'
import { charge } from './charge.ts'
import { type PlansDeps, pushPlan } from './deps.ts'
import { differenceOf, NEXT, nameOf } from './ladder.ts'

/** The result of a decision in the caller's transaction. */
interface Decided {
  userId: bigint
  from: TradingPlan
  plan: PlanValue
}

/**
 * Approves a request: charges the price difference to the real balance and sets the trader's plan, both or neither. The
 * caller checks permissions. Throws `not_found`, `wrong_state` for a decided request, `insufficient_balance`.
 */
export async function approvePlanRequest(deps: PlansDeps, tx: Tx, requestId: bigint): Promise<Decided> {
  const decided = await decide(tx, requestId, 'Approved')
  const { userId, from, plan } = decided
  await charge(tx, { userId, from, to: plan, requestId })
  await setPlan(tx, userId, { tradingPlan: plan, pending: null })
  pushPlan(deps, tx, { userId, tradingPlan: plan, request: null })
  await deps.notices.write(tx, {
    userId,
    kind: 'plan',
    title: `You now have the ${nameOf(plan)} plan`,
    text: `Your request was approved. We charged the difference of ${dollars(differenceOf(from, plan))} to your live balance. More automatic trades a day are available from now on.`,
    path: '/user/plan',
  })
  return decided
}

/** Rejects a request, with the reason that the trader sees. Throws `not_found`, `wrong_state`. */
export async function rejectPlanRequest(deps: PlansDeps, tx: Tx, requestId: bigint, reason: string): Promise<Decided> {
  const decided = await decide(tx, requestId, 'Rejected', reason)
  const { userId, from, plan } = decided
  await setPlan(tx, userId, { pending: null })
  pushPlan(deps, tx, { userId, tradingPlan: from, request: null })
  await deps.notices.write(tx, {
    userId,
    kind: 'plan',
    title: `Your request for the ${nameOf(plan)} plan was rejected`,
    text: `You weren't charged. Reason: ${reason}`,
    path: '/user/plan',
  })
  return decided
}

async function decide(
  tx: Tx,
  requestId: bigint,
  status: PlanRequestStatus,
  reason: string | null = null,
): Promise<Decided> {
  const find = () =>
    tx
      .selectFrom('plan_requests')
      .select(['user_id', 'from_plan', 'plan', 'status'])
      .where('id', '=', requestId)
      .executeTakeFirst()
  const seen = await find()
  // Lock the user's row first, as everywhere, then read the request again under that lock.
  const account = seen && (await lockAccountById(tx, seen.user_id))
  const request = account && (await find())
  if (!request) throw new Problem('not_found', 'Request not found.')
  if (!NEXT[request.status].includes(status)) {
    throw new Problem('wrong_state', 'This request has already been decided.')
  }
  await tx
    .updateTable('plan_requests')
    .set({ status, reason, decided_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', requestId)
    .execute()
  return { userId: request.user_id, from: request.from_plan, plan: request.plan }
}
