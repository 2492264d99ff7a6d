import type { PlanRequest } from '#contract/money/plans.ts'
import { Problem } from '#contract/problem.ts'
import type { PlanValue } from '#contract/terms.ts'
import { assert } from '#kernel/assert.ts'
import { lockAccountById, setPlan } from '../identity/index.ts'
import { type Db, inTransaction } from '../platform/database/db.ts'
import { type PlansDeps, pushPlan } from './deps.ts'
import { nameOf, planOf, whyNoRequest } from './ladder.ts'

/** Records a request for a higher plan, one at a time. Throws `wrong_state`. */
export async function requestPlan(deps: PlansDeps, userId: bigint, plan: PlanValue): Promise<PlanRequest> {
  const request: PlanRequest = { plan: nameOf(plan), trading_plan: plan, status: 'Pending' }
  await inTransaction(deps.db, async (tx) => {
    const account = await lockAccountById(tx, userId)
    if (!account) throw new Problem('unauthenticated', 'Please sign in.')
    const why = whyNoRequest(account.trading_plan, account.plan_request, plan)
    if (why !== undefined) throw new Problem('wrong_state', why)
    const from = planOf(account.trading_plan)
    assert(from, 'an upgrade starts from a plan')
    await tx.insertInto('plan_requests').values({ user_id: userId, from_plan: from, plan }).execute()
    await setPlan(tx, userId, { pending: plan })
    pushPlan(deps, tx, { userId, tradingPlan: account.trading_plan, request })
  })
  return request
}

/** Returns the trader's newest request with its outcome, or null when there is none. */
export async function newestRequest(db: Db, userId: bigint) {
  const row = await db
    .selectFrom('plan_requests')
    .select(['plan', 'status', 'reason', 'decided_at'])
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row) return null
  return {
    plan: nameOf(row.plan),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.decided_at === null ? {} : { decided_at: row.decided_at.toISOString() }),
  }
}
