import type { PlanRequest } from '#contract/plans.ts'
import type { Notices } from '../notices/index.ts'
import type { Bus } from '../platform/bus.ts'
import type { Db } from '../platform/db.ts'

/** Events that this room publishes after the commit. */
export interface PlansTopics {
  'plan-changed': { userId: bigint; tradingPlan: string; request: PlanRequest | null }
}

export interface PlansDeps {
  db: Db
  bus: Bus<PlansTopics>
  notices: Notices
}
