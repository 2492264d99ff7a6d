import { expect, test } from 'vitest'
import { zoneOffset } from '#kernel/zone.ts'
import {
  formatCoin,
  formatCountdown,
  formatDate,
  formatDateTime,
  formatDay,
  formatDuration,
  formatPercent,
  formatPercentSigned,
  formatPlan,
  formatPrice,
  formatSpan,
  formatTime,
  formatUsd,
  formatUsdSigned,
  plainCoins,
  setLocalOffset,
} from './format.ts'

test('formats a day as YYYY-MM-DD in local time, and nothing for an invalid time', () => {
  const early = new Date(2026, 0, 5, 3, 4, 9)
  expect(formatDate(early)).toBe('2026-01-05')
  expect(formatTime(early)).toBe('03:04:09')
  expect(formatDateTime(early.toISOString())).toBe('2026-01-05 03:04:09')
  expect(formatDate('yesterday')).toBe('')
  expect(formatDateTime('yesterday')).toBe('')
})

test('formats dollars with two decimals, separators and a minus sign', () => {
  expect(formatUsd(1234.5)).toBe('$1,234.50')
  expect(formatUsd(0)).toBe('$0.00')
  expect(formatUsd(-5)).toBe('−$5.00')
  expect(formatUsdSigned(7.5)).toBe('+$7.50')
  expect(formatUsdSigned(-10)).toBe('−$10.00')
  expect(formatUsdSigned(0)).toBe('$0.00')
})

test('a coin amount has at most eight decimals and its unit', () => {
  expect(formatCoin(0.00161837, 'BTC')).toBe('0.00161837 BTC')
  expect(formatCoin(1234.5, 'ETH')).toBe('1234.5 ETH')
})

test('keeps the decimals of a price text, and applies the scale to a number', () => {
  expect(formatPrice('61837.60')).toBe('61,837.60')
  expect(formatPrice('0.00000812')).toBe('0.00000812')
  expect(formatPrice(61837.6, 2)).toBe('61,837.60')
  expect(formatPrice(8.12e-8)).toBe('0.0000000812')
  expect(formatPrice('1234567.12345')).toBe('1,234,567.12345')
  expect(formatPrice(undefined)).toBe('–')
})

test('formats percentages, durations, countdowns and plans', () => {
  expect(formatPercent(57.142857)).toBe('57.1%')
  expect(formatPercent(75)).toBe('75%')
  expect(formatPercent(99, 1, 1)).toBe('99.0%')
  expect([1.8, -0.25, 1234.5, 0, -0.001].map(formatPercentSigned)).toEqual([
    '+1.80%',
    '−0.25%',
    '+1,234.50%',
    '0.00%',
    '0.00%',
  ])
  expect([60, 300, 3600, 7200, 86400].map(formatDuration)).toEqual(['1 min', '5 min', '1 h', '2 h', '1 day'])
  expect([1, 42 * 60_000, 410 * 60_000, 1_500 * 60_000].map(formatSpan)).toEqual([
    '1 min',
    '42 min',
    '6 h 50 min',
    '1 d 1 h',
  ])
  expect(formatCountdown(59_001)).toBe('1:00')
  expect(formatCountdown(9_000)).toBe('0:09')
  expect(formatCountdown(3_600_000)).toBe('1:00:00')
  expect(formatCountdown(-1)).toBe('0:00')
  expect(formatPlan('Gold-7600')).toBe('Gold')
  expect(formatPlan('')).toBe('None')
})

test('formats coins as plain decimals, however small or round', () => {
  expect([1e-8, 0.5, 2, 100].map(plainCoins)).toEqual(['0.00000001', '0.5', '2', '100'])
})

test.each([
  ['America/New_York', '2026-11-01T05:59:59Z', '2026-11-01 01:59:59', 'Sun 2026-11-01'],
  ['America/New_York', '2026-11-01T06:00:00Z', '2026-11-01 01:00:00', 'Sun 2026-11-01'],
  ['Asia/Kolkata', '2026-11-26T18:30:00Z', '2026-11-27 00:00:00', 'Fri 2026-11-27'],
  ['Australia/Sydney', '2026-10-03T16:00:00Z', '2026-10-04 03:00:00', 'Sun 2026-10-04'],
])('shows dates and times in a chosen zone: %s at %s', (zone, time, dateTime, day) => {
  setLocalOffset((ms) => zoneOffset(zone, ms))
  try {
    expect(formatDateTime(time)).toBe(dateTime)
    expect(formatDay(time)).toBe(day)
    expect(formatDate('nonsense')).toBe('')
  } finally {
    setLocalOffset(undefined)
  }
})
