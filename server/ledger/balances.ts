import { type Usd, usd, ZERO_USD } from '#kernel/money.ts'
import type { Db, Tx } from '../platform/db.ts'
import { accountOf } from './account.ts'

export interface Balances {
  balance: Usd
  demoBalance: Usd
}

/** Returns what a user can spend in each book, in cents: without open stakes and without requested withdrawals. */
export async function balancesOf(db: Db | Tx, userId: bigint): Promise<Balances> {
  return (await balancesOfMany(db, [userId])).get(userId) ?? { balance: ZERO_USD, demoBalance: ZERO_USD }
}

/** The same for many users, in one query. */
export async function balancesOfMany(db: Db | Tx, userIds: readonly bigint[]): Promise<Map<bigint, Balances>> {
  const rows = await db
    .selectFrom('accounts')
    .select(['user_id', 'book', 'balance'])
    .where(
      'id',
      'in',
      userIds.flatMap((userId) => [accountOf(userId, 'real'), accountOf(userId, 'demo')]),
    )
    .execute()
  const found = new Map<bigint, Balances>()
  for (const row of rows) {
    const balances = found.get(row.user_id) ?? { balance: ZERO_USD, demoBalance: ZERO_USD }
    if (row.book === 'real') balances.balance = usd(row.balance)
    else balances.demoBalance = usd(row.balance)
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
  return usd(escrow)
}

/** Returns what the user owes in the real book, in cents, 0 or above. */
export async function debtOf(db: Db | Tx, userId: bigint): Promise<Usd> {
  const account = await db
    .selectFrom('accounts')
    .select('owed')
    .where('id', '=', accountOf(userId, 'real'))
    .executeTakeFirst()
  return usd(-(account?.owed ?? 0n))
}
