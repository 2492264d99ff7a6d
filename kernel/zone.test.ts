import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { property } from '#tests/support/property.ts'
import { DAY_MS, HOUR_MS } from './time.ts'
import { dayIn, dayStart, hourOf, offsetBy, weekdayOf, zoneNamed, zoneOffset, zoneRules } from './zone.ts'

const ZONES = Intl.supportedValuesOf('timeZone')
const at = (iso: string) => Date.parse(iso)

test('knows the zones of the database by each usual name, and nothing else', () => {
  expect(ZONES.length).toBeGreaterThan(400)
  expect(ZONES.filter((zone) => zoneNamed(zone) === undefined)).toEqual([])
  expect(zoneNamed('asia/kolkata')).toBe(zoneNamed('Asia/Calcutta'))
  expect(zoneNamed('UTC')).toBe('UTC')
  for (const wrong of ['', 'Mars/Base', '+05:30', 'Europe/Paris; drop', "Europe/'Paris", 'a'.repeat(200)])
    expect(zoneNamed(wrong)).toBeUndefined()
})

describe.each([
  // The days of a change of clocks: their start and their length in hours.
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', 23],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 25],
  ['Asia/Kolkata', '2026-11-01', '2026-10-31T18:30:00Z', 24],
  ['Australia/Sydney', '2026-04-05', '2026-04-04T13:00:00Z', 25],
  ['Australia/Sydney', '2026-10-04', '2026-10-03T14:00:00Z', 23],
  // Clocks skip midnight, and go back to 23:00 at midnight and from 1:00 to midnight.
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z', 23],
  ['Africa/Cairo', '2026-10-29', '2026-10-28T21:00:00Z', 25],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z', 25],
])('%s on %s', (zone, day, start, hours) => {
  test(`starts at ${start} and has ${hours} hours`, () => {
    expect(new Date(dayStart(zone, day)).toISOString()).toBe(new Date(start).toISOString())
    expect(dayStart(zone, day, 1) - dayStart(zone, day)).toBe(hours * HOUR_MS)
  })
})

const someTime = fc.integer({ min: at('2020-01-03T00:00:00Z'), max: at('2035-12-01T00:00:00Z') })

property(
  'a day has exactly the moments from its start until before the next',
  300,
  [fc.constantFrom(...ZONES), someTime],
  (zone, time) => {
    const day = dayIn(zone, time)
    const start = dayStart(zone, day)
    expect(dayIn(zone, start)).toBe(day)
    expect(dayIn(zone, start - 1) < day).toBe(true)
    expect(start).toBeLessThanOrEqual(time)
    expect(dayStart(zone, day, 1)).toBeGreaterThan(time)
  },
)

test('a day is named without its hour', () => {
  expect(dayIn('Asia/Kolkata', at('2026-10-31T18:29:59Z'))).toBe('2026-10-31')
  expect(dayIn('Asia/Kolkata', at('2026-10-31T18:30:00Z'))).toBe('2026-11-01')
})

describe('the rules of a zone', () => {
  const [from, to] = [at('2026-01-01T00:00:00Z'), at('2027-01-01T00:00:00Z')]

  test('name each change of the clocks, to the minute', () => {
    const [spring, autumn] = [at('2026-03-08T07:00:00Z'), at('2026-11-01T06:00:00Z')]
    expect(zoneRules('America/New_York', from, to)).toEqual({
      starts: [from, spring, autumn],
      offsets: [-5 * HOUR_MS, -4 * HOUR_MS, -5 * HOUR_MS],
    })
  })

  test('are one offset where clocks are never changed, and where the time is empty', () => {
    expect(zoneRules('Asia/Kolkata', from, to)).toEqual({ starts: [from], offsets: [5.5 * HOUR_MS] })
    // Clocks are changed in the week that would follow.
    const spring = at('2026-03-08T06:00:00Z')
    expect(zoneRules('America/New_York', spring, spring).starts).toEqual([spring])
  })

  test('find a change between two hours: half an hour on Lord Howe Island', () => {
    const rules = zoneRules('Australia/Lord_Howe', from + 1_001, to)
    expect(rules.starts).toEqual([from + 1_001, at('2026-04-04T15:00:00Z'), at('2026-10-03T15:30:00Z')])
    expect(rules.offsets).toEqual([11 * HOUR_MS, 10.5 * HOUR_MS, 11 * HOUR_MS])
  })

  test('count from their moment until before the next', () => {
    const rules = { starts: [100, 200, 300, 400], offsets: [1, 2, 3, 4] }
    const found = [0, 100, 199, 200, 299, 300, 399, 400, 1_000].map((time) => offsetBy(rules, time))
    expect(found).toEqual([1, 1, 1, 2, 2, 3, 3, 4, 4])
  })
})

property(
  'the rules of a zone give the offset of each moment',
  100,
  [fc.constantFrom(...ZONES), someTime, fc.array(fc.nat(400 * DAY_MS), { minLength: 20, maxLength: 20 })],
  (zone, from, later) => {
    const rules = zoneRules(zone, from, from + 400 * DAY_MS)
    for (const ms of later) expect(offsetBy(rules, from + ms)).toBe(zoneOffset(zone, from + ms))
  },
)

test('counts hours from midnight and days from Monday', () => {
  const local = at('2026-11-26T23:59:59Z')
  expect(hourOf(local)).toBe(23)
  expect(weekdayOf(local)).toBe(3)
  expect(weekdayOf(local + DAY_MS)).toBe(4)
  expect(weekdayOf(at('2026-11-23T00:00:00Z'))).toBe(0)
})
