import type { TradingType } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Bar, barsOf } from '../prices/candles/candles.ts'
import type { Candle } from '../strategies/index.ts'

/** The one-minute candles of a symbol, oldest first. A minute without ticks has none. */
export interface Market {
  symbol: string
  symbolId: number
  tradingType: TradingType
  /** Decimal places of its prices. */
  scale: number
  minutes: readonly Minute[]
}

/** A minute, with what a trade gets that follows the close before it (`candles` of the tape); 0 is no price. */
interface Minute extends Candle {
  entry?: number
  exit?: number
}

type FollowedBar = readonly [...Bar, entry?: number | null, exit?: number | null]

/** Reads bars `[time, open, high, low, close]`, and the prices of followers where they are known. */
export const candlesOf = (bars: readonly FollowedBar[]): Minute[] =>
  bars.map(([time, open, high, low, close, entry, exit]) => ({
    ...{ time, open, high, low, close },
    ...(typeof entry === 'number' && typeof exit === 'number' ? { entry, exit } : {}),
  }))

/**
 * Merges minutes into candles of a duration, counted from the epoch; only those that have closed by `until`, and
 * not the one that began before the first minute. A period has a candle if at least one of its minutes has one.
 */
export function closedCandles(minutes: readonly Candle[], durationMs: number, until: Ms): Candle[] {
  const made = barsOf(durationMs)
  for (const { time, open, high, low, close } of minutes) made.add(time, [open, high, low, close])
  const begin = minutes[0]?.time ?? until
  return candlesOf(made.bars.filter(([time]) => time >= begin && time + durationMs <= until))
}

/** Returns the candle that starts at this time. */
export function candleAt<C extends Candle>(candles: readonly C[], time: Ms): C | undefined {
  let [from, to] = [0, candles.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (must(candles[middle]).time < time) from = middle + 1
    else to = middle
  }
  return candles[from]?.time === time ? candles[from] : undefined
}
