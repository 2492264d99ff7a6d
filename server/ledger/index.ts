export { accountOf, type Book, bookOf, userOf } from './account.ts'
export { type Balances, balancesOf, balancesOfMany, debtOf, openStakeOf } from './balances.ts'
export { type Check, ledgerChecks } from './checks.ts'
export { DEMO_BALANCE, grantDemo, hasRealMovement, openAccounts, setTradingLocked } from './open-accounts.ts'
export { type Cause, type Holdings, lockAccount, type Movement, type Part, post, type Slot } from './post.ts'
export { type BalancePush, openBalancePush } from './push-balances.ts'
export {
  type Effect,
  keepKey,
  keptAnswer,
  keptUnder,
  keyOf,
  lockForKey,
  otherUse,
  type RequestKey,
} from './request-key.ts'
