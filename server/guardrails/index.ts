export type { GuardrailsDeps, Person } from './deps.ts'
export {
  type ByDesk,
  blockOf,
  carryOver,
  exclude,
  excludeIn,
  excludeOtherAccounts,
  type Length,
  liftMatch,
  requireMatch,
  requireNoBlock,
} from './exclusion.ts'
export { GUARDS_SQL, type GuardStop } from './guards.sql.ts'
export { cancelChange, confirmChange, setGuard } from './limits.ts'
export { countPresent, startPresence } from './presence.ts'
export { blockedProblem, checkDueProblem, ownLimitProblem } from './refusals.ts'
export { guardrailsRoutes } from './routes.ts'
export { readGuardrails, requireDeposit } from './state.ts'
export { startSweeps, sweepExclusions } from './sweep.ts'
