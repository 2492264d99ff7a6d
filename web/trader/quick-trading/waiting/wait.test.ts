import { expect, test } from 'vitest'
import { formatTime, waitingWords } from '#web/ui/index.ts'
import { nextTime, waitTerms } from './wait.ts'

const now = Date.parse('2026-03-02T12:00:20.000Z')
const wait: Parameters<typeof waitTerms>[0] = { when: 'price', level: '', time: '', validMs: 0 }

test('a level above the price waits for a rise, one below for a fall', () => {
  expect(waitTerms({ ...wait, level: '70,000.5' }, '69000.00', now)).toEqual({
    terms: { condition: 'at_or_above', level: '70000.5' },
  })
  expect(waitTerms({ ...wait, level: '68000', validMs: 3_600_000 }, '69000.00', now)).toEqual({
    terms: { condition: 'at_or_below', level: '68000', valid_until: '2026-03-02T13:00:20.000Z' },
  })
  expect(waitTerms({ ...wait, when: 'now', level: 'x' }, '69000.00', now)).toBeUndefined()
})

test('says what is wrong with what was typed', () => {
  for (const level of ['', '0', '7e4', '-1', 'ten', '69000.00'])
    expect(waitTerms({ ...wait, level }, '69000.00', now), level).toHaveProperty('problems.level')
  expect(waitTerms({ ...wait, level: '70000' }, undefined, now)).toHaveProperty('problems.level')
  expect(waitTerms({ ...wait, when: 'time', time: '' }, '1', now)).toHaveProperty('problems.time')
})

test('a time of day is its next one', () => {
  for (let minute = 0; minute < 1_440; minute += 7) {
    const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
    const at = nextTime(time, now)!
    expect(formatTime(at)).toBe(`${time}:00`)
    expect(at > now && at <= now + 86_400_000 + 60_000, time).toBe(true)
  }
})

test('says what an order waits for', () => {
  expect(waitingWords({ condition: 'at_or_below', level: '70000.5' })).toBe('at or below 70,000.5')
  expect(waitingWords({ condition: 'at_time', at: new Date(now).toISOString() })).toBe(
    `at ${formatTime(now).slice(0, 5)}`,
  )
})
