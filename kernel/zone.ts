import { DAY_MS, HOUR_MS, MINUTE_MS, type Ms } from './time.ts'

/**
 * Days in a time zone: the same on the server and in a browser. A zone is named as in IANA's database. Its rules come
 * from `Intl`, and the database only adds the offsets that they give.
 */

const NAME = /^[A-Za-z][A-Za-z0-9_+-]{0,31}(\/[A-Za-z0-9_+-]{1,31}){0,2}$/
const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the usual spelling of a zone's name; undefined if there is no such zone. */
export function zoneNamed(name: string): string | undefined {
  if (!NAME.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Zones and spellings are a few hundred; a caller can't add more, as only known names are kept. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  formats.set(zone, format)
  return format
}

/** Returns how far a zone's clocks are ahead of UTC at a time. */
export function zoneOffset(zone: string, time: Ms): Ms {
  const part: Record<string, number> = {}
  for (const { type, value } of formatOf(zone).formatToParts(time)) part[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1_000) * 1_000
}

/** Returns the day of a time in a zone, `YYYY-MM-DD`. */
export const dayIn = (zone: string, time: Ms): string =>
  new Date(time + zoneOffset(zone, time)).toISOString().slice(0, 10)

/** Returns when a day (`YYYY-MM-DD`), or the one so many days later, begins in a zone: its first moment, also where clocks skip midnight. */
export function dayStart(zone: string, day: string, daysLater = 0): Ms {
  const midnight = Date.parse(day) + daysLater * DAY_MS
  const before = zoneOffset(zone, midnight - DAY_MS)
  const first = midnight - before
  // Where clocks were changed before midnight, or are put back at midnight, the new offset counts. Of two midnights the
  // first is meant; where clocks skip midnight, it's the moment at which they do.
  const offset =
    zoneOffset(zone, first - 1) === before ? Math.min(zoneOffset(zone, first), before) : zoneOffset(zone, first)
  return midnight - offset
}

/** The offsets of a zone over some time: `offsets[i]` counts from `starts[i]` until before `starts[i + 1]`. */
export interface ZoneRules {
  starts: Ms[]
  offsets: Ms[]
}

/** Clocks are changed less often. */
const STEP_MS = 7 * DAY_MS

/** Returns the rules of a zone from one time to another. */
export function zoneRules(zone: string, from: Ms, to: Ms): ZoneRules {
  let offset = zoneOffset(zone, from)
  const rules: ZoneRules = { starts: [from], offsets: [offset] }
  for (let at = from; at < to; at += STEP_MS) {
    const next = zoneOffset(zone, at + STEP_MS)
    if (next === offset) continue
    rules.starts.push(changeBetween(zone, at, at + STEP_MS))
    rules.offsets.push(next)
    offset = next
  }
  return rules
}

/** Returns the first minute after `low`, and at most `high`, with another offset than `low`. */
function changeBetween(zone: string, low: Ms, high: Ms): Ms {
  const offset = zoneOffset(zone, low)
  let [before, after] = [Math.floor(low / MINUTE_MS), Math.ceil(high / MINUTE_MS)]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (zoneOffset(zone, middle * MINUTE_MS) === offset) before = middle
    else after = middle
  }
  return after * MINUTE_MS
}

/** Returns a time's offset by a zone's rules. */
export function offsetBy({ starts, offsets }: ZoneRules, time: Ms): Ms {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= time) low = middle
    else high = middle
  }
  return offsets[low] ?? 0
}

/** Returns the hour (0 to 23) of a local time. */
export const hourOf = (local: Ms): number => Math.floor(local / HOUR_MS) % 24
/** Returns the day of the week of a local time: 0 is Monday. */
export const weekdayOf = (local: Ms): number => (Math.floor(local / DAY_MS) + 3) % 7
