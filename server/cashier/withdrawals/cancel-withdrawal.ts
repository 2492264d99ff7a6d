import type { Withdrawal } from '#contract/money/cashier.ts'
import { Problem } from '#contract/problem.ts'
import { lockAccountById } from '../../identity/index.ts'
import type { RequestKey } from '../../ledger/index.ts'
import { inTransaction } from '../../platform/database/db.ts'
import type { CashierDeps } from '../deps.ts'
import { withdrawalNews } from '../news.ts'
import { pushWithdrawal } from '../push.ts'
import { toWithdrawal } from '../view.ts'
import { releaseHold } from './hold.ts'
import { lockWithdrawal, moveWithdrawal } from './store.ts'
import { WITHDRAWAL_NEXT } from './withdrawal.ts'

interface CancelWithdrawal {
  userId: bigint
  withdrawalId: bigint
  key: RequestKey | undefined
}

/** Cancels a Pending withdrawal. Throws `not_found`, also for another trader's withdrawal, and `wrong_state`. */
export async function cancelWithdrawal(deps: CashierDeps, command: CancelWithdrawal): Promise<Withdrawal> {
  const { userId, withdrawalId, key } = command
  return inTransaction(deps.db, async (tx) => {
    if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
    const kept = key && (await deps.keys.find(tx, userId, key))
    const id = kept ?? withdrawalId
    const row = await lockWithdrawal(tx, id)
    if (row?.user_id !== userId) throw notThere()
    if (kept !== undefined) return toWithdrawal(row)
    if (!WITHDRAWAL_NEXT[row.status].includes('Cancelled')) {
      throw new Problem('wrong_state', `This withdrawal is ${row.status} and can't be cancelled.`)
    }
    if (key) await deps.keys.store(tx, userId, key, 'cancel', id)
    const after = await moveWithdrawal(tx, row, { status: 'Cancelled' })
    const repaid = await releaseHold(tx, row)
    const withdrawal = toWithdrawal(after)
    pushWithdrawal(deps, tx, userId, withdrawal)
    await deps.notices.write(tx, withdrawalNews.cancelled(after, repaid))
    return withdrawal
  })
}

const notThere = () => new Problem('not_found', 'Withdrawal not found.')
