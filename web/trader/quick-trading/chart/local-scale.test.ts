import type { IHorzScaleBehavior, Time, UTCTimestamp } from 'lightweight-charts'
import { expect, test } from 'vitest'
import { localScale } from './local-scale.ts'

/** The library's weight of a point at which a day begins; months and years weigh more. */
const DAY = 50
const HOUR_MS = 3_600_000

const clockOf = (zone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })

const offsetIn = (zone: string) => {
  const clock = clockOf(zone)
  return (timeMs: number) => Date.parse(`${clock.format(timeMs).replace(' ', 'T')}Z`) - timeMs
}

type Points = Parameters<IHorzScaleBehavior<Time>['fillWeightsForPoints']>[0][number][]

function pointsOf(scale: IHorzScaleBehavior<Time>, timesMs: readonly number[]): Points {
  return timesMs.map((ms) => {
    const time = (ms / 1_000) as UTCTimestamp
    return {
      time: scale.convertHorzItemToInternal(time),
      originalTime: time,
      timeWeight: 0,
    } as unknown as Points[number]
  })
}

test.each([
  ['New York, the clock goes back', 'America/New_York', '2026-10-30'],
  ['New York, the clock goes forward', 'America/New_York', '2026-03-06'],
  ['Kolkata, half an hour off', 'Asia/Kolkata', '2026-10-30'],
  ['Sydney, the clock goes forward', 'Australia/Sydney', '2026-10-02'],
  ['Sydney, the clock goes back', 'Australia/Sydney', '2026-04-03'],
  ['UTC', 'UTC', '2026-10-30'],
])('a day begins at the first bar of the reader’s day: %s', (_, zone, from) => {
  const scale = localScale(offsetIn(zone))
  const clock = clockOf(zone)
  const day = (ms: number) => clock.format(ms).slice(0, 10)
  for (const intervalMs of [HOUR_MS / 4, HOUR_MS, 4 * HOUR_MS]) {
    const times = Array.from({ length: (5 * 24 * HOUR_MS) / intervalMs }, (_, at) => Date.parse(from) + at * intervalMs)
    const begins = times.filter((ms, at) => at > 0 && day(ms) !== day(times[at - 1]!))
    expect(begins.length).toBeGreaterThanOrEqual(4)
    const points = pointsOf(scale, times)
    scale.fillWeightsForPoints(points, 0)
    const marked = (of: Points) => times.filter((_, at) => at > 0 && of[at]!.timeWeight >= DAY)
    expect(marked(points)).toEqual(begins)
    // The same when the bars come one by one, as prices do.
    const later = pointsOf(scale, times)
    for (let at = 0; at < later.length; at++) scale.fillWeightsForPoints(later.slice(0, at + 1), at)
    expect(marked(later)).toEqual(begins)
  }
})
