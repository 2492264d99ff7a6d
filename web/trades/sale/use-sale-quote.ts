import { useQuery } from '@tanstack/react-query'
import { varianceMinute } from '#kernel/sale-value.ts'
import { queryOf, type Trade, useKnown, useTapeSecond } from '#web/api/index.ts'
import { type NotForSale, quoteOf, type SaleQuote, UNPRICED, VALUE_LOADING } from './sale-quote.ts'

/** The server needs a moment to have a new minute's variances. */
const READ_AFTER_MS = 2_000

/** What an open trade sells for now, or why it can't be sold. For small components only. */
export function useSaleQuote(trade: Trade): SaleQuote | NotForSale {
  const minute = varianceMinute(useTapeSecond() - READ_AFTER_MS)
  const { queryKey, ...query } = queryOf('GET /prices/variances')
  const { data } = useQuery({ ...query, queryKey: [...queryKey, minute], placeholderData: (before) => before })
  const { price, nowMs, isLast } = useKnown(trade.symbol)
  if (data === undefined) return VALUE_LOADING
  if (isLast || price === undefined || nowMs === undefined) return UNPRICED
  return quoteOf(trade, price, nowMs, data.data.variances[trade.symbol])
}
