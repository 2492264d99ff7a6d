import { type Candle, chain, from, meanOf, recursion, type Series, windowOf } from './series.ts'

/** Simple moving average: the mean of `length` values. Warm-up: `length`. */
export function sma(length: number): Series<number, number> {
  return chain(windowOf<number>(length), meanOf)
}

/**
 * Exponential moving average: value × w + average × (1 − w), with w = 2 ÷ (length + 1). The first value begins it.
 * Warm-up: `length`. Source: Appel, Technical Analysis (2005); the averages of trading-signals and StockCharts.
 */
export const ema = (length: number): Series<number, number> => from(length, exponential(length))

function exponential(length: number): (value: number, replace?: boolean) => number {
  const weight = 2 / (length + 1)
  const average = recursion<number, number | undefined>(
    undefined,
    (before, value) => value * weight + (before ?? value) * (1 - weight),
  )
  return (value, replace) => average(value, replace) ?? value
}

/** Weighted moving average: weights 1 (oldest) to `length` (newest). Warm-up: `length`. */
export function wma(length: number): Series<number, number> {
  const weights = (length * (length + 1)) / 2
  return chain(
    windowOf<number>(length),
    (values) => values.reduce((sum, value, at) => sum + value * (at + 1), 0) / weights,
  )
}

/**
 * Double exponential moving average: 2 × EMA − EMA of the EMA. Warm-up: 2 × length − 1.
 * Source: Mulloy, Technical Analysis of Stocks & Commodities, January 1994.
 */
export function dema(length: number): Series<number, number> {
  const [first, second] = [exponential(length), exponential(length)]
  return from(length * 2 - 1, (value, replace) => {
    const one = first(value, replace)
    return 2 * one - second(one, replace)
  })
}

/** Triple exponential moving average: 3 × EMA − 3 × EMA² + EMA³ (Mulloy, February 1994). Warm-up: 3 × length − 2. */
export function tema(length: number): Series<number, number> {
  const [first, second, third] = [exponential(length), exponential(length), exponential(length)]
  return from(length * 3 - 2, (value, replace) => {
    const one = first(value, replace)
    const two = second(one, replace)
    return 3 * one - 3 * two + third(two, replace)
  })
}

/**
 * Hull moving average: the WMA, over √length, of 2 × WMA(length ÷ 2) − WMA(length); both shorter lengths rounded down.
 * Warm-up: length + √length − 1. Source: Hull, alanhull.com (2005).
 */
export function hma(length: number): Series<number, number> {
  const [half, whole] = [wma(Math.max(1, Math.floor(length / 2))), wma(length)]
  const smooth = wma(Math.floor(Math.sqrt(length)))
  return (value, replace) => {
    const [fast, slow] = [half(value, replace), whole(value, replace)]
    return fast === undefined || slow === undefined ? undefined : smooth(2 * fast - slow, replace)
  }
}

/** Volume-weighted moving average: Σ close × volume ÷ Σ volume. None without volume. Warm-up: `length`. */
export function vwma(length: number): Series<Candle, number> {
  return chain(windowOf<Candle>(length), (candles) => {
    const volume = candles.reduce((sum, candle) => sum + (candle.volume ?? 0), 0)
    const weighted = candles.reduce((sum, candle) => sum + candle.close * (candle.volume ?? 0), 0)
    return volume > 0 ? weighted / volume : undefined
  })
}

/**
 * Wilder's average: the mean of the first `length` values, then average + (value − average) ÷ length.
 * Warm-up: `length`. Source: Wilder, New Concepts in Technical Trading Systems (1978).
 */
export function wilder(length: number): Series<number, number> {
  const share = 1 / length
  const state = recursion({ count: 0, sum: 0, average: 0 }, ({ count, sum, average }, value: number) =>
    count < length
      ? { count: count + 1, sum: sum + value, average: (sum + value) / length }
      : { count, sum, average: average + (value - average) * share },
  )
  return from(length, (value, replace) => state(value, replace).average)
}

/** Linear regression: the end of the least-squares line through `length` values. Warm-up: `length`. */
export function linearRegression(length: number): Series<number, number> {
  const middle = (length - 1) / 2
  const spread = (length * (length * length - 1)) / 12
  return chain(windowOf<number>(length), (values) => {
    const slope = values.reduce((sum, value, at) => sum + value * (at - middle), 0) / spread
    return meanOf(values) + slope * middle
  })
}

/** The difference to the value `length` steps before. Warm-up: length + 1. */
export function change(length: number): Series<number, number> {
  return chain(windowOf<number>(length + 1), (values) => (values[length] ?? 0) - (values[0] ?? 0))
}
