/** Removes the thousands marks of a number as people type it. */
export const ungrouped = (typed: string): string => typed.trim().split(',').join('')

/** Reads a number as people type it: `70,000.5` or `70000.5`; NaN if it's none. */
export function readNumber(text: string): number {
  return /^-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/.test(text.trim()) ? Number(ungrouped(text)) : Number.NaN
}

/** What someone typed: the plain text of the number that was meant, or the rule that it fails. */
type TypedDecimal = { decimal: string; problem?: never } | { decimal?: never; problem: string }

const DECIMAL = /^(\d+)(?:\.(\d+))?$/
/** More digits than any number that is typed here has. */
const WHOLE_DIGITS = 12

/**
 * Reads a typed number with at most `places` decimals, such as coins or percent: digits, and a point before decimals.
 * Nothing groups them, so a number is never more than was meant: `1,500` and `1e3` are refused with the reason.
 */
export function readDecimal(typed: string, places: number): TypedDecimal {
  const text = typed.trim()
  if (text === '') return { problem: 'must not be empty' }
  const [, whole, decimals = ''] = DECIMAL.exec(text) ?? []
  if (whole === undefined) return { problem: whyNoDecimal(text, places) }
  if (whole.length > WHOLE_DIGITS) return { problem: 'is too large' }
  if (decimals.length > places)
    return { problem: places === 0 ? 'must be a whole number' : `must have at most ${places} decimals` }
  return { decimal: text }
}

function whyNoDecimal(text: string, places: number): string {
  if (/(?![0-9])\p{Nd}/u.test(text)) return 'must be written with the digits 0 to 9'
  if (/^[-−]/.test(text)) return 'must not be negative'
  if (places === 0) return 'must be a whole number'
  return text.includes(',') ? 'must have a point for decimals, and no commas' : 'must be a number such as 12.5'
}

/** Returns the typed number; NaN if it can't be read. */
export const decimalOf = (typed: string, places: number): number => Number(readDecimal(typed, places).decimal)
