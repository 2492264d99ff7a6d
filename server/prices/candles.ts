import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Memory, Ohlc } from './memory.ts'

/** `[time, open, high, low, close]` in units. */
export type Bar = [time: Ms, ...Ohlc]

/** Merges smaller pieces, given oldest first, into bars of `intervalMs`. */
export function barsOf(intervalMs: number): { add(time: Ms, piece: Ohlc): void; bars: Bar[] } {
  const bars: Bar[] = []
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

/** Where older pieces come from than memory has: closed minutes of the tape, simulated history. */
export interface OlderPieces {
  /** One-minute candles of [from, to), oldest first. */
  minutes(slot: number, from: Ms, to: Ms): Promise<Bar[]>
  /** `[sourceMs, units]` of ticks, or made-up points, of [from, to), oldest first. */
  points(slot: number, from: Ms, to: Ms): Promise<[Ms, number][]>
  /** Nothing of the symbol is older than this. */
  beginning(slot: number): Promise<Ms>
}

/** At most `limit` bars that begin before `before`, oldest first. Without ticks there is no bar. */
export async function readBars(
  memory: Memory,
  older: OlderPieces,
  slot: number,
  intervalMs: number,
  limit: number,
  before: Ms,
): Promise<Bar[]> {
  const beginning = await older.beginning(slot)
  let found: Bar[] = []
  // A hole can leave a window empty; what lies before it is then looked for in ever larger windows.
  let to = startOf(before - 1, intervalMs) + intervalMs
  for (let width = limit * intervalMs; found.length < limit && to > beginning; width *= 4) {
    const from = Math.max(to - width, startOf(beginning, intervalMs))
    const { bars } = await barsBetween(memory, older, slot, intervalMs, from, to)
    found = [...bars, ...found]
    to = from
  }
  return found.slice(-limit)
}

async function barsBetween(
  memory: Memory,
  older: OlderPieces,
  slot: number,
  intervalMs: number,
  from: Ms,
  to: Ms,
): Promise<{ bars: Bar[] }> {
  const made = barsOf(intervalMs)
  if (intervalMs < MINUTE_MS) {
    if (memory.hasTicksFrom(slot, from)) {
      memory.ticks(slot, from, to - 1, (_seq, time, units) => made.add(time, [units, units, units, units]))
      return made
    }
    for (const [time, units] of await older.points(slot, from, to)) made.add(time, [units, units, units, units])
    return made
  }
  const here = memory.minutesFrom(slot)
  if (from < here) {
    for (const [time, ...piece] of await older.minutes(slot, from, Math.min(to, here))) made.add(time, piece)
  }
  memory.minutes(slot, Math.max(from, here), to, made.add)
  return made
}
