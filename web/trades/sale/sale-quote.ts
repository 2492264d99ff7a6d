import { type SaleTerms, saleFee, saleRule, saleTimes, saleValue } from '#kernel/sale-value.ts'
import { SECOND_MS } from '#kernel/time.ts'
import type { Trade } from '#web/api/index.ts'
import { toCents, winOf } from '#web/ui/index.ts'

/** What an open trade sells for now, in cents. */
export interface SaleQuote {
  value: number
  fee: number
}

/** Why an open trade can't be sold now: `label` for its button, `reason` as a sentence. */
export interface NotForSale {
  label: string
  reason: string
}

const notForSale = (reason: string, label = 'Not for sale'): NotForSale => ({ label, reason })
export const UNPRICED = notForSale('There is no fresh price right now.')
export const VALUE_LOADING = notForSale('Its value is being read.', 'Sell')

/** Whether a trade can be sold at all: it's open, and was placed under terms that have a price. */
export const isForSale = ({ status, sale_rule }: Pick<Trade, 'status' | 'sale_rule'>): boolean =>
  status === 'Pending' && saleRule(sale_rule ?? null) !== undefined

/**
 * Returns what a trade sells for at a price (decimal text, with all digits of its symbol) and tape time, or why it isn't
 * for sale: before its entry, in its first and last ten seconds, without a variance or terms.
 */
export function quoteOf(
  trade: Pick<Trade, 'side' | 'stake' | 'percent' | 'entry_price' | 'trade_time' | 'end_time' | 'sale_rule'>,
  price: string,
  nowMs: number,
  variance: number | undefined,
): SaleQuote | NotForSale {
  const rule = saleRule(trade.sale_rule ?? null)
  if (!rule) return notForSale('It was placed before trades could be sold.')
  const times = { rule, tradeTime: Date.parse(trade.trade_time), endTime: Date.parse(trade.end_time) }
  const { from, until } = saleTimes(times)
  if (nowMs < from)
    return notForSale('Not in its first 10 seconds.', `Sell in ${Math.ceil((from - nowMs) / SECOND_MS)} s`)
  if (nowMs > until) return notForSale('Not in its last 10 seconds.')
  if (trade.entry_price === undefined) return notForSale('Its entry is not known yet.')
  if (variance === undefined) return notForSale('Its symbol has had too few prices for a value.')
  const [whole = '', decimals = ''] = price.split('.')
  const terms: SaleTerms = {
    ...times,
    side: trade.side,
    payout: BigInt(toCents(trade.stake) + toCents(winOf(trade.stake, trade.percent))),
    entry: BigInt(Math.round(trade.entry_price * 10 ** decimals.length)),
  }
  const value = Number(saleValue(terms, BigInt(whole + decimals), Math.floor(nowMs), variance))
  return value > 0 ? { value, fee: Number(saleFee(terms)) } : notForSale('It is worth nothing now, after the fee.')
}

/** Returns the least that a trader takes who accepts this slippage, in cents: at least one. */
export const minimumOf = (value: number, slippagePercent: number): number =>
  Math.max(1, Math.floor((value * (100 - slippagePercent)) / 100))
