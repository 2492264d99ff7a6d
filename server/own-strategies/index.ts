export { requireRule } from './checks.ts'
export { ownStrategiesRoutes } from './routes.ts'
