import type { DeskDeps } from './deps.ts'
import { officeRoutes } from './office-routes.ts'

/** The calls of `contract/desk.ts`. */
export const deskRoutes = (deps: DeskDeps) => ({
  ...officeRoutes(deps),
})
