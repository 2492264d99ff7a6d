import { MINUTE_MS, type Ms } from '#kernel/time.ts'
import type { VenueCondition, VenueReport } from './report.ts'

const MINUTES = 60

/** How a venue did in one minute. */
export interface VenueMinuteReport {
  atMs: Ms
  messagesPerSecond: number
  rejectsPerSecond: number
  condition: VenueCondition
}

/** Remembers how each venue did in every minute of the last hour. */
export function createVenueHour() {
  const minutes = new Map<string, VenueMinuteReport[]>()
  let nextMs = 0
  return {
    /** Takes a sample once a minute; calls in between do nothing. */
    sample(now: Ms, reports: () => readonly VenueReport[]): void {
      if (now < nextMs) return
      nextMs = now + MINUTE_MS
      for (const { venue, messagesPerSecond, rejectsPerSecond, condition } of reports()) {
        const list = minutes.get(venue) ?? []
        minutes.set(venue, list)
        list.push({ atMs: now, messagesPerSecond, rejectsPerSecond, condition })
        if (list.length > MINUTES) list.shift()
      }
    },
    of: (venue: string): readonly VenueMinuteReport[] => minutes.get(venue) ?? [],
  }
}
