import { DAY_MS, type Ms } from '#kernel/time.ts'

const SATURDAY = 6
const SUNDAY = 0

/** Adds business days and keeps the time of day. Skips Saturdays and Sundays (UTC), but not bank holidays. */
export function afterBusinessDays(start: Ms, days: number): Ms {
  let time = start
  for (let left = days; left > 0; ) {
    time += DAY_MS
    // The epoch was a Thursday.
    const day = (Math.floor(time / DAY_MS) + 4) % 7
    if (day !== SATURDAY && day !== SUNDAY) left--
  }
  return time
}

/** The same as SQL, for a column of times. */
export function afterBusinessDaysSql(column: string, days: number): string {
  const weekday = `extract(isodow from ${column} at time zone 'UTC')::int`
  // A weekend counts as its Friday; each five days cross a weekend.
  return `(${column} + make_interval(days => ${days} + 2 * ((least(${weekday}, 5) + ${days - 1}) / 5) - greatest(${weekday} - 5, 0)))`
}
