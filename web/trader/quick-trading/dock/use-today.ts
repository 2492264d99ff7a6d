import type { Mode, TradeResults } from '#contract/trading/trading.ts'
import { dayIn, dayStart } from '#kernel/zone.ts'
import { settledCountOf, type Trade, tapeNow, timeZone, useTradeResults } from '#web/api/index.ts'
import { closedRows } from './dock-trades.ts'

export interface Today {
  /** The trades that ended today, as far as they're loaded, the latest end first. */
  closed: readonly Trade[]
  closedCount: number
  /** The figures of all of them, from the server; absent until they're read, and without any. */
  results: TradeResults | undefined
}

/** The trades that ended on the trader's day. The figures are read once there are any, and again when one ends. */
export function useToday(mode: Mode, trades: readonly Trade[]): Today {
  const fromMs = dayStart(timeZone(), dayIn(timeZone(), tapeNow()))
  const closed = closedRows(trades, fromMs)
  const query = { mode, ended_from: String(fromMs) }
  const results = useTradeResults(query, closed.length, closed.length > 0)
  const counted = results ? settledCountOf(results) : 0
  return { closed, closedCount: Math.max(closed.length, counted), results }
}
