/** The only place where dates, money, coins and prices become text. */

const two = (value: number): string => String(value).padStart(2, '0')

/** How far local time is ahead of UTC at a time; the browser's unless the trader chose another zone. */
let localOffset = (ms: number): number => new Date(ms).getTimezoneOffset() * -60_000
const browsers = localOffset

/** Sets the offset of the zone in which dates and times are shown; undefined for the browser's zone. */
export function setLocalOffset(offset: ((ms: number) => number) | undefined): void {
  localOffset = offset ?? browsers
}

/** Returns a date whose UTC parts are the local ones. */
function localDate(time: string | number | Date): Date {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? date : new Date(date.getTime() + localOffset(date.getTime()))
}

/** Returns the local date, `YYYY-MM-DD`; `''` for an invalid time. */
export function formatDate(time: string | number | Date): string {
  const date = localDate(time)
  if (Number.isNaN(date.getTime())) return ''
  return `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`
}

const weekday = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' })

/** Returns the local date with its weekday, `Thu 2026-12-03`. */
export const formatDay = (time: string): string => `${weekday.format(localDate(time))} ${formatDate(time)}`

/** Returns the local time of day, `HH:MM:SS`. */
export function formatTime(time: string | number | Date): string {
  const date = localDate(time)
  if (Number.isNaN(date.getTime())) return ''
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
}

/** Returns the local time of day with milliseconds, which decide entry and exit: `HH:MM:SS.mmm`. */
export function formatExactTime(time: string | number | Date): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return ''
  return `${formatTime(date)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** `YYYY-MM-DD HH:MM:SS`, local. */
export const formatDateTime = (time: string | number | Date): string => `${formatDate(time)} ${formatTime(time)}`.trim()

const usd = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** Formats US dollars with two decimals: `$1,234.50`, and `−$5.00` below zero. */
export const formatUsd = (amount: number): string => usd.format(amount).replace('-', '−')

/** Formats gains and losses with a leading sign: `+$7.50`, `−$10.00`, `$0.00`. */
export const formatUsdSigned = (amount: number): string => (amount > 0 ? `+${formatUsd(amount)}` : formatUsd(amount))

/** Formats a coin amount with at most 8 decimals and its unit: `0.00161837 BTC`. */
export function formatCoin(amount: number, unit: string): string {
  return `${amount.toLocaleString('en-US', { maximumFractionDigits: 8, useGrouping: false })} ${unit}`
}

/** Returns decimal text without an exponent, at most 8 places: 1e-7 is `0.0000001`. */
export const plainCoins = (amount: number): string => amount.toFixed(8).replace(/\.?0+$/, '')

/**
 * Formats a price with thousands separators. Text keeps its decimals; a number gets `scale` decimals, or as many as it
 * has if no scale is known. A missing price is shown as a dash.
 */
export function formatPrice(price: string | number | undefined, scale?: number): string {
  if (price === undefined) return '–'
  const text = typeof price === 'string' ? price : scale === undefined ? plain(price) : price.toFixed(scale)
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Returns a number as decimal text without an exponent: 8.12e-8 is `0.0000000812`. */
function plain(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(12).replace(/0+$/, '') : text
}

/** Formats a percentage with at most `decimals` decimals, and at least `least`, for columns: `57.1%`. */
export const formatPercent = (percent: number, decimals = 1, least = 0): string =>
  `${percent.toLocaleString('en-US', { minimumFractionDigits: least, maximumFractionDigits: decimals }).replace('-', '−')}%`

/** Formats a change in percent with its sign and two decimals: `+1.80%`, `−0.25%`, `0.00%`. */
export function formatPercentSigned(percent: number): string {
  const text = Math.abs(percent).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return `${text === '0.00' ? '' : percent < 0 ? '−' : '+'}${text}%`
}

/** Formats a trade's duration, in seconds: 60 is `1 min`, 3600 `1 h`, 86400 `1 day`. */
export function formatDuration(seconds: number): string {
  if (seconds % 86_400 === 0) return seconds === 86_400 ? '1 day' : `${seconds / 86_400} days`
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`
  if (seconds % 60 === 0) return `${seconds / 60} min`
  return `${seconds} s`
}

/** Formats a length of time, in milliseconds, in its two largest units: `6 h 50 min`, at least one minute. */
export function formatSpan(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`
}

/** Formats the time left, in milliseconds: `0:59`, `1:00:00`; never below zero. */
export function formatCountdown(ms: number): string {
  const total = Math.max(0, Math.ceil(ms / 1_000))
  const hours = Math.floor(total / 3_600)
  const minutes = Math.floor((total % 3_600) / 60)
  return hours > 0 ? `${hours}:${two(minutes)}:${two(total % 60)}` : `${minutes}:${two(total % 60)}`
}

/** Returns the plan's name: the part before the first '-', or 'None' without a plan. */
export const formatPlan = (tradingPlan: string | undefined): string => tradingPlan?.split('-')[0] || 'None'
