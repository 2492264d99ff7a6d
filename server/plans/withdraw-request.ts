import { Problem } from '#contract/problem.ts'
import { lockAccountById, setPlan } from '../identity/index.ts'
import { inTransaction, sql, type Tx } from '../platform/database/db.ts'
import { type PlansDeps, pushPlan } from './deps.ts'

/** Withdraws a pending request in the caller's transaction, if there is one: for example, because of a self-exclusion. */
export async function cancelPlanRequest(tx: Tx, userId: bigint): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('plan_requests')
    .set({ status: 'Cancelled', decided_at: sql<Date>`clock_timestamp()` })
    .where('user_id', '=', userId)
    .where('status', '=', 'Pending')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await setPlan(tx, userId, { pending: null })
  return true
}

/** Withdraws the trader's own pending request. Throws `wrong_state` when none is pending. */
export async function withdrawPlanRequest(deps: PlansDeps, userId: bigint): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const account = await lockAccountById(tx, userId)
    if (!account) throw new Problem('unauthenticated', 'Please sign in.')
    if (!(await cancelPlanRequest(tx, userId))) throw new Problem('wrong_state', 'You have no pending plan request.')
    pushPlan(deps, tx, { userId, tradingPlan: account.trading_plan, request: null })
  })
}
