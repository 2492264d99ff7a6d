import { usdToNumber } from '#kernel/money.ts'
import type { Bus } from '../platform/bus/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import type { UserNews } from '../platform/sockets/push.ts'
import type { Sockets } from '../platform/sockets/sockets.ts'
import { type Balances, balancesOfMany } from './balances.ts'

export interface BalanceTopics {
  'balances-changed': { userIds: string[] }
}

/** Reports changed balances to every node; those where the owners have a screen open send them. */
export interface BalancePush {
  /** Reports a user's balances after the commit, once however often it is registered. */
  afterCommit(tx: Tx, userId: bigint): void
}

export function openBalancePush(bus: Pick<Bus<BalanceTopics>, 'publish'>): BalancePush {
  return {
    afterCommit: (tx, userId) =>
      tx.afterCommit(() => bus.publish('balances-changed', { userIds: [String(userId)] }), {
        once: `balance ${userId}`,
      }),
  }
}

/** Sends balances to the screens that are open on this node. */
export interface BalanceSender {
  /** The balances of these users have changed. */
  changed(userIds: readonly bigint[]): void
  /**
   * Whether balances that a statement sent at `since` (`performance.now()`) has read may be older than what was sent to
   * this user, or will be: then they mustn't be sent.
   */
  mayHaveChanged(userId: bigint, since: number): boolean
}

/** The message with a user's balances. */
export const balanceNews = ({ balance, demoBalance }: Balances): UserNews => ({
  op: 'balance',
  data: { balance: usdToNumber(balance), demo_balance: usdToNumber(demoBalance) },
})

/** Maximum users per query. */
const BATCH_MAX = 1_000
/** How long a user whose balances have changed is remembered. */
const REMEMBER_MS = 10_000

/**
 * Reads balances in batches: users who are named while a query is in flight share the next one. Each is read after it
 * was named, so what is sent is never older. One failed batch doesn't stop the ones after it.
 */
export function startBalanceSender({
  db,
  sockets,
  bus,
  log,
}: {
  db: Db
  sockets: Pick<Sockets, 'listening' | 'sendToUser'>
  bus: Pick<Bus<BalanceTopics>, 'subscribe'>
  log: Log
}): BalanceSender {
  const waiting = new Set<bigint>()
  let reading = new Set<bigint>()
  /** When users were last named, the oldest first. */
  const namedAt = new Map<bigint, number>()
  let sending = false

  function changed(userIds: readonly bigint[]): void {
    const now = performance.now()
    for (const userId of sockets.listening(userIds)) {
      waiting.add(userId)
      namedAt.delete(userId)
      namedAt.set(userId, now)
    }
    for (const [userId, at] of namedAt) {
      if (at > now - REMEMBER_MS) break
      namedAt.delete(userId)
    }
    if (sending || waiting.size === 0) return
    sending = true
    send()
      .catch((error: unknown) => log.warn({ error: String(error) }, 'could not send balances'))
      .finally(() => {
        sending = false
        reading = new Set()
        changed([])
      })
  }

  async function send(): Promise<void> {
    const userIds = [...waiting].slice(0, BATCH_MAX)
    for (const userId of userIds) waiting.delete(userId)
    reading = new Set(userIds)
    for (const [userId, balances] of await balancesOfMany(db, userIds))
      sockets.sendToUser(userId, balanceNews(balances))
  }

  bus.subscribe('balances-changed', ({ userIds }) => changed(userIds.map(BigInt)))
  return {
    changed,
    mayHaveChanged: (userId, since) =>
      reading.has(userId) ||
      (namedAt.get(userId) ?? Number.NEGATIVE_INFINITY) >= since ||
      performance.now() - since >= REMEMBER_MS,
  }
}
