import fc from 'fast-check'
import { expect, test } from 'vitest'
import { property } from '#tests/support/property.ts'
import { DAY_MS, startOf, toIso } from './time.ts'

const EDGE = 8.64e15
const near = fc.integer({ min: -3 * DAY_MS, max: 3 * DAY_MS }).map((ms) => 1_790_000_000_000 + ms)
const any = fc.oneof(near, fc.double({ min: -EDGE, max: EDGE, noNaN: true }), fc.constantFrom(0, -1, DAY_MS, -DAY_MS))

property('formats every time as Date does', 100_000, [any, any], (time, other) => {
  for (const at of [time, other, time]) expect(toIso(at)).toBe(new Date(at).toISOString())
})

test('throws for an invalid time', () => {
  for (const time of [Number.NaN, Number.POSITIVE_INFINITY, EDGE + 1]) expect(() => toIso(time)).toThrow(RangeError)
})

test('a period starts at a multiple of its length since the epoch', () => {
  expect([startOf(125_000, 60_000), startOf(120_000, 60_000), startOf(-1, DAY_MS)]).toEqual([120_000, 120_000, -DAY_MS])
  const noon = Date.UTC(2026, 10, 23, 12)
  expect(startOf(noon, DAY_MS)).toBe(Date.UTC(2026, 10, 23))
})
