import { TRADE_SIDES, TRADE_STATUSES } from '#contract/terms.ts'
import type { Mode, TradeSide, TradeStatus } from '#contract/trading.ts'
import type { Trade } from '#web/api/index.ts'

/** The list's filter; an absent field matches everything. */
export interface Filter {
  status: TradeStatus | undefined
  symbol: string | undefined
  side: TradeSide | undefined
  /** The first and the last day of the reader, `YYYY-MM-DD`. */
  from: string | undefined
  to: string | undefined
}

export const NO_FILTER: Filter = {
  status: undefined,
  symbol: undefined,
  side: undefined,
  from: undefined,
  to: undefined,
}

/** Returns the start of a reader's day, or of a later one, Unix ms; days with a change of clocks are shorter or longer. */
function startOf(day: string, daysLater = 0): number {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  return new Date(year, month - 1, date + daysLater).getTime()
}

/** Returns the times of a filter's days, Unix ms: from then until before then. */
const timesOf = ({ from, to }: Filter): { from: number | undefined; until: number | undefined } => ({
  from: from === undefined ? undefined : startOf(from),
  until: to === undefined ? undefined : startOf(to, 1),
})

/** Returns the filter as the calls for trades take it. */
export function callQueryOf(mode: Mode, filter: Filter) {
  const { from, until } = timesOf(filter)
  return {
    mode,
    ...(filter.status && { status: filter.status }),
    ...(filter.symbol && { symbol: filter.symbol }),
    ...(filter.side && { trade_mode: filter.side }),
    ...(from !== undefined && { from: String(from) }),
    ...(until !== undefined && { until: String(until) }),
  }
}

export function matchesFilter(trade: Trade, filter: Filter): boolean {
  const { status, symbol, side } = filter
  const { from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = timesOf(filter)
  const placedMs = Date.parse(trade.trade_time)
  return (
    (status === undefined || trade.status === status) &&
    (symbol === undefined || trade.symbol === symbol) &&
    (side === undefined || trade.side === side) &&
    placedMs >= from &&
    placedMs < until
  )
}

export const isFiltered = (filter: Filter): boolean => Object.values(filter).some((value) => value !== undefined)

/** Reads a day from an address; undefined unless it's one of the calendar since 1970. */
function dayOf(text: string | null): string | undefined {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1970-01-02' || text > '2200') return undefined
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : undefined
}

/** Reads the filter from an address and drops unknown values. */
export const filterOf = (query: URLSearchParams): Filter => ({
  status: TRADE_STATUSES.find((status) => status === query.get('status')),
  symbol: query.get('symbol')?.slice(0, 20) || undefined,
  side: TRADE_SIDES.find((side) => side === query.get('side')),
  from: dayOf(query.get('from')),
  to: dayOf(query.get('to')),
})

/** Returns the query string of a filter: only the fields that are set. */
export function queryOfFilter(filter: Filter): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value)
  return query
}
