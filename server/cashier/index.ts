export { settingsAddresses } from './deposit-address.ts'
export type { AddressFor, CardProvider, CashierDeps, CashierTopics } from './deps.ts'
export { cashierRoutes } from './routes.ts'
export { hasOpenRequest } from './store.ts'
