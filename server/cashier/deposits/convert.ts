import type { Coin } from '#contract/money/cashier.ts'
import { SOURCES } from '#contract/prices/prices.ts'
import { Problem } from '#contract/problem.ts'
import type { Usd } from '#kernel/money.ts'
import { formatPrice, type Price } from '#kernel/price.ts'
import type { Ms } from '#kernel/time.ts'
import type { Tape } from '../../prices/index.ts'

/** US dollars per coin. */
export interface Rate {
  price: Price
  scale: number
  /** Source time of the tick. */
  time: Ms
}

/** Returns the tape's current price of a coin. Throws 503 `price_unavailable` when no fresh price exists. */
export function rateOf(tape: Pick<Tape, 'latest' | 'status'>, coin: Coin): Rate {
  const symbol = `${coin}USD`
  const tick = tape.status(symbol).status === 'open' ? tape.latest(symbol) : undefined
  if (!tick) {
    throw new Problem('price_unavailable', `There's no fresh ${coin} price right now. Try again shortly.`, {
      httpStatus: 503,
      retryAfterSeconds: 5,
    })
  }
  return { price: tick.price, scale: tick.scale, time: tick.sourceMs }
}

export const rateText = ({ price, scale }: Rate): string => formatPrice(price, scale)

const COIN_PLACES = 8
const CENT_PLACES = 2

/**
 * Returns what an amount is in coins now, as rows keep it: with the rate, its time and its source. Throws
 * `price_unavailable`.
 */
export function coinsNow(tape: Pick<Tape, 'latest' | 'status' | 'kind'>, coin: Coin, amount: Usd) {
  const rate = rateOf(tape, coin)
  return {
    coin_amount: coinsFor(amount, rate),
    rate: rateText(rate),
    rate_at: new Date(rate.time),
    rate_source: SOURCES[tape.kind(`${coin}USD`)] ?? null,
  }
}

/** Converts an amount to coins: decimal text with 8 places, rounded half up. */
export function coinsFor(amount: Usd, { price, scale }: Rate): string {
  const dividend = amount * 10n ** BigInt(scale + COIN_PLACES)
  const divisor = price * 10n ** BigInt(CENT_PLACES)
  const units = ((dividend * 2n + divisor) / (divisor * 2n)).toString().padStart(COIN_PLACES + 1, '0')
  return `${units.slice(0, -COIN_PLACES)}.${units.slice(-COIN_PLACES)}`
}
