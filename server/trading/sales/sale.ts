import { add, type Usd, usd, usdToText } from '#kernel/money.ts'
import { isSaleTime, type SaleRule, type SaleTerms, saleFee, saleValue, tickWithinMs } from '#kernel/sale-value.ts'
import type { Ms } from '#kernel/time.ts'
import { profitIfRight, type Terms, type Tick } from '../trade.ts'

/** An order to sell a trade before its end. */
interface SaleOrder {
  /** Tape time at which it was accepted. */
  at: Ms
  /** The least that the trader takes. */
  minimum: Usd
}

/** What the tape has on an order to sell. */
interface SaleTape {
  entry: Tick | undefined
  /** The first price after the order, within the time that the rule gives it. */
  tick: Tick | undefined
  /** The kind of source changed between the trade and that price. */
  kindChanged: boolean
  /** The variance that counts for that price, if the tape states one. */
  variance: number | undefined
}

export type Sale =
  | { outcome: 'sold'; entry: Tick; tick: Tick; variance: number; fee: Usd; payout: Usd }
  | { outcome: 'unsold'; says: string; tick: Tick | undefined }

/** The reason of a sold trade's outcome, as the trader reads it. */
export const SOLD = 'You sold the trade before its end.'

/** Why a trade isn't sold, as the trader reads it. */
export const UNSOLD = {
  ended: 'The trade had ended before.',
  noPrice: 'No price came within 10 seconds after your order.',
  noEntry: 'The trade has no entry price.',
  closed: 'The next price came in the last 10 seconds of the trade.',
  sourceChanged: 'The source of the prices has changed since the trade began.',
  noVariance: 'Its symbol has had prices for less than 30 minutes without a break.',
} as const

const below = (value: Usd, minimum: Usd): string =>
  `At the next price it was worth $${usdToText(value)}, less than your minimum of $${usdToText(minimum)}.`

/** Returns what a trade pays when it is won. */
const winOf = ({ stake, percent }: Pick<Terms, 'stake' | 'percent'>): Usd => add(stake, profitIfRight(stake, percent))

/** Returns the terms that a trade's value depends on. */
export const saleTermsOf = (rule: SaleRule, terms: Terms, entry: Tick): SaleTerms => ({
  rule,
  side: terms.side,
  payout: winOf(terms),
  tradeTime: terms.tradeTime,
  endTime: terms.endTime,
  entry: entry.price,
})

/**
 * Decides an order to sell: a pure function of the trade's terms, the order and the tape. Sells at the first price after the
 * order, if the trade is then worth the minimum.
 */
export function decideSale(rule: SaleRule, terms: Terms, order: SaleOrder, tape: SaleTape): Sale {
  const { entry, tick, variance } = tape
  const unsold = (says: string): Sale => ({ outcome: 'unsold', says, tick })
  if (!tick) return unsold(UNSOLD.noPrice)
  if (!entry) return unsold(UNSOLD.noEntry)
  if (tape.kindChanged) return unsold(UNSOLD.sourceChanged)
  if (!isSaleTime({ ...terms, rule }, tick.sourceMs)) return unsold(UNSOLD.closed)
  if (variance === undefined) return unsold(UNSOLD.noVariance)
  const sold = saleTermsOf(rule, terms, entry)
  const payout = usd(saleValue(sold, tick.price, tick.sourceMs, variance))
  if (payout < order.minimum) return unsold(below(payout, order.minimum))
  return { outcome: 'sold', entry, tick, variance, fee: usd(saleFee(sold)), payout }
}

/** Returns the first price after an order to sell that can decide it. `ticks` in order. */
export const saleTick = (rule: SaleRule, order: Pick<SaleOrder, 'at'>, ticks: readonly Tick[]): Tick | undefined =>
  ticks.find(({ sourceMs }) => sourceMs > order.at && sourceMs <= order.at + tickWithinMs(rule))
