export { incidentsRoutes } from './incidents.ts'
