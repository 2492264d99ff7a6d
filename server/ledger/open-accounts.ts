import { usd } from '#kernel/money.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { accountOf } from './account.ts'
import { lockAccount, post } from './post.ts'

/** The opening balance of a demo account, and what a reset restores it to. */
const DEMO_BALANCE = usd(1_000_000n)

/** Opens a new user's real account (empty) and demo account (10,000.00). */
export async function openAccounts(tx: Tx, userId: bigint): Promise<void> {
  await tx
    .insertInto('accounts')
    .values([
      { id: accountOf(userId, 'real'), user_id: userId, mode: 'real' },
      { id: accountOf(userId, 'demo'), user_id: userId, mode: 'demo' },
    ])
    .execute()
  await grantDemo(tx, userId, userId)
}

/**
 * Resets the demo balance to 10,000.00, from above or below; open stakes stay and still settle. `causeId` is an id that
 * no other grant has. Concurrent resets end at exactly 10,000.00, and one
 * that changes nothing writes nothing.
 */
export async function grantDemo(tx: Tx, userId: bigint, causeId: bigint): Promise<void> {
  const { balance } = await lockAccount(tx, userId, 'demo')
  const missing = DEMO_BALANCE - balance
  if (missing === 0n) return
  await post(tx, {
    userId,
    mode: 'demo',
    cause: 'demo_grant',
    causeId,
    parts: [
      missing >= 0n
        ? { debit: 'mint', credit: 'balance', amount: usd(missing) }
        : { debit: 'balance', credit: 'mint', amount: usd(-missing) },
    ],
  })
}

/** Locks or unlocks trading on both accounts of a user. Acceptance reads it with the account. */
export async function setTradingLocked(tx: Tx, userId: bigint, locked: boolean): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ trading_locked: locked })
    .where('id', 'in', [accountOf(userId, 'real'), accountOf(userId, 'demo')])
    .execute()
}

/** Makes acceptance check the trades of a real account against the trader's own limits, from now on. */
export async function setGuarded(tx: Tx, userId: bigint): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ guarded: true })
    .where('id', '=', accountOf(userId, 'real'))
    .where('guarded', '=', false)
    .execute()
}

/** Returns whether the user's real account has ever moved. */
export async function hasRealMovement(db: Db | Tx, userId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('seq')
    .where('id', '=', accountOf(userId, 'real'))
    .executeTakeFirst()
  return row !== undefined && row.seq > 0n
}
