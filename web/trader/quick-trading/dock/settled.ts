import type { Trade } from '#web/api/index.ts'

/** Returns a function that reports which trades' orders to sell were decided without a sale since its last call. */
export function unsoldWatch() {
  const waiting = new Map<string, string>()
  return (trades: readonly Trade[]): Trade[] => {
    const unsold = trades.filter(
      ({ trade_id, sale }) => sale?.outcome === 'unsold' && waiting.get(trade_id) === sale.at,
    )
    for (const { trade_id, sale } of trades)
      if (sale && sale.outcome === undefined) waiting.set(trade_id, sale.at)
      else waiting.delete(trade_id)
    return unsold
  }
}

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
