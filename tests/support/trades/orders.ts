import { createHash } from 'node:crypto'
import { Problem } from '#contract/problem.ts'
import type { Mode } from '#contract/trading/trading.ts'
import { idSource, publicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { accountOf, openAccounts } from '#server/ledger/index.ts'
import { type Db, inTransaction } from '#server/platform/database/db.ts'
import type { AcceptanceQueue } from '#server/trading/acceptance/acceptance.ts'
import type { Order } from '#server/trading/acceptance/order.ts'
import type { Seen, Submit } from './load.ts'

export const newId = idSource(7)

/** Returns a trader's order of 1.00, ready for a batch. */
export function orderOf(userId: bigint, more: Partial<Order> & { mode?: Mode } = {}): Order {
  const { mode = 'demo', ...rest } = more
  return {
    id: newId(),
    accountId: accountOf(userId, mode),
    symbolId: 3,
    sourceKind: 2,
    staleAfterMs: 10_000,
    side: 'Buy',
    strikeRate: '75/3',
    percent: 75,
    stake: usd(100n),
    durationSeconds: 60,
    // Never too old, however busy the machine is.
    pressedAt: Number.MAX_SAFE_INTEGER,
    limited: false,
    offer: { version: 1, fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER },
    key: undefined,
    fingerprint: createHash('sha256').update('order').digest().subarray(0, 16),
    salt: '00112233445566778899aabbccddeeff',
    ...rest,
  }
}

/** Creates users 1 to `count`, each with a demo balance of 10,000.00. */
export async function openUsers(db: Db, count: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (let userId = 1n; userId <= BigInt(count); userId++) await openAccounts(tx, userId)
  })
}

/**
 * Submits trades through an acceptance queue and returns what a client can conclude from each response. Trader n is
 * user n + 1.
 */
export const submitThrough =
  (queue: AcceptanceQueue, db: Db): Submit =>
  async (trader, key, cents): Promise<Seen> => {
    const userId = BigInt(trader + 1)
    const order = orderOf(userId, { key, stake: usd(BigInt(cents)) })
    try {
      const result = await queue.submit(order)
      if (result.kind === 'accepted') return { kind: 'accepted', tradeId: publicId(order.id) }
      const stored = await db.selectFrom('trades').select('id').where('key', '=', key).executeTakeFirstOrThrow()
      return { kind: 'accepted', tradeId: publicId(stored.id) }
    } catch (error) {
      if (error instanceof Problem && error.code !== 'unavailable') return { kind: 'refused', why: error.code }
      return { kind: 'unknown', why: String(error) }
    }
  }
