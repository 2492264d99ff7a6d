import { DAY_MS, type Ms } from '#kernel/time.ts'

const SATURDAY = 6
const SUNDAY = 0

/** The same time of day, so many business days later. Saturdays and Sundays (UTC) do not count; bank holidays do. */
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
