import type { PlanRequest } from '#contract/money/plans.ts'
import type { BalancePush, RequestKeys } from '../ledger/index.ts'
import type { Notices } from '../notices/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { Push } from '../platform/sockets/push.ts'

export interface PlansDeps {
  db: Db
  push: Pick<Push, 'afterCommit'>
  balances: Pick<BalancePush, 'afterCommit'>
  notices: Notices
  keys: RequestKeys
}

/** Pushes a trader's plan and balances after the commit. */
export function pushPlan(
  { push, balances }: Pick<PlansDeps, 'push' | 'balances'>,
  tx: Tx,
  { userId, tradingPlan, request }: { userId: bigint; tradingPlan: string; request: PlanRequest | null },
): void {
  push.afterCommit(tx, userId, { op: 'plan', data: { trading_plan: tradingPlan, plan_request: request } })
  balances.afterCommit(tx, userId)
}
