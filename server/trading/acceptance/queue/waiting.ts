import type { Ticket } from './ticket.ts'

/** The orders that wait for the next statement. */
export interface Waiting {
  /** Adds orders at the end. */
  add(tickets: readonly Ticket[]): void
  /** Returns orders to the front. */
  putBack(tickets: readonly Ticket[]): void
  /** Takes the orders of the next statement. */
  takeBatch(): Ticket[]
  takeAll(): Ticket[]
  count(): number
}

/** `batchMax`: maximum orders per statement. */
export function createWaiting(batchMax: number): Waiting {
  let waiting: Ticket[] = []

  function takeBatch(): Ticket[] {
    const single = waiting.findIndex((ticket) => ticket.batching === 'alone')
    if (single >= 0) return waiting.splice(single, 1)
    if (!waiting.some((ticket) => ticket.batching === 'distinct')) return waiting.splice(0, batchMax)
    // Isolated orders go first, at most one per account and per limited symbol.
    const taken = new Set<Ticket>()
    const seen = new Set<bigint | number>()
    for (const ticket of waiting) {
      const { accountId, symbolId, limited } = ticket.order
      if (ticket.batching === 'any' || seen.has(accountId) || (limited && seen.has(symbolId))) continue
      seen.add(accountId)
      if (limited) seen.add(symbolId)
      taken.add(ticket)
      if (taken.size === batchMax) break
    }
    waiting = waiting.filter((ticket) => !taken.has(ticket))
    return [...taken]
  }

  return {
    add(tickets) {
      waiting.push(...tickets)
    },
    putBack(tickets) {
      waiting.unshift(...tickets)
    },
    takeBatch,
    takeAll: () => waiting.splice(0),
    count: () => waiting.length,
  }
}
