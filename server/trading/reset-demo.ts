import { Problem } from '#contract/problem.ts'
import { usdToNumber } from '#kernel/money.ts'
import { balancesOf, grantDemo } from '../ledger/index.ts'
import { type Db, inTransaction } from '../platform/db.ts'

export interface ResetDemo {
  userId: bigint
  /** A number no other grant has. */
  causeId: bigint
  key: string | undefined
  fingerprint: Buffer
}

/** Brings the demo balance back to 10,000.00. With a key that was used for it already: nothing more happens. */
export async function resetDemo(db: Db, command: ResetDemo): Promise<{ balance: number; demo_balance: number }> {
  const { userId, key, fingerprint } = command
  await inTransaction(db, async (tx) => {
    if (key !== undefined) {
      const kept = await tx
        .insertInto('demo_resets')
        .values({ user_id: userId, key, fingerprint, cause_id: command.causeId })
        .onConflict((conflict) => conflict.columns(['user_id', 'key']).doNothing())
        .returning('cause_id')
        .executeTakeFirst()
      if (!kept) {
        const first = await tx
          .selectFrom('demo_resets')
          .select('fingerprint')
          .where('user_id', '=', userId)
          .where('key', '=', key)
          .executeTakeFirst()
        if (!first?.fingerprint.equals(fingerprint)) throw otherUse()
        return
      }
      const traded = await tx
        .selectFrom('trades')
        .select('id')
        .where('key', '=', key)
        .where((eb) => eb(eb('account_id', '/', 2n), '=', userId))
        .executeTakeFirst()
      if (traded) throw otherUse()
    }
    await grantDemo(tx, userId, command.causeId)
  })
  const { balance, demoBalance } = await balancesOf(db, userId)
  return { balance: usdToNumber(balance), demo_balance: usdToNumber(demoBalance) }
}

const otherUse = () =>
  new Problem('idempotency_mismatch', 'This Idempotency-Key was used for something else. Send a new one.')
