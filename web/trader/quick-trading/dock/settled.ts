import type { Trade } from '#web/api/index.ts'

/**
 * Returns a function that reports which trades were settled since its last call, out of those that were open then. A
 * trade that was already settled on the first call is not reported.
 */
export function settledWatch() {
  const open = new Set<string>()
  return (trades: readonly Trade[]): Trade[] => {
    const settled = trades.filter((trade) => trade.status !== 'Pending' && open.delete(trade.trade_id))
    for (const trade of trades) if (trade.status === 'Pending') open.add(trade.trade_id)
    return settled
  }
}
