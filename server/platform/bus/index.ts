export { type Bus, openBus } from './bus.ts'
export { databaseTransport } from './database-transport.ts'
export { redisTransport } from './redis-transport.ts'
