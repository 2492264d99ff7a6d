export { statementsRoutes } from './routes.ts'
export { limitStreams } from './statement-stream.ts'
