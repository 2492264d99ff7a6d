import { expect, test } from 'vitest'
import { changeText, countedOf, formatMinutes, utcDay, utcTime } from './words.ts'

test('writes minutes as hours and minutes', () => {
  expect([15, 60, 90, 1_440].map(formatMinutes)).toEqual(['15 min', '1 h', '1 h 30 min', '24 h'])
})

test('says when a change applies', () => {
  expect(changeText(null, 100)).toMatch(/at once/)
  expect(changeText(100, 50)).toMatch(/at once/)
  expect(changeText(100, 200)).toMatch(/24 hours/)
  expect(changeText(100, null)).toMatch(/24 hours/)
  expect(changeText(100, 100)).toMatch(/already/)
})

test('counts open stakes towards a limit, and nothing after a gain', () => {
  expect(countedOf({ used: 20, max: 100, left: 50 })).toBe(50)
  expect(countedOf({ used: -30, max: 100, left: 130 })).toBe(0)
  expect(countedOf({ used: 12.5, max: null, left: null })).toBe(12.5)
})

test('writes days and times in UTC', () => {
  expect(utcDay('2026-11-23T00:00:00.000Z')).toBe('Mon 23 Nov')
  expect(utcTime('2026-11-23T23:59:00.000Z')).toBe('Mon 23 Nov 2026, 23:59 UTC')
})
