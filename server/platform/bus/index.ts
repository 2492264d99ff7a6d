export { type Bus, type BusState, openBus, type Transport } from './bus.ts'
export { databaseTransport } from './database-transport.ts'
export { redisTransport } from './redis-transport.ts'
