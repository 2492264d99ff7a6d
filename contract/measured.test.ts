import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { property } from '#tests/support/property.ts'
import { breakEvenRate, hitRate, measuredSentence } from './measured.ts'
import { percentOf } from './terms.ts'

describe('hitRate', () => {
  test.each([
    // Newcombe, 'Two-sided confidence intervals for the single proportion', Statistics in Medicine 17 (1998), table I,
    // method 3: the score interval without continuity correction.
    [81, 263, 25.53, 36.62],
    [15, 148, 6.24, 16.05],
    [0, 20, 0, 16.11],
    [1, 29, 0.61, 17.18],
  ])('matches the published interval of %d in %d', (won, count, low, high) => {
    const hit = hitRate({ won, lost: count - won })!
    expect(hit.rate).toBeCloseTo((won / count) * 100, 10)
    expect(hit.low).toBeCloseTo(low, 2)
    expect(hit.high).toBeCloseTo(high, 2)
  })

  test('is unknown without a decided trade', () => {
    expect(hitRate({ won: 0, lost: 0 })).toBeUndefined()
  })

  property(
    'lies within its interval, which lies within 0 and 100',
    500,
    [fc.nat(10_000), fc.nat(10_000)],
    (won, lost) => {
      fc.pre(won + lost > 0)
      const { rate, low, high } = hitRate({ won, lost })!
      expect(low).toBeGreaterThanOrEqual(0)
      expect(low).toBeLessThanOrEqual(rate)
      expect(rate).toBeLessThanOrEqual(high)
      expect(high).toBeLessThanOrEqual(100)
      const mirrored = hitRate({ won: lost, lost: won })!
      expect(mirrored.low).toBeCloseTo(100 - high, 8)
    },
  )
})

test('breaks even where wins pay for losses', () => {
  expect(breakEvenRate(percentOf('75/3', 'Buy'))).toBeCloseTo(57.142857, 5)
  expect(breakEvenRate(percentOf('1/61', 'Sell'))).toBeCloseTo(62.111801, 5)
  expect(breakEvenRate(percentOf('1/61', 'Buy'))).toBeCloseTo(99.009901, 5)
  expect(breakEvenRate(100)).toBe(50)
})

describe('measuredSentence', () => {
  const need = breakEvenRate(75)

  test('says what was measured and what is needed', () => {
    expect(measuredSentence({ won: 4_092, lost: 4_028 }, need)).toBe(
      'Measured 50.4 % ± 1.1 over 8,120 signals; you need 57.1 % to break even',
    )
  })

  test('gives one margin as long as both sides differ by less than a tenth', () => {
    expect(measuredSentence({ won: 503, lost: 453 }, need)).toMatch(/^Measured 52\.6 % ± 3\.2 over 956 signals;/)
    expect(measuredSentence({ won: 60, lost: 40 }, need)).toMatch(
      /^Measured 60\.0 % \(50\.2 to 69\.1\) over 100 signals;/,
    )
  })

  test('names the ends of a lopsided interval', () => {
    expect(measuredSentence({ won: 3, lost: 0 }, need, 'trades')).toBe(
      'Measured 100.0 % (43.9 to 100.0) over 3 trades; you need 57.1 % to break even',
    )
    expect(measuredSentence({ won: 0, lost: 1 }, need)).toBe(
      'Measured 0.0 % (0.0 to 79.3) over 1 signal; you need 57.1 % to break even',
    )
  })

  test('measures nothing without decided trades', () => {
    expect(measuredSentence({ won: 0, lost: 0 }, need)).toBe('No decided signals yet; you need 57.1 % to break even')
  })
})
