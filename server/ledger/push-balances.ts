import { usdToNumber } from '#kernel/money.ts'
import type { Db, Tx } from '../platform/db.ts'
import type { Push } from '../platform/push.ts'
import { balancesOfMany } from './balances.ts'

/** Pushes balances to the screens that their owners have open. */
export interface BalancePush {
  /** Pushes the current balances of those users who have a screen open. */
  now(userIds: readonly bigint[]): Promise<void>
  /** Pushes a user's balances after the commit, once however often it is registered. */
  afterCommit(tx: Tx, userId: bigint): void
}

export function openBalancePush(db: Db, push: Pick<Push, 'tell' | 'listening'>): BalancePush {
  async function now(userIds: readonly bigint[]): Promise<void> {
    const listening = push.listening(userIds)
    if (listening.length === 0) return
    for (const [userId, { balance, demoBalance }] of await balancesOfMany(db, listening)) {
      push.tell(userId, {
        op: 'balance',
        data: { balance: usdToNumber(balance), demo_balance: usdToNumber(demoBalance) },
      })
    }
  }

  return {
    now,
    afterCommit: (tx, userId) => tx.afterCommit(() => now([userId]), { once: `balance ${userId}` }),
  }
}
