import { dollars, LARGEST_USD, type Usd, usd, usdGrouped, usdToNumber } from '#kernel/money.ts'

/** What someone typed: the amount that was meant, or the rule that it fails. */
type TypedUsd = { amount: Usd; problem?: never } | { amount?: never; problem: string }

/** An amount needs one mark for decimals and another for thousands. Which one is which differs between countries. */
const NUMBER = /^(\d{0,14})(?:[.,](\d*))?$/
const GROUPED = /^([1-9]\d{0,2})([., \u00a0\u202f])(\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](\d*))?$/
/** Thousands or decimals: `1,500` is either. */
const UNCLEAR = /^([1-9]\d{0,2})[.,](\d{3})$/
const OTHER_DIGITS = /(?![0-9])\p{Nd}/u

/**
 * Reads a typed amount of US dollars: the one way in which screens do, of the trader and of the desk. A comma or a point
 * is the decimal mark; either, or a space, may group thousands. Whatever could mean two amounts, or none, is refused
 * with the reason, so an amount never grows.
 */
export function readUsd(typed: string): TypedUsd {
  const text = typed.trim().replace(/^\$\s*/, '')
  if (text === '') return { problem: 'must not be empty' }
  const unclear = UNCLEAR.exec(text)
  if (unclear) {
    const whole = `${unclear[1]}${unclear[2]}`
    return { problem: `can mean thousands or decimals. Write ${whole} or ${usdGrouped(usd(BigInt(whole) * 100n))}` }
  }
  const grouped = GROUPED.exec(text)
  if (grouped) {
    const [, thousands = '', , groups = '', decimals] = grouped
    return amountOf(`${thousands}${groups.replaceAll(/\D/g, '')}`, decimals)
  }
  const plain = NUMBER.exec(text)
  if (plain && /\d/.test(text)) {
    const [, whole = '', decimals] = plain
    return amountOf(whole, decimals)
  }
  return { problem: whyUnreadable(text) }
}

function amountOf(whole: string, decimals = ''): TypedUsd {
  if (decimals.length > 2) return { problem: 'must be an amount with at most two decimals' }
  const amount = usd(BigInt(whole || '0') * 100n + BigInt(decimals.padEnd(2, '0')))
  return amount > LARGEST_USD ? { problem: 'is too large' } : { amount }
}

function whyUnreadable(text: string): string {
  if (OTHER_DIGITS.test(text)) return 'must be written with the digits 0 to 9'
  if (/^[-−]/.test(text)) return 'must not be negative'
  return 'must be an amount such as 12.50'
}

/** Returns the dollars that were typed; undefined if they can't be read. */
export function dollarsOf(typed: string): number | undefined {
  const { amount } = readUsd(typed)
  return amount === undefined ? undefined : usdToNumber(amount)
}

/** Returns the text of a button that confirms an amount: `Credit $950.00`, or only `Credit` while it can't be read. */
export function withAmount(verb: string, typed: string, then = ''): string {
  const { amount } = readUsd(typed)
  return `${verb}${amount === undefined ? '' : ` ${dollars(amount)}`}${then}`
}
