import { first, must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'

const SAMPLES = 101
const REFRESH_MS = 250

/** What we know of a venue's clock, from the newest messages that carried a time. */
export interface VenueClock {
  /**
   * Returns when the news of a message was current: the venue's time, corrected if its clock runs ahead, and never after
   * the receipt. A message without a time may have been underway as long as the slowest recent one.
   */
  sourceTime(venueMs: Ms | undefined, receivedMs: Ms): Ms
  /** The median of (venue's time - receipt): positive if its clock runs ahead, negative if it is slow or its feed late. */
  skewMs(): number
  /** How long the slowest of the newest messages was underway, by the corrected clock. */
  lagMs(): number
}

/**
 * Only a clock that runs ahead is corrected. Times that lie behind look the same whether the clock is slow or the feed is
 * late; believing in a slow clock would publish a late feed as current, and anyone with a faster one could trade on what
 * it is about to show. So such a venue counts as late.
 */
export function venueClock(): VenueClock {
  const samples: number[] = []
  let next = 0
  let skew = 0
  let lag = 0
  let refreshedAt = Number.NEGATIVE_INFINITY

  function refresh(): void {
    const sorted = samples.toSorted((a, b) => a - b)
    skew = must(sorted[sorted.length >> 1])
    lag = Math.max(0, Math.max(0, skew) - first(sorted))
  }

  return {
    sourceTime(venueMs, receivedMs) {
      if (venueMs === undefined) return receivedMs - lag
      samples[next] = venueMs - receivedMs
      next = (next + 1) % SAMPLES
      // Sorting for every message would cost more than everything else.
      if (samples.length < SAMPLES || receivedMs - refreshedAt >= REFRESH_MS) {
        refresh()
        refreshedAt = receivedMs
      }
      return Math.min(venueMs - Math.max(0, Math.round(skew)), receivedMs)
    },
    skewMs: () => skew,
    lagMs: () => lag,
  }
}
