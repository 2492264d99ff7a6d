import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Memory } from '../tape/memory/memory.ts'
import type { Ohlc } from '../tape/memory/ring.ts'

/** `[time, open, high, low, close]` in units. */
export type Bar = [time: Ms, ...Ohlc]

/** Merges smaller pieces, given oldest first, into bars of `intervalMs`, after the given ones. */
export function barsOf(
  intervalMs: number,
  before: readonly Bar[] = [],
): { add(time: Ms, piece: Ohlc): void; bars: Bar[] } {
  const bars: Bar[] = [...before]
  return {
    bars,
    add(time, [open, high, low, close]) {
      const start = startOf(time, intervalMs)
      const last = bars.at(-1)
      if (last && last[0] === start) {
        if (high > last[2]) last[2] = high
        if (low < last[3]) last[3] = low
        last[4] = close
      } else bars.push([start, open, high, low, close])
    },
  }
}

/**
 * Source of bars older than memory, of the slot's newest period only: closed minutes of the tape, then its history.
 */
export interface OlderBars {
  /** Returns at least the newest `limit` bars before `before`, oldest first (fewer only if there are no more). */
  minutesBefore(slot: number, intervalMs: number, limit: number, before: Ms): Promise<Bar[]>
  /** The same for intervals of seconds, from single ticks. */
  secondsBefore(slot: number, intervalMs: number, limit: number, before: Ms): Promise<Bar[]>
}

/**
 * Returns at most `limit` bars that begin before `before`, oldest first, all of the same kind of source as the newest
 * price. An interval without ticks has no bar, so there may be fewer; there are none only if nothing precedes `before`.
 */
export async function readBars(
  memory: Memory,
  older: OlderBars,
  slot: number,
  intervalMs: number,
  limit: number,
  before: Ms,
): Promise<Bar[]> {
  const inSeconds = intervalMs < MINUTE_MS
  const to = startOf(before - 1, intervalMs) + intervalMs
  const from = to - limit * intervalMs
  const since = memory.periods[slot]?.since ?? Number.POSITIVE_INFINITY
  const here = inSeconds ? Math.max(memory.ticksFrom(slot), since) : memory.minutesFrom(slot)
  const made = barsOf(intervalMs)
  const addRecent = (start: Ms) => {
    if (inSeconds)
      memory.ticks(slot, start, to - 1, (_seq, time, units) => made.add(time, [units, units, units, units]))
    else memory.minutes(slot, start, to, made.add)
  }
  if (from >= here) {
    addRecent(from)
    // The gap is as wide as the requested range: what precedes it is in memory, or older.
    if (made.bars.length === 0) addRecent(here)
    if (made.bars.length > 0) return made.bars.slice(-limit)
  }
  const olderBars = inSeconds ? older.secondsBefore : older.minutesBefore
  for (const [time, ...piece] of await olderBars(slot, intervalMs, limit, Math.min(to, here))) made.add(time, piece)
  addRecent(Math.max(from, here))
  return made.bars.slice(-limit)
}
