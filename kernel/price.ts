declare const scaled: unique symbol

/** A price as an integer at its symbol's scale (BTCUSDT has scale 2: 61837.63 is 6183763n). */
export type Price = bigint & { readonly [scaled]: true }

/** Casts an integer that is already at its symbol's scale. */
export const price = (units: bigint): Price => units as Price

const LARGEST = 10n ** 18n
/** Powers of ten. Computing them would cost more than the rest of parsing. */
const TENS = Array.from({ length: 61 }, (_, exponent) => 10n ** BigInt(exponent))
const tenTo = (exponent: number): bigint => TENS[exponent] ?? 10n ** BigInt(exponent)

/**
 * Parses decimal text at a scale, rounding finer digits half up. `undefined` unless it is a plain positive decimal (an
 * exponent between -30 and 30 is accepted: venues write 8.12e-10) that stays above zero and below `limit` units.
 */
export function parsePrice(unchecked: string, scale: number, limit: bigint = LARGEST): Price | undefined {
  const short = parseShort(unchecked, scale)
  if (short !== undefined) return short > 0n && short < limit ? price(short) : undefined
  const match = /^(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(unchecked)
  if (!match) return undefined
  const [, whole = '', fraction = '', power = '0'] = match
  const exponent = Number(power)
  if (exponent < -30 || exponent > 30) return undefined
  const digits = BigInt(whole + fraction)
  const shift = scale + exponent - fraction.length
  const units = shift >= 0 ? digits * tenTo(shift) : divideHalfUp(digits, tenTo(-shift))
  return units > 0n && units < limit ? price(units) : undefined
}

const DIGITS_EXACT = 15
const [POINT, ZERO, NINE] = [46, 48, 57]
/** Decimal places of the number that `scanShort` read last. */
let scannedPlaces = 0

/**
 * Reads what nearly every venue sends: at most 15 digits, with or without a point. Returns the digits as an integer, or
 * -1 for anything else. A regular expression costs three times as much, and we read tens of thousands of quotes a
 * second.
 */
function scanShort(unchecked: string): number {
  const { length } = unchecked
  if (length === 0 || length > DIGITS_EXACT + 1) return -1
  let digits = 0
  let point = length
  for (let at = 0; at < length; at++) {
    const code = unchecked.charCodeAt(at)
    if (code >= ZERO && code <= NINE) digits = digits * 10 + (code - ZERO)
    else if (code === POINT && point === length && at > 0 && at < length - 1) point = at
    else return -1
  }
  if (point === length && length > DIGITS_EXACT) return -1
  scannedPlaces = Math.max(0, length - point - 1)
  return digits
}

function parseShort(unchecked: string, scale: number): bigint | undefined {
  const digits = scanShort(unchecked)
  const shift = scale - scannedPlaces
  return digits >= 0 && shift >= 0 ? BigInt(digits) * tenTo(shift) : undefined
}

/**
 * Returns the float nearest to a short plain decimal, or undefined for any other text. Two such floats compare as their
 * decimals do. For checking thousands of prices a second of which few are used.
 */
export function floatOfShort(unchecked: string): number | undefined {
  const digits = scanShort(unchecked)
  return digits >= 0 ? digits / 10 ** scannedPlaces : undefined
}

/** Formats decimal text with exactly `scale` places. */
export function formatPrice(value: Price, scale: number): string {
  if (scale === 0) return value.toString()
  const digits = value.toString().padStart(scale + 1, '0')
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend * 2n + divisor) / (divisor * 2n)
}

const FLOAT_TENS = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

/**
 * Converts units at a scale to the float that is nearest to the price. Exact units and an exact power of ten (up to
 * 10^22) make the quotient the same float as parsing the decimal text would.
 */
export function floatOfPrice(units: number, scale: number): number {
  return units / FLOAT_TENS[scale]!
}
