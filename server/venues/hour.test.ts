import { expect, test } from 'vitest'
import { MINUTE_MS } from '#kernel/time.ts'
import { createVenueHour } from './hour.ts'
import type { VenueReport } from './report.ts'

const T = 1_790_000_000_000
const report = (messagesPerSecond: number): VenueReport[] => [
  {
    venue: 'kraken',
    condition: 'good',
    markets: 3,
    counted: 3,
    connectedSinceMs: T,
    lastDrop: undefined,
    messagesPerSecond,
    rejectsPerSecond: 0,
    dropped: {},
    skewMs: 0,
    lagMs: 0,
    quarantinedUntilMs: undefined,
  },
]

test('keeps one sample a minute, of the last hour', () => {
  const hour = createVenueHour()
  expect(hour.of('kraken')).toEqual([])
  for (let second = 0; second < 90 * 60; second++) {
    const minute = Math.floor(second / 60)
    hour.sample(T + second * 1_000, () => report(minute))
  }
  const kept = hour.of('kraken')
  expect(kept).toHaveLength(60)
  expect(kept[0]).toMatchObject({ atMs: T + 30 * MINUTE_MS, messagesPerSecond: 30 })
  expect(kept.at(-1)).toMatchObject({ atMs: T + 89 * MINUTE_MS, messagesPerSecond: 89 })
  expect(hour.of('nowhere')).toEqual([])
})
