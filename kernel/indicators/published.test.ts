import { describe, expect, test } from 'vitest'
import { ema } from './averages.ts'
import { bollinger, donchian } from './bands.ts'
import { rsi } from './oscillators.ts'
import { newestOf, valuesOf } from './series.ts'

/*
 * The indicators against published tables. EMA, RSI and Bollinger bands: the spreadsheets of StockCharts'
 * ChartSchool (cs-movavg.xls, cs-rsi.xls, cs-bbands.xls; articles 'Moving Averages', 'Relative Strength Index' and
 * 'Bollinger Bands' on chartschool.stockcharts.com). The RSI is Wilder's (New Concepts in Technical Trading Systems,
 * 1978): a simple average first, then Wilder's smoothing. Donchian channels: the table of PyAlgoTrade's test
 * (testcases/technical_donchian_test.py).
 */

const rounded = (value: number, digits: number) => Number(value.toFixed(digits))

describe('EMA', () => {
  const closes = [
    22.2734, 22.194, 22.0847, 22.1741, 22.184, 22.1344, 22.2337, 22.4323, 22.2436, 22.2933, 22.1542, 22.3926, 22.3816,
    22.6109, 23.3558, 24.0519, 23.753, 23.8324, 23.9516, 23.6338, 23.8225, 23.8722, 23.6537, 23.187, 23.0976, 23.326,
    22.6805, 23.0976, 22.4025, 22.1725,
  ]
  const published = [
    22.22, 22.21, 22.24, 22.27, 22.33, 22.52, 22.8, 22.97, 23.13, 23.28, 23.34, 23.43, 23.51, 23.54, 23.47, 23.4, 23.39,
    23.26, 23.23, 23.08, 22.92,
  ]

  test('matches the published 10-day averages, which begin with a simple average', () => {
    const simple = closes.slice(0, 10).reduce((sum, close) => sum + close, 0) / 10
    // The published average begins with a simple one, ours with the first value: then they are the same.
    const before = Array<number>(10).fill(simple)
    const values = valuesOf(ema(10), [...before, ...closes.slice(10)]).slice(9)
    expect(values.map((value) => rounded(value!, 2))).toEqual(published)
  })

  test('begins with the first close of its window otherwise', () => {
    expect(valuesOf(ema(3), [4, 8, 16])).toEqual([undefined, undefined, 11])
  })
})

test('the RSI matches the published 14-day index', () => {
  const closes = [
    44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931, 46.0328, 45.614,
    46.282, 46.282, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439, 46.2122, 46.2521, 45.7137, 46.4515, 45.7835, 45.3548,
    44.0288, 44.1783, 44.2181, 44.5672, 43.4205, 42.6628, 43.1314,
  ]
  const published = [
    70.53, 66.32, 66.55, 69.41, 66.36, 57.97, 62.93, 63.26, 56.06, 62.38, 54.71, 50.42, 39.99, 41.46, 41.87, 45.46,
    37.3, 33.08, 37.77,
  ]
  const values = published.map((_, n) => newestOf(rsi(14), closes.slice(0, 15 + n))!)
  expect(values.map((value) => rounded(value, 2))).toEqual(published)
})

test('the RSI is 100 without a loss, and 0 without a gain', () => {
  expect(newestOf(rsi(2), [1, 2, 3])).toBe(100)
  expect(newestOf(rsi(2), [3, 2, 1])).toBe(0)
})

test('the Bollinger bands match the published 20-day bands', () => {
  const closes = [
    86.1557, 89.0867, 88.7829, 90.3228, 89.0671, 91.1453, 89.4397, 89.175, 86.9302, 87.6752, 86.9596, 89.4299, 89.3221,
    88.7241, 87.4497, 87.2634, 89.4985, 87.9006, 89.126, 90.7043, 92.9001, 92.9784, 91.8021, 92.6647, 92.6843, 92.3021,
    92.7725, 92.5373, 92.949, 93.2039, 91.0669, 89.8318, 89.7435, 90.3994, 90.7387, 88.0177, 88.0867, 88.8439, 90.7781,
    90.5416, 91.3894, 90.65,
  ]
  const middle = [
    88.71, 89.05, 89.24, 89.39, 89.51, 89.69, 89.75, 89.91, 90.08, 90.38, 90.66, 90.86, 90.88, 90.91, 90.99, 91.15,
    91.19, 91.12, 91.17, 91.25, 91.24, 91.17, 91.05,
  ]
  const upper = [
    91.29, 91.95, 92.61, 92.93, 93.31, 93.73, 93.9, 94.27, 94.57, 94.79, 95.04, 94.91, 94.9, 94.9, 94.86, 94.67, 94.56,
    94.68, 94.58, 94.53, 94.53, 94.37, 94.15,
  ]
  const lower = [
    86.12, 86.14, 85.87, 85.85, 85.7, 85.65, 85.59, 85.56, 85.6, 85.98, 86.27, 86.82, 86.87, 86.91, 87.12, 87.63, 87.83,
    87.56, 87.76, 87.97, 87.95, 87.96, 87.95,
  ]
  const values = middle.map((_, n) => newestOf(bollinger(20, 2), closes.slice(n, n + 20))!)
  expect(values.map((value) => rounded(value.middle, 2))).toEqual(middle)
  expect(values.map((value) => rounded(value.upper, 2))).toEqual(upper)
  expect(values.map((value) => rounded(value.lower, 2))).toEqual(lower)
})

test('the Donchian channel matches a published table', () => {
  const highs = [
    119.89, 118.7886, 118.09, 117.515, 116.73, 117.37, 117.34, 116.55, 116.2099, 115.87, 115.93, 116.3, 115.69, 116.53,
    116.31, 116.03, 116.23, 116.9, 117.12, 116.72, 116.2599, 115.39, 116.24, 116.95, 117.23, 116.76, 116.98, 115.5,
    116.42, 117.535, 118.57, 119.95, 119.94, 118.11, 118.75, 118.46, 117.07, 115.17, 114.07,
  ]
  const lows = [
    118.7016, 117.59, 116.77, 116.2, 115.68, 116.0806, 115.98, 115.37, 115.13, 114.52, 115.28, 114.64, 114.5151, 115.18,
    115.04, 114.15, 112.68, 115.9496, 115.89, 115.3314, 113.9, 114.1, 114.89, 114.85, 116.06, 115.76, 115.045, 114.44,
    115.41, 115.5809, 117.155, 117.36, 117.68, 116.86, 117.31, 115.952, 114.05, 113.65, 110.35,
  ]
  const upper = [
    119.89, 118.7886, 118.09, 117.515, 117.37, 117.37, 117.34, 117.23, 117.23, 117.23, 117.535, 118.57, 119.95, 119.95,
    119.95, 119.95, 119.95, 119.95, 119.95, 119.95,
  ]
  const lower = [...Array(17).fill(112.68), 113.9, 113.65, 110.35]
  const candles = highs.map((high, at) => ({ high, low: lows[at]! }))
  const values = upper.map((_, n) => newestOf(donchian(20), candles.slice(n, n + 20))!)
  expect(values.map((value) => value.upper)).toEqual(upper)
  expect(values.map((value) => value.lower)).toEqual(lower)
})
