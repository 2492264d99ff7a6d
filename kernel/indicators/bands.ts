import { ema, wilder } from './averages.ts'
import { type Candle, chain, highestOf, lowestOf, meanOf, recursion, type Series, windowOf } from './series.ts'

interface Band {
  upper: number
  middle: number
  lower: number
}

const deviationOf = (values: readonly number[], mean: number): number =>
  Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))

/** Standard deviation of `length` values (of the population: divided by `length`). Warm-up: `length`. */
export function standardDeviation(length: number): Series<number, number> {
  return chain(windowOf<number>(length), (values) => deviationOf(values, meanOf(values)))
}

/** Z-score: how many standard deviations a value is from the mean; 0 while nothing moves. Warm-up: `length`. */
export function zScore(length: number): Series<number, number> {
  return chain(windowOf<number>(length), (values) => {
    const mean = meanOf(values)
    const deviation = deviationOf(values, mean)
    return deviation === 0 ? 0 : ((values[length - 1] ?? mean) - mean) / deviation
  })
}

/**
 * Bollinger bands: so many standard deviations above and below the mean of `length` values. Warm-up: `length`.
 * Source: Bollinger on Bollinger Bands (2001).
 */
export function bollinger(length: number, deviations: number): Series<number, Band> {
  return chain(windowOf<number>(length), (values) => {
    const middle = meanOf(values)
    const deviation = deviationOf(values, middle)
    return { lower: middle - deviations * deviation, middle, upper: middle + deviations * deviation }
  })
}

/** True range: the widest of high − low and the distances of both to the close before. Source: Wilder (1978). */
export function trueRange(): Series<Candle, number> {
  const state = recursion<Candle, { close: number | undefined; range: number }>(
    { close: undefined, range: 0 },
    (before, { high, low, close }) => ({
      close,
      range: Math.max(high, before.close ?? high) - Math.min(low, before.close ?? low),
    }),
  )
  return (candle, replace) => state(candle, replace).range
}

/** Average true range: Wilder's average of the true range. Warm-up: `length`. Source: Wilder (1978). */
export const atr = (length: number): Series<Candle, number> => chain(trueRange(), wilder(length))

/**
 * Keltner channel: an EMA of the closes, and so many ATRs above and below it. Warm-up: the longer of both.
 * Source: Raschke's form of Keltner, How to Make Money in Commodities (1960).
 */
export function keltner(length: number, atrLength: number, multiple: number): Series<Candle, Band> {
  const [average, range] = [ema(length), atr(atrLength)]
  return (candle, replace) => {
    const [middle, reach] = [average(candle.close, replace), range(candle, replace)]
    if (middle === undefined || reach === undefined) return undefined
    return { lower: middle - multiple * reach, middle, upper: middle + multiple * reach }
  }
}

/** Donchian channel: the highest and lowest price of `length` candles, and their middle. Warm-up: `length`. */
export function donchian(length: number): Series<Pick<Candle, 'high' | 'low'>, Band> {
  return chain(windowOf<Pick<Candle, 'high' | 'low'>>(length), (candles) => {
    const [upper, lower] = [highestOf(candles), lowestOf(candles)]
    return { upper, middle: (upper + lower) / 2, lower }
  })
}
