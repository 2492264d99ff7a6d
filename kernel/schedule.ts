import { DAY_MS, HOUR_MS, type Ms } from './time.ts'
import { weekdayOf } from './zone.ts'

/** Days of the week (0 is Sunday) and hours: from this hour, up to that one. An earlier end is on the next day. */
interface Schedule {
  days: readonly number[]
  fromHour: number
  toHour: number
}

/** Returns whether a local time is within the schedule. Hours after midnight belong to the day on which they began. */
export function isScheduled({ days, fromHour, toHour }: Schedule, local: Ms): boolean {
  const hour = Math.floor(local / HOUR_MS) % 24
  const endsNextDay = toHour < fromHour
  const isInHours = endsNextDay ? hour >= fromHour || hour < toHour : hour >= fromHour && hour < toHour
  const begun = endsNextDay && hour < toHour ? local - DAY_MS : local
  // `weekdayOf` counts from Monday.
  return isInHours && days.includes((weekdayOf(begun) + 1) % 7)
}
