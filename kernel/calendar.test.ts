import fc from 'fast-check'
import { expect } from 'vitest'
import { property } from '#tests/support/property.ts'
import { periodEnd, periodStart } from './calendar.ts'
import { DAY_MS } from './time.ts'

const RUNS = 5_000
const time = fc.integer({ min: Date.UTC(1950, 0, 1), max: Date.UTC(2200, 0, 1) })
const period = fc.constantFrom<Parameters<typeof periodStart>[0]>('day', 'week', 'month')

property('each time is in exactly one period, and periods follow each other', RUNS, [time, period], (at, length) => {
  const [start, end] = [periodStart(length, at), periodEnd(length, at)]
  expect(start).toBeLessThanOrEqual(at)
  expect(end).toBeGreaterThan(at)
  expect([periodStart(length, start), periodStart(length, end - 1)]).toEqual([start, start])
  expect(periodStart(length, end)).toBe(end)
})

property('days begin at midnight UTC, weeks on Monday and months on the first', RUNS, [time], (at) => {
  const iso = (start: number) => new Date(start).toISOString()
  expect(iso(periodStart('day', at))).toMatch(/T00:00:00\.000Z$/)
  expect(iso(periodStart('day', at)).slice(0, 10)).toBe(iso(at).slice(0, 10))
  expect(new Date(periodStart('week', at)).getUTCDay()).toBe(1)
  expect(periodEnd('week', at) - periodStart('week', at)).toBe(7 * DAY_MS)
  expect(iso(periodStart('month', at))).toBe(`${iso(at).slice(0, 7)}-01T00:00:00.000Z`)
})
