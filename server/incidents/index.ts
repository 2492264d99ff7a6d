export { incidentsRoutes, readIncidents } from './incidents.ts'
