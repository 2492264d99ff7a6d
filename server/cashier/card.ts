import { Problem } from '#contract/problem.ts'
import { publicId } from '#kernel/id.ts'
import type { Usd } from '#kernel/money.ts'
import { lockAccountById } from '../identity/index.ts'
import { keepKey, keptUnder, type RequestKey } from '../ledger/index.ts'
import { inTransaction } from '../platform/db.ts'
import { mayDeposit } from './announce-deposit.ts'
import type { CashierDeps } from './deps.ts'

export interface BeginCardDeposit {
  userId: bigint
  amount: Usd
  key: RequestKey | undefined
}

/**
 * Records a card payment and begins it with the provider, whose signed word alone credits it later. A repeat under its
 * key begins no second deposit. Throws `not_configured` where there is no provider, `too_many_requests`.
 */
export async function beginCardDeposit(
  deps: CashierDeps,
  { userId, amount, key }: BeginCardDeposit,
): Promise<{ deposit_id: string; url: string }> {
  const { card } = deps
  if (!card) throw notSetUp()
  const depositId = await inTransaction(deps.db, async (tx) => {
    const account = await lockAccountById(tx, userId)
    const kept = key && (await keptUnder(tx, userId, key))
    if (kept !== undefined) return kept
    mayDeposit(account, await deps.isLocked(tx, userId, 'deposits'))
    deps.limits.deposits.take(String(userId))
    const id = deps.newId()
    await tx.insertInto('deposits').values({ id, user_id: userId, method: 'card', announced: amount }).execute()
    if (key) await keepKey(tx, userId, key, 'deposit', id)
    return id
  })
  const { url } = await card.checkout({ depositId, userId, amount })
  return { deposit_id: publicId(depositId), url }
}

export const notSetUp = () => new Problem('not_configured', 'Card deposits are not set up')
