export type { GuardrailsDeps, Person } from './deps.ts'
export {
  blockOf,
  carryOver,
  excludeIn,
  excludeOtherAccounts,
  keepMatch,
  liftMatch,
  requireMatch,
  requireNoBlock,
} from './exclusion.ts'
export { GUARDS_SQL, type GuardStop } from './guards.sql.ts'
export { startPresence } from './presence.ts'
export { blockedProblem, checkDueProblem, ownLimitProblem } from './refusals.ts'
export { guardrailsRoutes } from './routes.ts'
export { readGuardrails, requireDeposit } from './state.ts'
export { startSweeps } from './sweep.ts'
