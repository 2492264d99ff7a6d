import { expect, test } from 'vitest'
import { daysOf, problemOf } from './period.ts'

const now = new Date('2026-03-05T23:30:00-05:00')

test('periods are UTC days, up to today', () => {
  expect(daysOf('this-month', now)).toEqual({ from: '2026-03-01', to: '2026-03-06' })
  expect(daysOf('this-year', now)).toEqual({ from: '2026-01-01', to: '2026-03-06' })
  expect(daysOf('own', now)).toEqual({ from: '2026-02-05', to: '2026-03-06' })
})

test('last month is whole, across a year too', () => {
  expect(daysOf('last-month', now)).toEqual({ from: '2026-02-01', to: '2026-02-28' })
  expect(daysOf('last-month', new Date('2026-01-31T12:00:00Z'))).toEqual({ from: '2025-12-01', to: '2025-12-31' })
})

test('requires both custom dates, in order', () => {
  expect(problemOf({ from: '2026-01-02', to: '2026-01-01' })?.field).toBe('to')
  expect(problemOf({ from: '', to: '2026-01-01' })?.field).toBe('from')
  expect(problemOf({ from: '2026-01-01', to: '2026-01-01' })).toBeUndefined()
})
