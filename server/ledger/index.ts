export { accountOf, accountOfSql, modeOf, userOf, userOfSql } from './account.ts'
export {
  archivedTradesSql,
  completeFrom,
  completeFromSql,
  expiredIds,
  type RemovedDay,
  removedBefore,
  removedDays,
} from './archived.ts'
export { type Balances, balancesOf, balancesSql, debtOf, openStakeOf } from './balances.ts'
export {
  capitalOf,
  type Equity,
  graceUntil,
  grantPlayCapital,
  houseResult,
  moveCapital,
  storeCapitalMove,
  totalOf,
} from './capital.ts'
export { type Check, ledgerChecks, newestMovement } from './checks.ts'
export {
  balanceBefore,
  holdsNewest,
  movementsOf,
  type Transfer,
  type TransferRange,
  transferPages,
  transfersBetween,
} from './history.ts'
export { grantDemo, hasRealMovement, openAccounts, setGuarded, setTradingLocked } from './open-accounts.ts'
export { isAnythingOwed, type Owed, owedToTraders } from './owed.ts'
export {
  countedSql,
  countSql,
  dayOfSql,
  type PeriodCounts,
  periodCountsOf,
  periodStartsSql,
  resultSince,
} from './period-counts.ts'
export { type Cause, holdingsOf, lockAccount, type Movement, type Part, post } from './post.ts'
export { postPartsSql } from './post-parts.sql.ts'
export {
  type BalancePush,
  type BalanceSender,
  type BalanceTopics,
  balanceNews,
  openBalancePush,
  startBalanceSender,
} from './push-balances.ts'
export {
  keptAnswer,
  keyOf,
  lockAccounts,
  openRequestKeys,
  otherUse,
  type RequestKey,
  type RequestKeys,
} from './request-key.ts'
