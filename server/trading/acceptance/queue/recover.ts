import { setTimeout as sleep } from 'node:timers/promises'
import { databaseDown, isDatabaseDown, isLockTimeout, isRetryable, sqlState } from '../../../platform/database/db.ts'
import { ACCEPTED_OF_SQL, isSame, type StoredOrder } from '../stored-order.ts'
import { PATIENCE_MS, type QueueState } from './queue-state.ts'
import type { Statement } from './statements.ts'
import { isolate, isolateDuplicateKeys, type Ticket } from './ticket.ts'

/**
 * Answers rejected orders whose reply was lost before. The statement that rejected them had their accounts' locks, so
 * the lost one has ended: either they are stored by now, or they never will be.
 */
export async function answerDoubted(queue: QueueState): Promise<void> {
  const rejected = queue.doubted.splice(0)
  try {
    const stored = await storedOrders(
      queue,
      rejected.map(({ ticket }) => ticket),
    )
    for (const { ticket, problem } of rejected) if (!acceptStored(ticket, stored)) ticket.reject(problem)
  } catch (error) {
    for (const { ticket } of rejected) ticket.reject(isDatabaseDown(error) ? databaseDown() : error)
  }
}

/** Whether the database refused a batch by one of these constraints. */
const isRefusedBy = (error: unknown, constraints: readonly string[]) =>
  sqlState(error) === '23514' && constraints.includes((error as { constraint?: string }).constraint ?? '')

/** The engine has reduced what the lane was granted since the statement began. */
const OVER_GRANT = ['risk_rooms_within_grant']
/** The signal or the waiting order that an order comes from is too old or has ended: its sender answers for it. */
const FROM_NOTHING = ['trades_reserved', 'trades_waiting_orders']

/** Handles an error, which fails the whole batch. Nothing is answered until it is known what the database did. */
export async function afterFailure(
  queue: QueueState,
  batch: Ticket[],
  error: unknown,
  statement: Statement,
  sentAt: number,
): Promise<void> {
  if (isRetryable(error) || isRefusedBy(error, OVER_GRANT)) {
    queue.waiting.putBack(batch)
    return
  }
  if (sqlState(error) === '23505') {
    queue.statements.checkAllKeys()
    if (isolateDuplicateKeys(batch) || statement.checkKeys === 'rejected') {
      // A key is repeated within this batch, or was used before.
      queue.waiting.putBack(batch)
      return
    }
    // Another batch has committed one of these keys or ids in the meantime: retry each order alone to find out which.
    if (batch.length > 1) {
      queue.waiting.putBack(batch.map((ticket) => isolate(ticket, 'alone')))
      return
    }
    await resolveLostReply(queue, batch, sentAt)
    return
  }
  if (isLockTimeout(error)) {
    // Another transaction has locked the reservation of an automatic trade.
    if (batch.length > 1) queue.waiting.putBack(batch.map((ticket) => isolate(ticket, 'alone')))
    else queue.locked.tryLater(batch)
    return
  }
  if (sqlState(error)?.startsWith('53')) {
    // Out of disk or memory: the statement was certainly rolled back.
    queue.log.error({ error: String(error), orders: batch.length }, 'the database has no room: rejecting orders')
    for (const ticket of batch) ticket.reject(databaseDown())
    return
  }
  if (isDatabaseDown(error)) {
    await resolveLostReply(queue, batch, sentAt)
    return
  }
  if (!isRefusedBy(error, FROM_NOTHING))
    queue.log.error({ error: String(error), orders: batch.length }, 'a batch failed')
  if (batch.length > 1) queue.waiting.putBack(batch.map((ticket) => isolate(ticket, 'alone')))
  else for (const ticket of batch) ticket.reject(error)
}

/**
 * Recovers from a lost reply, when the batch may have committed or may still commit. Accepts the orders that are
 * found stored; resubmits the others under the same ids, which can exist only once.
 */
async function resolveLostReply(queue: QueueState, batch: Ticket[], sentAt: number): Promise<void> {
  for (const ticket of batch) ticket.isDoubtful = true
  do {
    try {
      const stored = await storedOrders(queue, batch)
      const missing = batch.filter((ticket) => !acceptStored(ticket, stored))
      // An id that belongs to another order can't belong to this one any more.
      for (const ticket of missing)
        if (stored.has(ticket.order.id)) ticket.order = { ...ticket.order, id: queue.newId() }
      queue.waiting.putBack(missing.map((ticket) => isolate(ticket, 'alone')))
      return
    } catch (error) {
      if (!isDatabaseDown(error)) {
        for (const ticket of batch) ticket.reject(error)
        return
      }
      await sleep(100)
    }
  } while (performance.now() < sentAt + PATIENCE_MS)
  for (const ticket of [...batch, ...queue.waiting.takeAll()]) ticket.reject(databaseDown())
}

/** Returns the stored trades with the ids of these orders. */
async function storedOrders(queue: QueueState, tickets: readonly Ticket[]): Promise<Map<bigint, StoredOrder>> {
  const rows = await queue.connection.run<StoredOrder & Record<string, unknown>>('accepted_of', ACCEPTED_OF_SQL, [
    tickets.map(({ order }) => order.id),
  ])
  return new Map(rows.map((row) => [row.id, row]))
}

/** Accepts an order if it is stored. Two nodes with the same number make the same id, so it may be another order's. */
function acceptStored({ order, resolve }: Ticket, stored: ReadonlyMap<bigint, StoredOrder>): boolean {
  const row = stored.get(order.id)
  if (!row || !isSame(row, order)) return false
  resolve({ kind: 'accepted', accepted: { order, tradeTime: Number(row.trade_time) } })
  return true
}
