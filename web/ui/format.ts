/** The only place where dates, money, coins and prices become text. */

const two = (value: number): string => String(value).padStart(2, '0')

/** The local day, `YYYY-MM-DD`; `''` for what is no time. */
export function formatDate(time: string | number | Date): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return ''
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The local time of day, `HH:MM:SS`. */
export function formatTime(time: string | number | Date): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return ''
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** `YYYY-MM-DD HH:MM:SS`, local. */
export const formatDateTime = (time: string | number | Date): string => `${formatDate(time)} ${formatTime(time)}`.trim()

const usd = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** US dollars with two decimals: `$1,234.50`; below zero `−$5.00`. */
export const formatUsd = (amount: number): string => usd.format(amount).replace('-', '−')

/** With its sign in front, for gains and losses: `+$7.50`, `−$10.00`, `$0.00`. */
export const formatUsdSigned = (amount: number): string => (amount > 0 ? `+${formatUsd(amount)}` : formatUsd(amount))

/** A coin amount with at most 8 decimals and its unit: `0.00161837 BTC`. */
export function formatCoin(amount: number, unit: string): string {
  return `${amount.toLocaleString('en-US', { maximumFractionDigits: 8, useGrouping: false })} ${unit}`
}

/**
 * A price with thousands separators. Text keeps the decimals it came with; a number takes `scale` decimals, or as many
 * as it has where no scale is known. An absent price is a dash.
 */
export function formatPrice(price: string | number | undefined, scale?: number): string {
  if (price === undefined) return '–'
  const text = typeof price === 'string' ? price : scale === undefined ? plain(price) : price.toFixed(scale)
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Decimal text of a number without an exponent: 8.12e-8 is `0.0000000812`. */
function plain(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(12).replace(/0+$/, '') : text
}

/** `57.1%`, with at most `decimals` decimals. */
export const formatPercent = (percent: number, decimals = 1): string =>
  `${percent.toLocaleString('en-US', { maximumFractionDigits: decimals }).replace('-', '−')}%`

/** A trade's duration in words: 60 is `1 min`, 3600 `1 h`, 86400 `1 day`. */
export function formatDuration(seconds: number): string {
  if (seconds % 86_400 === 0) return seconds === 86_400 ? '1 day' : `${seconds / 86_400} days`
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`
  if (seconds % 60 === 0) return `${seconds / 60} min`
  return `${seconds} s`
}

/** Time that is left, from milliseconds: `0:59`, `1:00:00`; never below zero. */
export function formatCountdown(ms: number): string {
  const total = Math.max(0, Math.ceil(ms / 1_000))
  const hours = Math.floor(total / 3_600)
  const minutes = Math.floor((total % 3_600) / 60)
  return hours > 0 ? `${hours}:${two(minutes)}:${two(total % 60)}` : `${minutes}:${two(total % 60)}`
}

/** The plan's name: what stands before the first '-', 'None' without one. */
export const formatPlan = (tradingPlan: string | undefined): string => tradingPlan?.split('-')[0] || 'None'
