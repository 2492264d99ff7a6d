import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { property } from '#tests/support/property.ts'
import { percentOf } from '../terms.ts'
import { breakEvenRate, hitRate, measuredSentence, type Tally, tallyOf } from './measured.ts'

/** One trade a close. */
const single = (won: number, lost: number): Tally =>
  tallyOf([...Array<object>(won).fill({ won: 1, lost: 0 }), ...Array<object>(lost).fill({ won: 0, lost: 1 })] as never)

describe('hitRate', () => {
  test.each([
    // Newcombe, 'Two-sided confidence intervals for the single proportion', Statistics in Medicine 17 (1998), table I,
    // method 3: the score interval without continuity correction.
    [81, 263, 25.53, 36.62],
    [15, 148, 6.24, 16.05],
    [0, 20, 0, 16.11],
    [1, 29, 0.61, 17.18],
  ])('matches the published interval of %d in %d', (won, count, low, high) => {
    const hit = hitRate(single(won, count - won))!
    expect(hit.rate).toBeCloseTo((won / count) * 100, 10)
    expect(hit.low).toBeCloseTo(low, 2)
    expect(hit.high).toBeCloseTo(high, 2)
  })

  test('is unknown without a decided trade', () => {
    expect(hitRate(single(0, 0))).toBeUndefined()
  })

  property(
    'lies within its interval, which lies within 0 and 100; flipping every side mirrors it',
    500,
    [fc.array(fc.record({ won: fc.nat(60), lost: fc.nat(60) }), { minLength: 1, maxLength: 60 })],
    (closes) => {
      fc.pre(closes.some(({ won, lost }) => won + lost > 0))
      const tally = tallyOf(closes)
      const { rate, low, high, effective } = hitRate(tally)!
      expect(low).toBeGreaterThanOrEqual(0)
      expect(low).toBeLessThanOrEqual(rate)
      expect(rate).toBeLessThanOrEqual(high)
      expect(high).toBeLessThanOrEqual(100)
      expect(effective).toBeGreaterThan(0)
      expect(effective).toBeLessThanOrEqual(tally.won + tally.lost)
      const mirrored = hitRate(tallyOf(closes.map(({ won, lost }) => ({ won: lost, lost: won }))))!
      expect(mirrored.low).toBeCloseTo(100 - high, 8)
    },
  )

  test('counts every trade where all closes are alike, whatever rounding does', () => {
    for (let won = 1; won <= 60; won++)
      for (let lost = 1; lost <= 60; lost++) {
        const close = { won, lost }
        const { effective } = hitRate(tallyOf([close, close]))!
        expect(effective, `${won} won, ${lost} lost`).toBe(2 * (won + lost))
      }
  })

  test('counts closes, not trades, where the trades of each close go the same way', () => {
    const together = tallyOf(
      Array.from({ length: 400 }, (_, n) => (n % 2 ? { won: 40, lost: 0 } : { won: 0, lost: 40 })),
    )
    const { rate, low, high, effective } = hitRate(together)!
    expect(rate).toBe(50)
    expect(effective).toBeCloseTo(399, 6)
    const alone = hitRate(single(200, 200))!
    expect(low).toBeCloseTo(alone.low, 1)
    expect(high).toBeCloseTo(alone.high, 1)
  })

  test('counts trades where those of a close are independent', () => {
    // Of three trades a close, as many closes win 0, 1, 2 and 3 as with three independent coins.
    const closes = [0, 1, 1, 1, 2, 2, 2, 3].flatMap((won) => Array(50).fill({ won, lost: 3 - won }))
    expect(hitRate(tallyOf(closes))!.effective).toBeCloseTo(1_200 * (399 / 400), 6)
  })

  test('is as unsure as one trade after one close, however many symbols it had', () => {
    const one = hitRate(tallyOf([{ won: 60, lost: 40 }]))!
    expect(one.effective).toBe(1)
    expect(one.high - one.low).toBeGreaterThan(80)
    expect(hitRate(tallyOf(Array(3).fill({ won: 30, lost: 0 })))).toEqual(hitRate(single(3, 0)))
  })

  test('widens the interval of few closes by Student’s quantile', () => {
    // Both give 50 % and the same variance; only the number of closes that it was estimated from differs.
    const few = hitRate(
      tallyOf([
        { won: 6, lost: 4 },
        { won: 4, lost: 6 },
        { won: 6, lost: 4 },
        { won: 4, lost: 6 },
      ]),
    )!
    const asMany = hitRate(single(20, 20))!
    expect((few.high - few.low) / (asMany.high - asMany.low)).toBeGreaterThan(1.4)
  })
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
    expect(measuredSentence(single(4_092, 4_028), need)).toBe(
      'Measured 50.4% ± 1.1 over 8,120 signals; you need 57.1% to break even',
    )
  })

  test('gives one margin as long as both sides differ by less than a tenth', () => {
    expect(measuredSentence(single(503, 453), need)).toMatch(/^Measured 52\.6% ± 3\.2 over 956 signals;/)
    expect(measuredSentence(single(60, 40), need)).toMatch(/^Measured 60\.0% \(50\.2 to 69\.1\) over 100 signals;/)
  })

  test('names the ends of a lopsided interval', () => {
    expect(measuredSentence(single(3, 0), need, 'trades')).toBe(
      'Measured 100.0% (43.9 to 100.0) over 3 trades; you need 57.1% to break even',
    )
    expect(measuredSentence(single(0, 1), need)).toBe(
      'Measured 0.0% (0.0 to 79.3) over 1 signal; you need 57.1% to break even',
    )
  })

  test('says how many independent signals would be as sure', () => {
    const closes = Array.from({ length: 300 }, (_, n) => (n % 2 ? { won: 9, lost: 1 } : { won: 1, lost: 9 }))
    expect(measuredSentence(tallyOf(closes), need)).toBe(
      'Measured 50.0% ± 4.5 over 3,000 signals (as sure as 467 independent ones); you need 57.1% to break even',
    )
    expect(measuredSentence(tallyOf([{ won: 1, lost: 1 }]), need)).toMatch(
      / over 2 signals \(as sure as 1 independent one\);/,
    )
  })

  test('measures nothing without decided trades', () => {
    expect(measuredSentence(single(0, 0), need)).toBe('No decided signals yet; you need 57.1% to break even')
  })
})
