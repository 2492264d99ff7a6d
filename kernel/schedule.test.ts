import { expect, test } from 'vitest'
import { isScheduled } from './schedule.ts'

/** 2026-11-16 is a Monday. */
const at = (day: number, time: string) => Date.parse(`2026-11-${day}T${time}:00Z`)
const MONDAY = [1]

test('hours are from the first one, up to the last one', () => {
  const schedule = { days: MONDAY, fromHour: 9, toHour: 17 }
  expect(isScheduled(schedule, at(16, '08:59'))).toBe(false)
  expect(isScheduled(schedule, at(16, '09:00'))).toBe(true)
  expect(isScheduled(schedule, at(16, '16:59'))).toBe(true)
  expect(isScheduled(schedule, at(16, '17:00'))).toBe(false)
  expect(isScheduled(schedule, at(17, '09:00')), 'a Tuesday').toBe(false)
})

test('hours that pass midnight belong to the day on which they began', () => {
  const schedule = { days: MONDAY, fromHour: 22, toHour: 6 }
  expect(isScheduled(schedule, at(16, '21:59'))).toBe(false)
  expect(isScheduled(schedule, at(16, '22:00'))).toBe(true)
  expect(isScheduled(schedule, at(17, '05:59')), 'Tuesday morning').toBe(true)
  expect(isScheduled(schedule, at(17, '06:00'))).toBe(false)
  expect(isScheduled(schedule, at(17, '22:00'))).toBe(false)
  expect(isScheduled(schedule, at(16, '05:00')), 'began on Sunday').toBe(false)
})

test('the whole day ends at midnight', () => {
  expect(isScheduled({ days: MONDAY, fromHour: 0, toHour: 24 }, at(16, '23:59'))).toBe(true)
  expect(isScheduled({ days: [0, 6], fromHour: 0, toHour: 24 }, at(22, '00:00')), 'a Sunday').toBe(true)
  expect(isScheduled({ days: [0, 6], fromHour: 0, toHour: 24 }, at(16, '00:00'))).toBe(false)
})
