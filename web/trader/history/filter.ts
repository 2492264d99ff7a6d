import { TRADE_MODES, TRADE_STATUSES } from '#contract/terms.ts'
import type { Trade, TradeMode, TradeStatus } from '#contract/trading.ts'

/** What the list is cut down to; an absent part lets everything through. */
export interface Filter {
  status: TradeStatus | undefined
  symbol: string | undefined
  side: TradeMode | undefined
}

export const matchesFilter = (trade: Trade, { status, symbol, side }: Filter): boolean =>
  (status === undefined || trade.status === status) &&
  (symbol === undefined || trade.symbol === symbol) &&
  (side === undefined || trade.trade_mode === side)

export const isFiltered = ({ status, symbol, side }: Filter): boolean =>
  status !== undefined || symbol !== undefined || side !== undefined

/** The filter that an address names; what it does not know is left out. */
export const filterOf = (query: URLSearchParams): Filter => ({
  status: TRADE_STATUSES.find((status) => status === query.get('status')),
  symbol: query.get('symbol')?.slice(0, 20) || undefined,
  side: TRADE_MODES.find((side) => side === query.get('side')),
})

/** The address's part for a filter: only what is set. */
export function queryOfFilter(filter: Filter): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value)
  return query
}
