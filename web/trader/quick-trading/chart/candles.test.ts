import { describe, expect, test } from 'vitest'
import { CANDLE_INTERVALS, type CandleInterval } from '#contract/terms.ts'
import { type Bar, barsOf, futureTimes, intervalMsOf, placeOf, withOlder, withPrice } from './candles.ts'

const at = Date.UTC(2026, 0, 1, 12, 34, 56, 789)

describe('a price updates the newest bar', () => {
  test.each(Object.keys(CANDLE_INTERVALS) as CandleInterval[])(
    'of %s: starts on its grid, grows and is followed by the next',
    (interval) => {
      const ms = intervalMsOf(interval)
      const first = withPrice(undefined, ms, 10, at)!
      expect(first.time % ms).toBe(0)
      expect(at - first.time).toBeLessThan(ms)
      expect(first).toMatchObject({ open: 10, high: 10, low: 10, close: 10 })

      const last = first.time + ms - 1
      const grown = withPrice(withPrice(first, ms, 12, last), ms, 9, last)
      expect(grown).toEqual({ time: first.time, open: 10, high: 12, low: 9, close: 9 })
      expect(withPrice(grown, ms, 11, first.time + ms)).toEqual({
        time: first.time + ms,
        open: 11,
        high: 11,
        low: 11,
        close: 11,
      })
    },
  )
  test("doesn't mutate its input", () => {
    const bar: Bar = { time: 0, open: 1, high: 1, low: 1, close: 1 }
    withPrice(bar, 60_000, 5, 100)
    expect(bar.high).toBe(1)
  })
  test('a price of a closed bar changes nothing', () => {
    const bar: Bar = { time: 60_000, open: 1, high: 1, low: 1, close: 1 }
    expect(withPrice(bar, 60_000, 5, 59_999)).toBeUndefined()
  })
  test('starts the next bar at its own price after a gap', () => {
    const bar: Bar = { time: 0, open: 1, high: 1, low: 1, close: 1 }
    expect(withPrice(bar, 1_000, 5, 9_500)?.time).toBe(9_000)
  })
})

test('converts rows of a response to bars', () => {
  expect(barsOf([[60_000, '1.5', '2', '1', '1.75']])).toEqual([
    { time: 60_000, open: 1.5, high: 2, low: 1, close: 1.75 },
  ])
})

test('prepends older bars without duplicates', () => {
  const bar = (time: number, close = 1): Bar => ({ time, open: 1, high: 1, low: 1, close })
  expect(withOlder([bar(1), bar(2), bar(3, 7)], [bar(3), bar(4)])).toEqual([bar(1), bar(2), bar(3), bar(4)])
  expect(withOlder([bar(1)], [])).toEqual([bar(1)])
})

test('extends the time axis to the end of a trade', () => {
  expect(futureTimes(60_000, 60_000, 200_000, 10)).toEqual([120_000, 180_000, 240_000])
  expect(futureTimes(60_000, 60_000, 60_000_000, 2)).toHaveLength(2)
  expect(futureTimes(60_000, 60_000, 0, 10)).toEqual([])
})

describe('the position of a time', () => {
  const bars = [0, 1_000, 5_000].map((time) => ({ time, open: 1, high: 1, low: 1, close: 1 }))
  test('is proportional between two bars', () => {
    expect(placeOf(bars, 1_000, 1_250)).toBe(1.25)
  })
  test('stops at the edge of a gap', () => {
    expect(placeOf(bars, 1_000, 4_000)).toBe(2)
    expect(placeOf(bars, 1_000, 5_000)).toBe(2)
  })
  test('extrapolates before the first and after the last bar', () => {
    expect(placeOf(bars, 1_000, 7_500)).toBe(4.5)
    expect(placeOf(bars, 1_000, -1_500)).toBe(-1.5)
  })
  test('is undefined without bars', () => {
    expect(placeOf([], 1_000, 5)).toBeUndefined()
  })
})
