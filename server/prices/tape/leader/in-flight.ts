import type pg from 'pg'
import type { Entry } from '../frames/frame.ts'
import { type BoundOrders, readHead } from '../store.ts'
import type { ShownFrame } from './follow.ts'
import type { MadeFrame } from './next-frame.ts'

const ORDERS_AGAIN_MS = 5_000

/** Where the leader finds the orders that its next frame binds. */
export interface OrdersToBind {
  /** Returns accepted orders that no frame binds yet; undefined if none are known. */
  next(): BoundOrders | undefined
  /** The frame with these orders is on the tape, or it certainly isn't with this attempt: they are looked up again. */
  ended(orders: BoundOrders): void
}

/** The frame that was sent and isn't known to be written, and the orders that it binds. */
export interface InFlight {
  /** Returns the orders that the next frame binds. */
  orders(): BoundOrders | undefined
  sent(made: MadeFrame): void
  /** What was sent is on the tape, or never will be. */
  forget(): void
  /** PostgreSQL rejected the rows: they are not written, and would be rejected again. */
  rejected(): void
  /**
   * After a lost reply, the head shows whether the frame was written. If it wasn't and nobody else wrote, sends it
   * again.
   */
  resolve(connected: pg.Client): Promise<void>
}

export function createInFlight(
  toBind: (() => OrdersToBind | undefined) | undefined,
  show: (frame: ShownFrame, entries: readonly Entry[]) => void,
): InFlight {
  let unanswered: MadeFrame | undefined
  // After the database rejected orders, frames leave them out for a while: prices must not stop because of them.
  let ordersFrom = Number.NEGATIVE_INFINITY

  function forget(): void {
    const orders = unanswered?.orders
    unanswered = undefined
    if (orders) toBind?.()?.ended(orders)
  }

  return {
    orders: () => (performance.now() < ordersFrom ? undefined : toBind?.()?.next()),
    sent(made) {
      unanswered = made
    },
    forget,
    rejected() {
      if (unanswered?.orders) ordersFrom = performance.now() + ORDERS_AGAIN_MS
      forget()
    },
    async resolve(connected) {
      const sent = unanswered
      if (!sent) return
      const head = await readHead(connected)
      if (head.n === sent.frame.n && head.hash.equals(sent.frame.hash)) show(sent.frame, sent.entries)
      else if (head.n === sent.frame.n - 1 && head.hash.equals(sent.frame.prev)) {
        const { rowCount } = await connected.query(sent.statement)
        if (rowCount === 1) show(sent.frame, sent.entries)
      }
      forget()
    },
  }
}
