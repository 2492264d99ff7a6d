/** Unix milliseconds. On the server this is tape time, never the machine's clock (docs/glossary.md: tape time). */
export type Ms = number

export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

const texts = (count: number) =>
  Array.from({ length: count }, (_, n) => String(n).padStart(String(count - 1).length, '0'))
const TWO_DIGITS = texts(100)
const THREE_DIGITS = texts(1_000)
let lastDay = Number.NaN
let lastDate = ''

/**
 * Formats a time as ISO 8601 in UTC, the format of every time in a response. A page of a list has hundreds of times,
 * mostly on the same day, so the last date is cached: several times faster than a `Date` for each.
 */
export function toIso(time: Ms): string {
  const whole = Math.trunc(time)
  const day = Math.floor(whole / DAY_MS)
  if (day !== lastDay) {
    lastDate = new Date(whole).toISOString().slice(0, -'HH:MM:SS.mmmZ'.length)
    lastDay = day
  }
  const ms = whole - day * DAY_MS
  const seconds = Math.floor(ms / SECOND_MS)
  const minutes = Math.floor(seconds / 60)
  return `${lastDate}${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}.${THREE_DIGITS[ms % 1_000]}Z`
}

/** Returns the start of the period of `lengthMs` that contains `time`, counted from the epoch (days are UTC days). */
export const startOf = (time: Ms, lengthMs: number): Ms => Math.floor(time / lengthMs) * lengthMs
