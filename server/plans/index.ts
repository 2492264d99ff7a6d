export { plansOfCharges } from './charge.ts'
export { approvePlanRequest, type Decided, rejectPlanRequest } from './decide-request.ts'
export type { PlansDeps } from './deps.ts'
export { plansRoutes } from './routes.ts'
