import { DAY_MS, type Ms } from './time.ts'

/** Calendar periods in UTC. Weeks begin on Monday. */
type CalendarPeriod = 'day' | 'week' | 'month'

/** 5 January 1970, a Monday. */
const FIRST_MONDAY_DAY = 4

/** Returns the start of the calendar period that contains `time`. */
export function periodStart(period: CalendarPeriod, time: Ms): Ms {
  const day = Math.floor(time / DAY_MS)
  if (period === 'day') return day * DAY_MS
  if (period === 'week') return (day - ((((day - FIRST_MONDAY_DAY) % 7) + 7) % 7)) * DAY_MS
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

/** Returns the end of the calendar period that contains `time`, which is the start of the next one. */
export function periodEnd(period: CalendarPeriod, time: Ms): Ms {
  const start = periodStart(period, time)
  if (period === 'day') return start + DAY_MS
  if (period === 'week') return start + 7 * DAY_MS
  const date = new Date(start)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}
