export { endChecksOf, handIn, type KycDeps, type KycTopics } from './hand-in.ts'
export { type CheckStatus, type IdentityCheck, NEXT, toVerification } from './identity-check.ts'
export { kycRoutes } from './routes.ts'
export { livingCheck } from './store.ts'
