import { isSaleTime, type SaleTerms, saleFee, saleRule, saleValue } from '#kernel/sale-value.ts'
import type { Trade } from '#web/api/index.ts'
import { toCents, winOf } from '#web/ui/index.ts'

/** What an open trade sells for now, in cents. */
export interface SaleQuote {
  value: number
  fee: number
}

/** Whether a trade can be sold at all: it's open, and was placed under terms that have a price. */
export const isForSale = ({ status, sale_rule }: Pick<Trade, 'status' | 'sale_rule'>): boolean =>
  status === 'Pending' && saleRule(sale_rule ?? null) !== undefined

/**
 * Returns what a trade sells for at a price (decimal text, with all digits of its symbol) and tape time; undefined before its
 * entry, in its first and last ten seconds, and without a variance.
 */
export function quoteOf(
  trade: Pick<Trade, 'side' | 'stake' | 'percent' | 'entry_price' | 'trade_time' | 'end_time' | 'sale_rule'>,
  price: string,
  nowMs: number,
  variance: number | undefined,
): SaleQuote | undefined {
  const rule = saleRule(trade.sale_rule ?? null)
  if (!rule || trade.entry_price === undefined || variance === undefined) return undefined
  const [whole = '', decimals = ''] = price.split('.')
  const terms: SaleTerms = {
    rule,
    side: trade.side,
    payout: BigInt(toCents(trade.stake) + toCents(winOf(trade.stake, trade.percent))),
    tradeTime: Date.parse(trade.trade_time),
    endTime: Date.parse(trade.end_time),
    entry: BigInt(Math.round(trade.entry_price * 10 ** decimals.length)),
  }
  if (!isSaleTime(terms, nowMs)) return undefined
  const value = saleValue(terms, BigInt(whole + decimals), Math.floor(nowMs), variance)
  return { value: Number(value), fee: Number(saleFee(terms)) }
}

/** Returns the least that a trader takes who accepts this slippage, in cents: at least one. */
export const minimumOf = (value: number, slippagePercent: number): number =>
  Math.max(1, Math.floor((value * (100 - slippagePercent)) / 100))
