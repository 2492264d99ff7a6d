import type { CandleInterval, Candle as CandleRow } from '#contract/prices.ts'
import { CANDLE_INTERVALS } from '#contract/terms.ts'

/** A bar of the chart; `time` is Unix ms of its begin. */
export interface Bar {
  time: number
  open: number
  high: number
  low: number
  close: number
}

export const INTERVALS = Object.keys(CANDLE_INTERVALS) as CandleInterval[]
export const intervalMsOf = (interval: CandleInterval): number => CANDLE_INTERVALS[interval]

/** Rows of an answer as bars. */
export const barsOf = (rows: readonly CandleRow[]): Bar[] =>
  rows.map(([time, open, high, low, close]) => ({
    time,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
  }))

/**
 * The newest bar after one more price: the same one changed, or the next one. `undefined` for a price that belongs to a
 * bar before it, which is closed.
 */
export function withPrice(last: Bar | undefined, intervalMs: number, price: number, timeMs: number): Bar | undefined {
  const time = timeMs - (timeMs % intervalMs)
  if (last && time < last.time) return undefined
  if (!last || time > last.time) return { time, open: price, high: price, low: price, close: price }
  return { ...last, high: Math.max(last.high, price), low: Math.min(last.low, price), close: price }
}

/** Older bars before the ones there are; where both have a bar, the newer list's counts. */
export function withOlder(older: readonly Bar[], bars: readonly Bar[]): Bar[] {
  const first = bars[0]?.time ?? Number.POSITIVE_INFINITY
  return [...older.filter((bar) => bar.time < first), ...bars]
}

/** Beginnings of the bars to come up to `untilMs`, at most `most`: the time axis shows the future with them. */
export function futureTimes(lastMs: number, intervalMs: number, untilMs: number, most: number): number[] {
  const count = Math.min(most, Math.max(0, Math.ceil((untilMs - lastMs) / intervalMs)))
  return Array.from({ length: count }, (_, index) => lastMs + (index + 1) * intervalMs)
}

/**
 * Where a time stands among the bars, as a fraction of their numbers: 4.5 is halfway through the fifth bar. Before the
 * first and after the last bar it goes on at the same pace; `undefined` without bars.
 */
export function placeOf(bars: readonly Bar[], intervalMs: number, timeMs: number): number | undefined {
  const first = bars[0]
  const last = bars.at(-1)
  if (!first || !last) return undefined
  if (timeMs < first.time) return (timeMs - first.time) / intervalMs
  if (timeMs >= last.time) return bars.length - 1 + (timeMs - last.time) / intervalMs
  let low = 0
  let high = bars.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (bars[middle]!.time <= timeMs) low = middle
    else high = middle - 1
  }
  return low + Math.min(1, (timeMs - bars[low]!.time) / intervalMs)
}
