import { Problem } from '#contract/problem.ts'
import type { PlanValue } from '#contract/terms.ts'
import { usd, usdGrouped } from '#kernel/money.ts'
import { lockAccountById, setPlan } from '../identity/index.ts'
import { keepKey, keptUnder, type RequestKey } from '../ledger/index.ts'
import { inTransaction } from '../platform/db.ts'
import { charge } from './charge.ts'
import type { PlansDeps } from './deps.ts'
import { nameOf, priceOf } from './ladder.ts'

export interface SetPlan {
  userId: bigint
  plan: PlanValue
  key: RequestKey | undefined
}

/**
 * Buys a plan from 'None'. A repeat under its key changes nothing more. Throws `wrong_state` where there is a plan
 * already, `insufficient_balance`, and `idempotency_mismatch` for a key that bought another.
 */
export async function buyPlan(deps: PlansDeps, { userId, plan, key }: SetPlan): Promise<void> {
  const written = await inTransaction(deps.db, async (tx) => {
    // Whoever buys the same a second time waits here, and finds the plan.
    const account = await lockAccountById(tx, userId)
    if (!account) throw new Problem('unauthenticated', 'Please sign in.')
    if (key && (await keptUnder(tx, userId, key)) !== undefined) return undefined
    if (account.trading_plan !== '') {
      throw new Problem(
        'wrong_state',
        `You have the ${nameOf(account.trading_plan)} plan already. A higher one can be requested.`,
      )
    }
    const chargeId = await charge(tx, { userId, from: '', to: plan })
    if (key) await keepKey(tx, userId, key, 'plan', chargeId)
    await setPlan(tx, userId, { tradingPlan: plan, pending: null })
    return deps.notices.write(tx, {
      userId,
      kind: 'plan',
      title: `The ${nameOf(plan)} plan is yours`,
      text: `${usdGrouped(usd(priceOf(plan)))} USD were taken from your live balance for it.`,
      path: '/user/plan',
    })
  })
  if (!written) return
  deps.bus.publish('plan-changed', { userId, tradingPlan: plan, request: null })
  deps.notices.committed(written)
}
