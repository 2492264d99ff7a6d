import { change, ema, sma, wilder } from './averages.ts'
import { type Candle, chain, highestOf, lowestOf, meanOf, type Series, windowOf } from './series.ts'

/**
 * Relative strength index, 0 to 100: 100 − 100 ÷ (1 + average gain ÷ average loss), with Wilder's averages; 100 without
 * a loss. Warm-up: length + 1. Source: Wilder, New Concepts in Technical Trading Systems (1978).
 */
export function rsi(length: number): Series<number, number> {
  const [gains, losses] = [wilder(length), wilder(length)]
  return chain(change(1), (move, replace) => {
    const [gain, loss] = [gains(Math.max(move, 0), replace), losses(Math.max(-move, 0), replace)]
    if (gain === undefined || loss === undefined) return undefined
    return loss === 0 ? 100 : 100 - 100 / (1 + gain / loss)
  })
}

/** Where a value is between the lowest and the highest, 0 to 100; 0 while both are the same. */
const placeIn = (value: number, lowest: number, highest: number): number =>
  highest === lowest ? 0 : (100 * (value - lowest)) / (highest - lowest)

/**
 * Stochastic: %K is where the close is in the range of `length` candles, averaged over `slowing`; %D is its average over
 * `signal`. Warm-up: length + slowing − 1 for %K. Source: Lane, Stocks & Commodities, May 1984.
 */
export function stochastic(
  length: number,
  slowing: number,
  signal: number,
): Series<Candle, { k: number; d: number | undefined }> {
  const fast = chain(windowOf<Candle>(length), (candles) =>
    placeIn(candles[length - 1]?.close ?? 0, lowestOf(candles), highestOf(candles)),
  )
  return withSignal(chain(fast, sma(slowing)), signal)
}

/**
 * Stochastic RSI: where the RSI is in its range of `length` values, smoothed like the Stochastic, 0 to 100.
 * Source: Chande and Kroll, The New Technical Trader (1994).
 */
export function stochasticRsi(
  rsiLength: number,
  length: number,
  slowing: number,
  signal: number,
): Series<number, { k: number; d: number | undefined }> {
  const place = chain(windowOf<number>(length), (values) =>
    placeIn(values[length - 1] ?? 0, Math.min(...values), Math.max(...values)),
  )
  return withSignal(chain(chain(rsi(rsiLength), place), sma(slowing)), signal)
}

function withSignal<In>(line: Series<In, number>, signal: number): Series<In, { k: number; d: number | undefined }> {
  const average = sma(signal)
  return chain(line, (k, replace) => ({ k, d: average(k, replace) }))
}

/**
 * MACD: EMA(fast) − EMA(slow), its EMA as the signal, and the difference of both. Warm-up: `slow`, and `signal` − 1 more
 * for the signal. Source: Appel, The Moving Average Convergence Divergence Trading Method (1979).
 */
export function macd(
  fast: number,
  slow: number,
  signal: number,
): Series<number, { line: number; signal: number | undefined; histogram: number | undefined }> {
  const [short, long, average] = [ema(fast), ema(slow), ema(signal)]
  return (value, replace) => {
    const [one, two] = [short(value, replace), long(value, replace)]
    if (one === undefined || two === undefined) return undefined
    const line = one - two
    const smooth = average(line, replace)
    return { line, signal: smooth, histogram: smooth === undefined ? undefined : line - smooth }
  }
}

const typicalOf = ({ high, low, close }: Candle): number => (high + low + close) / 3

/**
 * Commodity channel index: (typical price − its mean) ÷ (0.015 × its mean deviation); 0 while nothing moves.
 * Warm-up: `length`. Source: Lambert, Commodities, October 1980.
 */
export function cci(length: number): Series<Candle, number> {
  return chain(windowOf<Candle>(length), (candles) => {
    const prices = candles.map(typicalOf)
    const mean = meanOf(prices)
    const deviation = meanOf(prices.map((price) => Math.abs(price - mean)))
    return deviation === 0 ? 0 : ((prices[length - 1] ?? mean) - mean) / (0.015 * deviation)
  })
}

/** Rate of change: the change over `length` candles in percent. Warm-up: length + 1. */
export function roc(length: number): Series<number, number> {
  return chain(windowOf<number>(length + 1), ([first = 0, ...rest]) =>
    first === 0 ? 0 : (100 * ((rest[length - 1] ?? first) - first)) / first,
  )
}

/** Momentum: the change over `length` candles. Warm-up: length + 1. */
export const momentum = change

/** Williams %R: how far the close is below the highest price, −100 to 0. Warm-up: `length`. */
export function williams(length: number): Series<Candle, number> {
  return chain(windowOf<Candle>(length), (candles) => {
    const [highest, lowest] = [highestOf(candles), lowestOf(candles)]
    return highest === lowest ? 0 : (-100 * (highest - (candles[length - 1]?.close ?? 0))) / (highest - lowest)
  })
}

/**
 * Awesome oscillator: SMA(fast) − SMA(slow) of the middle of high and low. Warm-up: `slow`.
 * Source: Williams, Trading Chaos (1995).
 */
export function awesome(fast: number, slow: number): Series<Candle, number> {
  const [short, long] = [sma(fast), sma(slow)]
  return ({ high, low }, replace) => {
    const middle = (high + low) / 2
    const [one, two] = [short(middle, replace), long(middle, replace)]
    return one === undefined || two === undefined ? undefined : one - two
  }
}
