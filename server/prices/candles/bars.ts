import type { Ms } from '#kernel/time.ts'

/** Open, high, low and close of a recorded bar, in units. */
export interface RecordedBar {
  startMs: Ms
  open: number
  high: number
  low: number
  close: number
}

/**
 * Returns the ticks that a recorded bar becomes, as `[time, units]`: its open at the start, its extremes after one and
 * two thirds (low first if it closed up, otherwise high first), its close in its last second. That path is synthetic;
 * its four prices are not.
 */
export function ticksOfBar(bar: RecordedBar, lengthMs: number): [Ms, number][] {
  const { startMs, open, high, low, close } = bar
  const [first, second] = close > open ? [low, high] : [high, low]
  // At the start of the last second, so that a frame can show it before the next bar opens.
  const lastMs = lengthMs > 3_000 ? lengthMs - 1_000 : Math.floor(lengthMs * 0.9)
  return [
    [startMs, open],
    [startMs + Math.floor(lengthMs / 3), first],
    [startMs + Math.floor((lengthMs * 2) / 3), second],
    [startMs + lastMs, close],
  ]
}
