import { Problem } from '#contract/problem.ts'
import { usdToNumber } from '#kernel/money.ts'
import { lockAccountById } from '../identity/index.ts'
import {
  type BalancePush,
  balancesOf,
  grantDemo,
  keptAnswer,
  lockAccounts,
  type RequestKey,
  type RequestKeys,
} from '../ledger/index.ts'
import { type Db, inTransaction, type Tx } from '../platform/database/db.ts'

interface ResetDemo {
  userId: bigint
  /** An id that no other grant has. */
  causeId: bigint
  key: RequestKey | undefined
}

interface Balances {
  balance: number
  demo_balance: number
}

/** Resets the demo balance to 10,000.00. A repeat under the same key changes nothing and returns the first response. */
export async function resetDemo(
  { db, keys, balances: push }: { db: Db; keys: RequestKeys; balances: Pick<BalancePush, 'afterCommit'> },
  { userId, causeId, key }: ResetDemo,
): Promise<Balances> {
  return inTransaction(db, async (tx) => {
    push.afterCommit(tx, userId)
    if (key) {
      if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
      if ((await keys.find(tx, userId, key)) !== undefined)
        return (await keptAnswer<Balances>(tx, userId, key)) ?? (await balances(tx, userId))
      await lockAccounts(tx, userId)
    }
    await grantDemo(tx, userId, causeId)
    const answer = await balances(tx, userId)
    if (key) await keys.store(tx, userId, key, 'demo_reset', causeId, answer)
    return answer
  })
}

async function balances(tx: Tx, userId: bigint): Promise<Balances> {
  const { balance, demoBalance } = await balancesOf(tx, userId)
  return { balance: usdToNumber(balance), demo_balance: usdToNumber(demoBalance) }
}
