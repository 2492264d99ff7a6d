import type { Trade } from '#web/api/index.ts'
import { endOf } from '#web/client/index.ts'
import { ifEndedNow, roundToCents } from '#web/ui/index.ts'

/** A tab with trades. */
export type TradesTab = 'open' | 'closed' | 'all'
export type Tab = TradesTab | 'waiting'

/** How long a settled trade stays on the chart and among the open ones, ms. */
export const LINGER_MS = 60_000

const isOpen = (trade: Trade): boolean => trade.status === 'Pending'

const byEnd = (a: Trade, b: Trade): number =>
  Date.parse(endOf(a)) - Date.parse(endOf(b)) || (a.trade_id < b.trade_id ? -1 : 1)

/** Returns the open trades, the next to end first, with those that have just ended: their result shows for a minute. */
export const openRows = (trades: readonly Trade[], nowMs: number): Trade[] =>
  trades
    .filter((trade) => isOpen(trade) || nowMs - Date.parse(trade.settled_at ?? trade.end_time) < LINGER_MS)
    .sort((a, b) => Number(isOpen(a)) - Number(isOpen(b)) || byEnd(a, b))

/** Returns the trades that ended since `fromMs`, the latest end first. */
export const closedRows = (trades: readonly Trade[], fromMs: number): Trade[] =>
  trades.filter((trade) => !isOpen(trade) && Date.parse(endOf(trade)) >= fromMs).sort((a, b) => byEnd(b, a))

/** Returns all trades, open ones first. */
export const allRows = (trades: readonly Trade[]): Trade[] => [
  ...trades.filter(isOpen).sort(byEnd),
  ...trades.filter((trade) => !isOpen(trade)),
]

/** Returns the tab that shows something, until the trader chooses one. */
export const firstTab = (open: readonly Trade[], closed: readonly Trade[]): Tab =>
  open.length > 0 ? 'open' : closed.length > 0 ? 'closed' : 'all'

interface OpenSums {
  count: number
  /** The sum of their stakes, US dollars. */
  atRisk: number
  /** The change to the balance if they ended now; absent while none has an entry and a price. */
  ifEndedNow: number | undefined
}

/** Adds up open trades at these prices. */
export function sumsOf(trades: readonly Trade[], priceOf: (symbol: string) => string | undefined): OpenSums {
  const open = trades.filter(isOpen)
  const changes = open.flatMap((trade) => ifEndedNow(trade, priceOf(trade.symbol))?.change ?? [])
  return {
    count: open.length,
    atRisk: roundToCents(open.reduce((sum, { stake }) => sum + stake, 0)),
    ifEndedNow: changes.length > 0 ? roundToCents(changes.reduce((sum, change) => sum + change, 0)) : undefined,
  }
}
