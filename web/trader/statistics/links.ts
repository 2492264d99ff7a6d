import { endsOf, type TradeFilter } from '#web/api/index.ts'

/** Which trades the page is about, as the filter of the trade history. */
export interface Scope {
  symbol: string | undefined
  ended: string
}

/** Narrows a filter to trades that ended from one time until before another, Unix ms. */
export function endedWithin(scope: Scope, from: number, until: number): Partial<TradeFilter> {
  const [first, last] = endsOf(scope) ?? [from, until]
  return { ...scope, ended: `${Math.max(from, first)}-${Math.min(until, last)}` }
}

/** Narrows a filter to trades that ended between two times of trades, both included. */
export const endedBetween = (scope: Scope, { from, to }: { from: string; to: string }): Partial<TradeFilter> =>
  endedWithin(scope, Date.parse(from), Date.parse(to) + 1)
