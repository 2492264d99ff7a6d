import { Problem } from '#contract/problem.ts'
import type { PlanValue } from '#contract/terms.ts'
import { lockAccountById, setPlan } from '../identity/index.ts'
import { inTransaction, sql, type Tx } from '../platform/db.ts'
import { charge } from './charge.ts'
import type { PlansDeps } from './deps.ts'
import { NEXT, type RequestStatus } from './ladder.ts'

/**
 * Approves a request: the difference is taken from the real balance and the plan is the trader's, both or neither. Who may
 * do so is for the caller to know. Throws `not_found`, `wrong_state` for one that is decided, `insufficient_balance`.
 */
export async function approvePlanRequest(deps: PlansDeps, requestId: bigint): Promise<void> {
  const { userId, plan } = await inTransaction(deps.db, async (tx) => {
    const request = await decide(tx, requestId, 'Approved')
    await charge(tx, { userId: request.userId, from: request.from, to: request.plan, requestId })
    await setPlan(tx, request.userId, { tradingPlan: request.plan, pending: null })
    return request
  })
  deps.bus.publish('plan-changed', { userId, tradingPlan: plan, request: null })
}

/** Rejects a request, with the reason that the trader is told. Throws `not_found`, `wrong_state`. */
export async function rejectPlanRequest(deps: PlansDeps, requestId: bigint, reason: string): Promise<void> {
  const { userId, from } = await inTransaction(deps.db, async (tx) => {
    const request = await decide(tx, requestId, 'Rejected', reason)
    await setPlan(tx, request.userId, { pending: null })
    return request
  })
  deps.bus.publish('plan-changed', { userId, tradingPlan: from, request: null })
}

async function decide(tx: Tx, requestId: bigint, status: RequestStatus, reason: string | null = null) {
  const find = () =>
    tx
      .selectFrom('plan_requests')
      .select(['user_id', 'from_plan', 'plan', 'status'])
      .where('id', '=', requestId)
      .executeTakeFirst()
  const seen = await find()
  // The user's row first, as everywhere; then the request as it stands under that lock.
  const account = seen && (await lockAccountById(tx, seen.user_id))
  const request = account && (await find())
  if (!request) throw new Problem('not_found', 'There is no such request.')
  if (!NEXT[request.status as RequestStatus].includes(status)) {
    throw new Problem('wrong_state', 'This request was decided already.')
  }
  await tx
    .updateTable('plan_requests')
    .set({ status, reason, decided_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', requestId)
    .execute()
  // The table's checks hold its plans to the ladder.
  return { userId: request.user_id, from: request.from_plan, plan: request.plan as PlanValue }
}
