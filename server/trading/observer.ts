import { Problem } from '#contract/problem.ts'
import type { Ms } from '#kernel/time.ts'
import type { Opened, OpenTrade } from './acceptance/open-trade.ts'

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

export interface Settled {
  id: bigint
  tradeTime: Ms
  /** Source time of the entry; undefined without one. */
  entryTime: Ms | undefined
  endTime: Ms
}

export interface Answered {
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

/** Reports each call of `open` to the observer. */
export function observed(
  open: (command: OpenTrade) => Promise<Opened>,
  observer: TradingObserver | undefined,
): (command: OpenTrade) => Promise<Opened> {
  if (!observer) return open
  return async (command) => {
    const began = performance.now()
    try {
      const opened = await open(command)
      if ('accepted' in opened) {
        const { order, tradeTime } = opened.accepted
        const isAutomatic = command.signal !== undefined
        observer.accepted({ id: order.id, tradeTime, tookMs: performance.now() - began, isAutomatic })
      }
      return opened
    } catch (error) {
      observer.rejected(error instanceof Problem ? error.code : 'internal')
      throw error
    }
  }
}
