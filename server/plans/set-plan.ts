import type { User } from '#contract/account/user.ts'
import { Problem } from '#contract/problem.ts'
import type { PlanValue } from '#contract/terms.ts'
import { assert } from '#kernel/assert.ts'
import { dollars } from '#kernel/money.ts'
import { lockAccountById, setPlan, shownUser } from '../identity/index.ts'
import { keptAnswer, lockAccounts, type RequestKey } from '../ledger/index.ts'
import { inTransaction, type Tx } from '../platform/database/db.ts'
import { charge } from './charge.ts'
import { type PlansDeps, pushPlan } from './deps.ts'
import { nameOf, priceOf } from './ladder.ts'

interface SetPlan {
  userId: bigint
  plan: PlanValue
  key: RequestKey | undefined
}

/**
 * Buys a plan from 'None'. A retry with the same key changes nothing and returns the first response. Throws
 * `wrong_state` when the trader already has a plan, `insufficient_balance`, and `idempotency_mismatch` for a key that
 * bought another.
 */
export async function buyPlan(deps: PlansDeps, { userId, plan, key }: SetPlan): Promise<User> {
  return inTransaction(deps.db, async (tx) => {
    // A concurrent purchase blocks on this lock, then sees the plan.
    const account = await lockAccountById(tx, userId)
    if (!account) throw new Problem('unauthenticated', 'Please sign in.')
    if (key && (await deps.keys.find(tx, userId, key)) !== undefined)
      return (await keptAnswer<User>(tx, userId, key)) ?? userNow(tx, userId)
    if (account.trading_plan !== '') {
      throw new Problem(
        'wrong_state',
        `You already have the ${nameOf(account.trading_plan)} plan. You can request a higher one.`,
      )
    }
    if (key) await lockAccounts(tx, userId)
    const chargeId = await charge(tx, { userId, from: '', to: plan })
    await setPlan(tx, userId, { tradingPlan: plan, pending: null })
    const user = await userNow(tx, userId)
    if (key) await deps.keys.store(tx, userId, key, 'plan', chargeId, user)
    pushPlan(deps, tx, { userId, tradingPlan: plan, request: null })
    await deps.notices.write(tx, {
      userId,
      kind: 'plan',
      title: `You now have the ${nameOf(plan)} plan`,
      text: `We charged ${dollars(priceOf(plan))} to your live balance. Its automatic trades stay off until you set them up and start them.`,
      path: '/user/plan',
    })
    return user
  })
}

async function userNow(tx: Tx, userId: bigint): Promise<User> {
  const user = await shownUser(tx, userId)
  assert(user, 'the account is locked by this transaction')
  return user
}
