import type { Trade } from '#contract/trading.ts'

/**
 * Tells which trades were settled since the last look: those that were open then. A trade that was settled before
 * anybody looked is no news.
 */
export function settledWatch() {
  const open = new Set<string>()
  return (trades: readonly Trade[]): Trade[] => {
    const settled = trades.filter((trade) => trade.status !== 'Pending' && open.delete(trade.trade_id))
    for (const trade of trades) if (trade.status === 'Pending') open.add(trade.trade_id)
    return settled
  }
}
