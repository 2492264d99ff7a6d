import type { Ms } from '#kernel/time.ts'

/** Receives the events of trades on this node, for monitoring. It must be fast, and can't fail a trade. */
export interface TradingObserver {
  /** A trade was accepted: `tookMs` from the call to its commit. */
  accepted(trade: { id: bigint; tradeTime: Ms; tookMs: number; isAutomatic: boolean }): void
  /** An order was rejected, or failed (`internal`). */
  rejected(code: string): void
  /** The response to a trader's order has left, or the trader was gone. Times are `performance.now()`. */
  responded?(response: Answered): void
  /** Trades were settled, by a statement that took `tookMs`. */
  settled(trades: readonly Settled[], tookMs: number): void
}

interface Settled {
  id: bigint
  tradeTime: Ms
  /** Source time of the entry; undefined without one. */
  entryTime: Ms | undefined
  endTime: Ms
}

interface Answered {
  id: bigint
  route: string
  status: number
  beganAt: number
  endedAt: number
  /** The caller's trace, unchecked. */
  traceparent: string | undefined
}

/** Pending work of this node. */
export interface TradingQueues {
  /** Orders that wait for the next statement. */
  orders: number
  /** Trades whose entry this node hasn't seen yet; undefined on a node without screens. */
  entries: number | undefined
}
