import { Problem } from '#contract/problem.ts'
import { usdToNumber } from '#kernel/money.ts'
import { lockAccountById } from '../identity/index.ts'
import { balancesOf, grantDemo, keepKey, keptUnder, type RequestKey } from '../ledger/index.ts'
import { type Db, inTransaction } from '../platform/db.ts'

export interface ResetDemo {
  userId: bigint
  /** A number no other grant has. */
  causeId: bigint
  key: RequestKey | undefined
}

/** Brings the demo balance back to 10,000.00. With a key that was used for it already: nothing more happens. */
export async function resetDemo(db: Db, command: ResetDemo): Promise<{ balance: number; demo_balance: number }> {
  const { userId, causeId, key } = command
  await inTransaction(db, async (tx) => {
    if (key) {
      if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
      if ((await keptUnder(tx, userId, key)) !== undefined) return
      await keepKey(tx, userId, key, 'demo_reset', causeId)
    }
    await grantDemo(tx, userId, causeId)
  })
  const { balance, demoBalance } = await balancesOf(db, userId)
  return { balance: usdToNumber(balance), demo_balance: usdToNumber(demoBalance) }
}
