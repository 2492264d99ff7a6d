import type { Selectable } from 'kysely'
import { assert } from '#kernel/assert.ts'
import { accountOf, lockAccount, setGuarded } from '../ledger/index.ts'
import { sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'

export type GuardsRow = Selectable<DB['guards']>

/** The columns of `guards` that are limits. A lower value is tighter, and null is none. */
export type GuardColumn = `${'deposits' | 'losses' | 'stakes' | 'time'}_${'day' | 'week' | 'month'}` | 'check_minutes'

/**
 * Locks a trader's real account and its row of `guards`, which is written if there is none yet. From then on acceptance
 * checks the account's trades against it.
 */
export async function lockGuards(tx: Tx, userId: bigint): Promise<GuardsRow> {
  const accountId = accountOf(userId, 'real')
  await lockAccount(tx, userId, 'real')
  await sql`insert into guards (account_id) values (${accountId}) on conflict do nothing`.execute(tx)
  await setGuarded(tx, userId)
  const row = await tx
    .selectFrom('guards')
    .selectAll()
    .where('account_id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  assert(row, 'the row was just written')
  return row
}

/** Returns a limit as a whole number of its unit, cents or minutes. */
export function limitValue(row: GuardsRow, column: GuardColumn): bigint | null {
  const value = row[column]
  return value === null ? null : BigInt(value)
}
