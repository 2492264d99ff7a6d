import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { TradeResults } from '#contract/trading/trading.ts'
import type { Input } from '#web/client/index.ts'
import { queryClient, queryOf } from '../requests/query.ts'
import { useDebounced } from '../requests/use-debounced.ts'

/** After a trade ended, wait this long for others before the figures are read again, ms. */
const QUIET_MS = 1_000

const CALL = 'GET /trading/results'

/**
 * The totals of trades, from the server. They're read again when `settled` changes, which counts the settled trades that
 * this screen knows. `isOn`: there may be any.
 */
export function useTradeResults(
  query: Input<typeof CALL>['query'],
  settled: number,
  isOn = true,
): TradeResults | undefined {
  const quiet = useDebounced(settled, QUIET_MS)
  /** How many trades had been settled when the figures were last read. */
  const read = useRef<number>(undefined)
  useEffect(() => {
    if (!isOn) return
    if (read.current === undefined) read.current = settled
    if (quiet !== settled || read.current === settled) return
    read.current = settled
    void queryClient.invalidateQueries({ queryKey: [CALL] })
  }, [isOn, quiet, settled])
  return useQuery({ ...queryOf(CALL, { query }), enabled: isOn }).data?.data
}

/** Returns how many trades are settled, in whatever way. */
export const settledCountOf = ({ won, lost, draw, sold, ...more }: TradeResults): number =>
  won + lost + draw + more.void + sold

/** How many trades were won or lost, and the share that won, in percent. Undefined without any. */
export function hitRateOf({ won, lost }: Pick<TradeResults, 'won' | 'lost'>) {
  const decided = won + lost
  return decided === 0 ? undefined : { decided, percent: (won / decided) * 100 }
}

/** Continues a sentence with a hit rate: which trades the rate leaves out. Empty without any. */
export const withoutSold = ({ sold }: Pick<TradeResults, 'sold'>): string =>
  sold === 0 ? '' : `, without ${sold.toLocaleString('en-US')} sold`
