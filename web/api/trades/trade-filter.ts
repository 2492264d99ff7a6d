import { TAG_LENGTH, TRADE_ORIGINS, TRADE_SIDES, TRADE_STATUSES, type TradeOrigin } from '#contract/terms.ts'
import type { Mode, TradeSide, TradeStatus } from '#contract/trading/trading.ts'
import { dayStart, hourOf, weekdayOf, zoneOffset } from '#kernel/zone.ts'
import { endOf, type Trade } from '#web/client/index.ts'
import { timeZone } from '../account/time-zone.ts'

/** The trade history's filter; an absent field matches everything. The address of the history has its fields. */
export interface TradeFilter {
  status: TradeStatus | undefined
  symbol: string | undefined
  side: TradeSide | undefined
  /** Placed from the first until the last day of the reader, `YYYY-MM-DD`. */
  from: string | undefined
  to: string | undefined
  /** Ended from one time until before another, Unix ms: `1790000000000-1790086400000`. */
  ended: string | undefined
  /** The profit of a win in percent of the stake. */
  odds: number | undefined
  /** Seconds. */
  duration: number | undefined
  origin: TradeOrigin | undefined
  tag: string | undefined
  /** Ended in this hour of the reader's day, or on this day of the week; 0 is Monday. */
  hour: number | undefined
  weekday: number | undefined
}

export const NO_FILTER: TradeFilter = {
  ...{ status: undefined, symbol: undefined, side: undefined, from: undefined, to: undefined, ended: undefined },
  ...{ odds: undefined, duration: undefined, origin: undefined, tag: undefined, hour: undefined, weekday: undefined },
}

/** Returns the times of a filter's days, Unix ms: from then until before then. */
const timesOf = ({ from, to }: TradeFilter): { from: number | undefined; until: number | undefined } => ({
  from: from === undefined ? undefined : dayStart(timeZone(), from),
  until: to === undefined ? undefined : dayStart(timeZone(), to, 1),
})

/** Returns from when until before when the trades of a filter ended, Unix ms. */
export function endsOf({ ended }: Pick<TradeFilter, 'ended'>): [from: number, until: number] | undefined {
  const [from, until] = ended?.split('-').map(Number) ?? []
  return from === undefined || until === undefined ? undefined : [from, until]
}

/** Returns the filter as the calls for trades take it. */
export function tradeQueryOf(mode: Mode, filter: TradeFilter) {
  const { from, until } = timesOf(filter)
  const ends = endsOf(filter)
  const { odds, duration, hour, weekday } = filter
  return {
    mode,
    ...(filter.status && { status: filter.status }),
    ...(filter.symbol && { symbol: filter.symbol }),
    ...(filter.side && { trade_mode: filter.side }),
    ...(from !== undefined && { from: String(from) }),
    ...(until !== undefined && { until: String(until) }),
    ...(ends && { ended_from: String(ends[0]), ended_until: String(ends[1]) }),
    ...(odds !== undefined && { percent: String(odds) }),
    ...(duration !== undefined && { duration: String(duration) }),
    ...(filter.origin && { origin: filter.origin }),
    ...(filter.tag !== undefined && { tag: filter.tag }),
    ...(hour !== undefined && { hour: String(hour) }),
    ...(weekday !== undefined && { weekday: String(weekday) }),
    ...((hour !== undefined || weekday !== undefined) && { zone: timeZone() }),
  }
}

export function matchesFilter(trade: Trade, filter: TradeFilter): boolean {
  const { status, symbol, side, odds, duration, origin, tag, hour, weekday } = filter
  const { from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = timesOf(filter)
  const ends = endsOf(filter)
  const placedMs = Date.parse(trade.trade_time)
  const endMs = Date.parse(endOf(trade))
  const localOf = () => endMs + zoneOffset(timeZone(), endMs)
  return (
    (status === undefined || trade.status === status) &&
    (symbol === undefined || trade.symbol === symbol) &&
    (side === undefined || trade.side === side) &&
    (odds === undefined || trade.percent === odds) &&
    (duration === undefined || trade.duration === duration) &&
    (origin === undefined || (trade.signal === undefined ? 'manual' : 'automatic') === origin) &&
    (tag === undefined || trade.tags?.includes(tag) === true) &&
    placedMs >= from &&
    placedMs < until &&
    (ends === undefined || (endMs >= ends[0] && endMs < ends[1])) &&
    (hour === undefined || hourOf(localOf()) === hour) &&
    (weekday === undefined || weekdayOf(localOf()) === weekday)
  )
}

export const isFiltered = (filter: TradeFilter): boolean => Object.values(filter).some((value) => value !== undefined)

/** Reads a day from an address; undefined unless it's one of the calendar since 1970. */
function dayOf(text: string | null): string | undefined {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1970-01-02' || text > '2200') return undefined
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : undefined
}

function wholeOf(text: string | null, max: number): number | undefined {
  const value = text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined
  return value !== undefined && value <= max ? value : undefined
}

/** Reads the filter from an address and drops unknown values. */
export function filterOf(query: URLSearchParams): TradeFilter {
  const ended = query.get('ended')
  return {
    status: TRADE_STATUSES.find((status) => status === query.get('status')),
    symbol: query.get('symbol')?.slice(0, 20) || undefined,
    side: TRADE_SIDES.find((side) => side === query.get('side')),
    from: dayOf(query.get('from')),
    to: dayOf(query.get('to')),
    ended: ended !== null && /^\d{1,13}-\d{1,13}$/.test(ended) ? ended : undefined,
    odds: wholeOf(query.get('odds'), 100) || undefined,
    duration: wholeOf(query.get('duration'), 86_400) || undefined,
    origin: TRADE_ORIGINS.find((origin) => origin === query.get('origin')),
    tag: query.get('tag')?.slice(0, TAG_LENGTH) || undefined,
    hour: wholeOf(query.get('hour'), 23),
    weekday: wholeOf(query.get('weekday'), 6),
  }
}

/** Returns the query string of a filter: only the fields that are set. */
export function queryOfFilter(filter: Partial<TradeFilter>): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter))
    if (value !== undefined && value !== '') query.set(name, String(value))
  return query
}

/** Returns the address of the trade history with a filter. */
export function historyOf(filter: Partial<TradeFilter>): string {
  const query = String(queryOfFilter(filter))
  return query ? `/user/trade-history?${query}` : '/user/trade-history'
}
