import { formatPrice, type Price, parsePrice, price } from '#kernel/price.ts'

declare const fineScaled: unique symbol

/**
 * A price as an integer at `FINE_SCALE`, whatever its symbol: at least five digits finer than any instrument, so that
 * medians, inverses and crosses round only once that matters, when they are published.
 */
export type FinePrice = bigint & { readonly [fineScaled]: true }

export const FINE_SCALE = 20
const ONE = 10n ** BigInt(FINE_SCALE)
/** Prices from here on are junk. */
const LARGEST = ONE * 10n ** 12n
const BPS = 10_000n

const fine = (value: bigint): FinePrice => value as FinePrice

/** Parses a positive plain decimal; `undefined` otherwise. */
export function parseFine(unchecked: string): FinePrice | undefined {
  const parsed = parsePrice(unchecked, FINE_SCALE, LARGEST)
  return parsed === undefined ? undefined : fine(parsed)
}

/** Decimal text at a scale, rounded half up. */
export const fineText = (value: FinePrice, scale: number): string => formatPrice(toScale(value, scale), scale)

/** Decimal text of ten significant digits at most, without trailing zeros: for people, where no instrument has a scale. */
export function shortText(value: FinePrice): string {
  const before = value.toString().length - FINE_SCALE
  const text = fineText(value, Math.min(FINE_SCALE, Math.max(0, 10 - before)))
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** Rounds half up to a scale. */
export const toScale = (value: FinePrice, scale: number): Price =>
  price(divideHalfUp(value, 10n ** BigInt(FINE_SCALE - scale)))

export const middle = (a: FinePrice, b: FinePrice): FinePrice => fine(divideHalfUp(a + b, 2n))

/** The price of the quote currency in the base currency. */
export const inverse = (value: FinePrice): FinePrice => fine(divideHalfUp(ONE * ONE, value))

/** `XRP/USD` and `GBP/USD` make `XRP/GBP`. */
export const cross = (base: FinePrice, quote: FinePrice): FinePrice => fine(divideHalfUp(base * ONE, quote))

/** Whether `value` is at most `bps` basis points of `from` away from it. */
export const isWithin = (value: FinePrice, from: FinePrice, bps: number): boolean =>
  (value > from ? value - from : from - value) * BPS <= from * BigInt(bps)

/** Distance of `value` from `from` in basis points, for people. */
export const distanceBps = (value: FinePrice, from: FinePrice): number =>
  Number(((value - from) * BPS * 1_000n) / from) / 1_000

/** Sorts in place, ascending, and returns the same array. */
export const sortPrices = <Item>(items: Item[], priceOf: (item: Item) => FinePrice): Item[] =>
  items.sort((a, b) => {
    const difference = priceOf(a) - priceOf(b)
    return difference < 0n ? -1 : difference > 0n ? 1 : 0
  })

function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend * 2n + divisor) / (divisor * 2n)
}
