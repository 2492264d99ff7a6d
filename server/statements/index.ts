export { statementsRoutes } from './routes.ts'
export { statementSlots } from './statement-stream.ts'
