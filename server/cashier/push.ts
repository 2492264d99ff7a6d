import type { Deposit, Withdrawal } from '#contract/money/cashier.ts'
import type { Tx } from '../platform/database/db.ts'
import type { DecideDeps } from './deps.ts'

type Deps = Pick<DecideDeps, 'push' | 'balances'>

/** Pushes a deposit and its owner's balances after the commit. */
export function pushDeposit({ push, balances }: Deps, tx: Tx, userId: bigint, deposit: Deposit): void {
  push.afterCommit(tx, userId, { op: 'deposit', data: deposit })
  balances.afterCommit(tx, userId)
}

/** Pushes a withdrawal and its owner's balances after the commit. */
export function pushWithdrawal({ push, balances }: Deps, tx: Tx, userId: bigint, withdrawal: Withdrawal): void {
  push.afterCommit(tx, userId, { op: 'withdraw', data: withdrawal })
  balances.afterCommit(tx, userId)
}
