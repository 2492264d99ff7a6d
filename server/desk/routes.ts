import { withKeys } from './actions/keyed.ts'
import type { DeskDeps } from './deps.ts'
import { officeRoutes } from './office/office-routes.ts'
import { payoutBatchRoutes } from './queues/money/payout-batches.ts'
import { queueRoutes } from './queues/routes.ts'
import { riskRoutes } from './risk/risk-routes.ts'
import { userRoutes } from './users/user-routes.ts'

/** The routes of `contract/desk/`. */
export const deskRoutes = (deps: DeskDeps) =>
  withKeys(deps, {
    ...officeRoutes(deps),
    ...queueRoutes(deps),
    ...payoutBatchRoutes(deps),
    ...userRoutes(deps),
    ...riskRoutes(deps),
  })
