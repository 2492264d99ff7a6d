export { planChecks } from './checks.ts'
export { approvePlanRequest, rejectPlanRequest } from './decide-request.ts'
export type { PlansDeps, PlansTopics } from './deps.ts'
export { plansRoutes } from './routes.ts'
