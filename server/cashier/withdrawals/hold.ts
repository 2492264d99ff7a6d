import { subtract, type Usd } from '#kernel/money.ts'
import { lockAccount, type Part, post } from '../../ledger/index.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { WithdrawalRow } from './store.ts'

type Held = Pick<WithdrawalRow, 'id' | 'user_id' | 'amount'>

/** Pays held money out. */
export const payHold = (tx: Tx, { id, user_id, amount }: Held) =>
  post(tx, {
    userId: user_id,
    mode: 'real',
    cause: 'withdraw_paid',
    causeId: id,
    parts: [{ debit: 'hold', credit: 'external_out', amount: amount }],
  })

/** Releases held money to the balance. Returns the part that repaid debt. */
export async function releaseHold(tx: Tx, { id, user_id, amount }: Held): Promise<Usd> {
  const before = await lockAccount(tx, user_id, 'real')
  const parts: Part[] = [{ debit: 'hold', credit: 'balance', amount: amount }]
  const movement = { userId: user_id, mode: 'real', cause: 'withdraw_release', causeId: id, parts } as const
  const after = await post(tx, movement, before)
  return subtract(after.owed, before.owed)
}
