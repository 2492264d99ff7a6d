import { must } from '#kernel/must.ts'
import { DAY_MS, HOUR_MS, type Ms, startOf } from '#kernel/time.ts'

/** National currencies. Their pairs are traded from Sunday to Friday, 17:00 in New York; coins always. */
const CURRENCIES = new Set('AUD CAD CHF CNH CZK DKK EUR GBP HKD HUF JPY MXN NOK NZD PLN SEK SGD TRY USD ZAR'.split(' '))
const SUNDAY = 0
const FRIDAY = 5
const SATURDAY = 6
const CHANGES_AT_HOUR = 17

/** Returns when the market of a pair with live prices reopens; undefined while it is open. */
export const marketReopens = (pair: { base: string; quote: string }, at: Ms): Ms | undefined =>
  isCurrencyPair(pair) ? currencyMarketReopens(at) : undefined

const isCurrencyPair = ({ base, quote }: { base: string; quote: string }): boolean =>
  CURRENCIES.has(base) && CURRENCIES.has(quote)

/** Returns when the currency market reopens; undefined while it is open. */
function currencyMarketReopens(now: Ms): Ms | undefined {
  const { weekday, hour } = inNewYork(now)
  const isClosed =
    weekday === SATURDAY ||
    (weekday === FRIDAY && hour >= CHANGES_AT_HOUR) ||
    (weekday === SUNDAY && hour < CHANGES_AT_HOUR)
  if (!isClosed) return undefined
  // Found on full hours, because a day in New York may have 23 or 25 of them.
  let time = startOf(now, HOUR_MS) + HOUR_MS
  for (const until = now + 3 * DAY_MS; time < until; time += HOUR_MS) {
    const at = inNewYork(time)
    if (at.weekday === SUNDAY && at.hour === CHANGES_AT_HOUR) break
  }
  return time
}

const NEW_YORK = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  weekday: 'short',
  hour: 'numeric',
  hourCycle: 'h23',
})
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** Offsets change on full hours only, so an hour needs to be looked up once. */
let cached: { hourMs: Ms; weekday: number; hour: number } | undefined

function inNewYork(time: Ms): { weekday: number; hour: number } {
  const hourMs = startOf(time, HOUR_MS)
  if (cached?.hourMs === hourMs) return cached
  const parts = new Map(NEW_YORK.formatToParts(hourMs).map(({ type, value }) => [type, value]))
  cached = { hourMs, weekday: WEEKDAYS.indexOf(must(parts.get('weekday'))), hour: Number(parts.get('hour')) }
  return cached
}
