import { type Candle, recursion, type Series } from './series.ts'

/**
 * Heikin Ashi candle: close = mean of the four prices; open = middle of the Heikin Ashi candle before, at first of the
 * candle itself; high and low include both. Source: Valcu, Stocks & Commodities, February 2004.
 */
export function heikinAshi(): Series<Candle, Candle> {
  const state = recursion<Candle, Candle | undefined>(undefined, (before, candle) => {
    const close = (candle.open + candle.high + candle.low + candle.close) / 4
    const open = before ? (before.open + before.close) / 2 : (candle.open + candle.close) / 2
    return { ...candle, open, close, high: Math.max(candle.high, open, close), low: Math.min(candle.low, open, close) }
  })
  return (candle, replace) => state(candle, replace)
}
