declare const scaled: unique symbol

/** A price as an integer at its symbol's scale (BTCUSDT has scale 2: 61837.63 is 6183763n). */
export type Price = bigint & { readonly [scaled]: true }

/** Casts an integer that is already at its symbol's scale. */
export const price = (units: bigint): Price => units as Price

const LARGEST = 10n ** 18n

/**
 * Parses decimal text at a scale, rounding finer digits half up. `undefined` unless it is a plain positive decimal (an
 * exponent between -30 and 30 is accepted: venues write 8.12e-10) that stays above zero and below 10^18 units.
 */
export function parsePrice(unchecked: string, scale: number): Price | undefined {
  const match = /^(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(unchecked)
  if (!match) return undefined
  const exponent = Number(match[3] ?? 0)
  if (exponent < -30 || exponent > 30) return undefined
  const fraction = match[2] ?? ''
  const digits = BigInt(match[1]! + fraction)
  const shift = scale + exponent - fraction.length
  const units = shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfUp(digits, 10n ** BigInt(-shift))
  return units > 0n && units < LARGEST ? price(units) : undefined
}

/** Formats decimal text with exactly `scale` places. */
export function formatPrice(value: Price, scale: number): string {
  if (scale === 0) return value.toString()
  const digits = value.toString().padStart(scale + 1, '0')
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/**
 * Converts a positive float (simulation, cross rates) to a scale; `undefined` if it rounds to zero or is not finite.
 */
export function priceFromFloat(value: number, scale: number): Price | undefined {
  const units = Math.round(value * 10 ** scale)
  return Number.isFinite(units) && units >= 1 && units < 1e18 ? price(BigInt(units)) : undefined
}

function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend * 2n + divisor) / (divisor * 2n)
}
