import { expect, test } from 'vitest'
import { beginningOf } from './beginning.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const MINUTE_MS = 60_000
const answer = { status: true as const, data: [] }

test('a chart that is all tape of one kind has no beginning', () => {
  expect(beginningOf({ ...answer, source: 'live' }, NOW)).toBeUndefined()
})

test('simulated history and the candles of a venue end where the tape begins', () => {
  expect(beginningOf({ ...answer, source: 'simulation', simulated_until: NOW - MINUTE_MS }, NOW)).toEqual({
    ms: NOW - MINUTE_MS,
    before: 'Simulated history',
    after: undefined,
  })
  expect(
    beginningOf({ ...answer, source: 'live', venue: 'Kraken', venue_until: NOW - 60_000, since: NOW - 30_000 }, NOW),
  ).toEqual({ ms: NOW - 60_000, before: 'Candles of Kraken', after: expect.stringMatching(/^Live since \d\d:\d\d/) })
})

test('a new kind without a history begins where it began, with its date if that is long ago', () => {
  const since = NOW - 30 * 60 * MINUTE_MS
  expect(beginningOf({ ...answer, source: 'simulation', since }, NOW)).toEqual({
    ms: since,
    before: undefined,
    after: expect.stringMatching(/^Simulated since .*2026/),
  })
})
