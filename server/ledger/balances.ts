import { negate, type Usd, ZERO_USD } from '#kernel/money.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import { accountOf, accountOfSql } from './account.ts'

export interface Balances {
  balance: Usd
  demoBalance: Usd
}

/** Returns what a user can spend in each mode, in cents: without open stakes and without requested withdrawals. */
export async function balancesOf(db: Db | Tx, userId: bigint): Promise<Balances> {
  return (await balancesOfMany(db, [userId])).get(userId) ?? { balance: ZERO_USD, demoBalance: ZERO_USD }
}

/** SQL columns with the same, `balance` and `demo_balance`, for a query that selects a user by `userColumn`. */
export const balancesSql = (userColumn: string): string => `
  coalesce((select a.balance from accounts a where a.id = ${accountOfSql(userColumn, 'real')}), 0) as balance,
  coalesce((select a.balance from accounts a where a.id = ${accountOfSql(userColumn, 'demo')}), 0) as demo_balance`

/** The same for many users, in one query. */
export async function balancesOfMany(db: Db | Tx, userIds: readonly bigint[]): Promise<Map<bigint, Balances>> {
  const accountIds = userIds.flatMap((userId) => [accountOf(userId, 'real'), accountOf(userId, 'demo')])
  const rows = await db
    .selectFrom('accounts')
    .select(['user_id', 'mode', 'balance'])
    .where('id', '=', sql<bigint>`any(${accountIds}::bigint[])`)
    .execute()
  const found = new Map<bigint, Balances>()
  for (const row of rows) {
    const balances = found.get(row.user_id) ?? { balance: ZERO_USD, demoBalance: ZERO_USD }
    if (row.mode === 'real') balances.balance = row.balance
    else balances.demoBalance = row.balance
    found.set(row.user_id, balances)
  }
  return found
}

/** Returns the open stakes of an account, in cents. */
export async function openStakeOf(db: Db | Tx, accountId: bigint): Promise<Usd> {
  const { escrow } = await db
    .selectFrom('accounts')
    .select('escrow')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return escrow
}

/** Returns what the user owes in real mode, in cents, 0 or above. */
export async function debtOf(db: Db | Tx, userId: bigint): Promise<Usd> {
  const account = await db
    .selectFrom('accounts')
    .select('owed')
    .where('id', '=', accountOf(userId, 'real'))
    .executeTakeFirst()
  return negate(account?.owed ?? ZERO_USD)
}
