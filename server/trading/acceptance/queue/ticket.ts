import { userOf } from '../../../ledger/index.ts'
import type { Accepted, Order } from '../order.ts'

/** The result of an order: accepted, or its key already belongs to a stored trade. */
export type Acceptance = { kind: 'accepted'; accepted: Accepted } | { kind: 'repeated' }

/** An order in a queue, and how to answer it. */
export interface Ticket {
  order: Order
  resolve(result: Acceptance): void
  reject(error: unknown): void
  /**
   * Which orders it may share a batch with: any; only those of other accounts and other limited symbols (it couldn't be
   * judged together with them); none (a batch that contained it failed).
   */
  batching: 'any' | 'distinct' | 'alone'
  /** When it arrived here, as `performance.now()`. */
  since: number
  /** The reply to a statement with it was lost, so it may be stored: it's looked up before it is rejected. */
  isDoubtful: boolean
}

/** Isolates the later of one trader's orders with the same key. Returns whether there were any. */
export function isolateDuplicateKeys(batch: readonly Ticket[]): boolean {
  const seen = new Set<string>()
  let any = false
  for (const ticket of batch) {
    const { accountId, key } = ticket.order
    if (key === undefined) continue
    const whose = `${userOf(accountId)} ${key}`
    if (seen.has(whose)) {
      isolate(ticket, 'distinct')
      any = true
    }
    seen.add(whose)
  }
  return any
}

export const isolate = (ticket: Ticket, batching: Ticket['batching']) => Object.assign(ticket, { batching })
