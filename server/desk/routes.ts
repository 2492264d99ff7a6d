import { cashierRoutes } from './cashier-routes.ts'
import type { DeskDeps } from './deps.ts'
import { withKeys } from './keyed.ts'
import { officeRoutes } from './office-routes.ts'
import { queueRoutes } from './queue-routes.ts'
import { riskRoutes } from './risk-routes.ts'
import { userRoutes } from './user-routes.ts'

/** The routes of `contract/desk.ts`. */
export const deskRoutes = (deps: DeskDeps) =>
  withKeys(deps.db, {
    ...officeRoutes(deps),
    ...queueRoutes(deps),
    ...cashierRoutes(deps),
    ...userRoutes(deps),
    ...riskRoutes(deps),
  })
