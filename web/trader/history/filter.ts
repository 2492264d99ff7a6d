import { TRADE_SIDES, TRADE_STATUSES } from '#contract/terms.ts'
import type { TradeSide, TradeStatus } from '#contract/trading.ts'
import type { Trade } from '#web/api/index.ts'

/** The list's filter; an absent field matches everything. */
export interface Filter {
  status: TradeStatus | undefined
  symbol: string | undefined
  side: TradeSide | undefined
}

export const matchesFilter = (trade: Trade, { status, symbol, side }: Filter): boolean =>
  (status === undefined || trade.status === status) &&
  (symbol === undefined || trade.symbol === symbol) &&
  (side === undefined || trade.side === side)

export const isFiltered = ({ status, symbol, side }: Filter): boolean =>
  status !== undefined || symbol !== undefined || side !== undefined

/** Reads the filter from an address and drops unknown values. */
export const filterOf = (query: URLSearchParams): Filter => ({
  status: TRADE_STATUSES.find((status) => status === query.get('status')),
  symbol: query.get('symbol')?.slice(0, 20) || undefined,
  side: TRADE_SIDES.find((side) => side === query.get('side')),
})

/** Returns the query string of a filter: only the fields that are set. */
export function queryOfFilter(filter: Filter): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value)
  return query
}
