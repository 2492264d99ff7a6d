export { type InstrumentClosing, incidentsRoutes, readIncidents } from './incidents.ts'
