export type { GuardrailsDeps, Person } from './deps.ts'
export {
  type ByDesk,
  carryOver,
  exclude,
  excludeIn,
  excludeOtherAccounts,
  type Length,
  requireNoBlock,
} from './exclusion.ts'
export { GUARDS_SQL, type GuardStop } from './guards.sql.ts'
export { cancelChange, confirmChange, setGuard } from './limits.ts'
export { nameKeyOf } from './person.ts'
export { countPresent, startPresence } from './presence.ts'
export { blockedProblem, checkDueProblem, ownLimitProblem } from './refusals.ts'
export { guardrailsRoutes } from './routes.ts'
export { readGuardrails, requireDeposit } from './state.ts'
