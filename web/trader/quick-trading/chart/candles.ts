import type { CandleInterval, Candle as CandleRow } from '#contract/prices/prices.ts'
import { CANDLE_INTERVALS } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'

/** A bar of the chart; `time` is the Unix ms of its start. */
export interface Bar {
  time: number
  open: number
  high: number
  low: number
  close: number
}

export const intervalMsOf = (interval: CandleInterval): number => CANDLE_INTERVALS[interval]

/** Converts the rows of a response to bars. */
export const barsOf = (rows: readonly CandleRow[]): Bar[] =>
  rows.map(([time, open, high, low, close]) => ({
    time,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
  }))

/**
 * Returns the newest bar after one more price: the same one updated, or the next one. `undefined` if the price belongs
 * to an earlier bar, which is closed.
 */
export function withPrice(last: Bar | undefined, intervalMs: number, price: number, timeMs: number): Bar | undefined {
  const time = timeMs - (timeMs % intervalMs)
  if (last && time < last.time) return undefined
  if (!last || time > last.time) return { time, open: price, high: price, low: price, close: price }
  return { ...last, high: Math.max(last.high, price), low: Math.min(last.low, price), close: price }
}

/** Prepends older bars; where both lists have a bar, the newer list wins. */
export function withOlder(older: readonly Bar[], bars: readonly Bar[]): Bar[] {
  const first = bars[0]?.time ?? Number.POSITIVE_INFINITY
  return [...older.filter((bar) => bar.time < first), ...bars]
}

/** Returns the start times of the bars up to `untilMs`, at most `most`; they extend the time axis into the future. */
export function futureTimes(lastMs: number, intervalMs: number, untilMs: number, most: number): number[] {
  const count = Math.min(most, Math.max(0, Math.ceil((untilMs - lastMs) / intervalMs)))
  return Array.from({ length: count }, (_, index) => lastMs + (index + 1) * intervalMs)
}

/**
 * Returns the position of a time on the bar axis, as a fraction: 4.5 is halfway through the fifth bar. Extrapolates
 * before the first and after the last bar; `undefined` without bars.
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
    if (must(bars[middle]).time <= timeMs) low = middle
    else high = middle - 1
  }
  return low + Math.min(1, (timeMs - must(bars[low]).time) / intervalMs)
}
