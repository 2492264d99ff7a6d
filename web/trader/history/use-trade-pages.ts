import { useMemo } from 'react'
import type { Mode } from '#contract/trading/trading.ts'
import {
  matchesFilter,
  mergeTrades,
  type Trade,
  type TradeFilter,
  tradeOf,
  tradeQueryOf,
  usePages,
} from '#web/api/index.ts'

/** All trades of a mode that match a filter, paged, with updates from the stream merged in. */
export function useTradePages(mode: Mode, filter: TradeFilter, live: readonly Trade[]) {
  const query = usePages('GET /trading', tradeQueryOf(mode, filter))
  const read = useMemo(() => query.rows.map(tradeOf), [query.rows])
  return { ...query, trades: mergeLive(read, live, filter, query.hasNextPage) }
}

/**
 * Merges the loaded pages with newer versions of their trades and with trades added since. While there are more pages,
 * nothing is added below the last loaded row: it belongs on a later page.
 */
export function mergeLive(
  read: readonly Trade[],
  live: readonly Trade[],
  filter: TradeFilter,
  hasMore: boolean,
): readonly Trade[] {
  const known = new Set(read.map((trade) => trade.trade_id))
  const last = read.at(-1)?.trade_id
  const fitting = live.filter(
    (trade) => known.has(trade.trade_id) || !hasMore || last === undefined || trade.trade_id > last,
  )
  return mergeTrades(read, fitting).filter((trade) => matchesFilter(trade, filter))
}
