declare const currency: unique symbol

/** An amount in the minor units of its currency (USD: cents). A bigint that can't be mixed with another currency's. */
type Money<C extends string = string> = bigint & { readonly [currency]: C }
export type Usd = Money<'USD'>

/** Converts `cents` to US dollars. */
export const usd = (cents: bigint): Usd => cents as Usd

export const ZERO_USD = usd(0n)

export const add = <C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> => (a + b) as Money<C>
export const subtract = <C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> => (a - b) as Money<C>
export const negate = <C extends string>(amount: Money<C>): Money<C> => -amount as Money<C>
/** Returns the smaller of two amounts. */
export function smaller<C extends string>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  if (a < b) return a
  return b
}

/**
 * Returns `percent` of an amount, rounded half up to the minor unit: 75% of 0.01 is 0.01, of 0.02 is 0.02. Both must
 * be non-negative; percent is a whole number.
 */
export function percentHalfUp<C extends string>(amount: Money<C>, percent: number): Money<C> {
  return ((amount * BigInt(percent) + 50n) / 100n) as Money<C>
}

/**
 * The largest amount whose JSON number in dollars identifies exactly one number of cents: one cent below 2^46 dollars.
 * (From there on neighbouring floats are more than a cent apart.)
 */
export const LARGEST_USD = usd(2n ** 46n * 100n - 1n)

/**
 * Parses an amount of dollars from an untrusted JSON number or decimal text (`12`, `12.5`, `12.50`). `undefined` if it
 * is not a plain, non-negative decimal with at most two places, or is too large.
 */
export function parseUsd(unchecked: unknown): Usd | undefined {
  const text = typeof unchecked === 'number' ? numberText(unchecked) : typeof unchecked === 'string' ? unchecked : ''
  const match = /^(\d{1,14})(?:\.(\d{1,2}))?$/.exec(text)
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  const cents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))
  return cents <= LARGEST_USD ? usd(cents) : undefined
}

function numberText(value: number): string {
  // -0, exponents, NaN and the infinities have no plain decimal text, so the pattern rejects them.
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Returns dollars as a JSON number with at most two decimals; exact for every amount the ledger can hold. */
export function usdToNumber(amount: Usd): number {
  return Number(amount) / 100
}

/** Formats plain decimal text with two places: `1234.50`. */
export function usdToText(amount: Usd): string {
  const negative = amount < 0n
  const digits = (negative ? -amount : amount).toString().padStart(3, '0')
  return `${negative ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Formats for display: `1,234.50`. */
export const usdGrouped = (amount: Usd): string => usdToText(amount).replaceAll(/\B(?=(\d{3})+\.)/g, ',')

/** Formats for text: `$1,234.50`. */
export const dollars = (amount: Usd): string => (amount < 0n ? `-${dollars(-amount as Usd)}` : `$${usdGrouped(amount)}`)
