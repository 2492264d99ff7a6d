import { DAY_MS, MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Memory } from '../tape/memory/memory.ts'
import { type Bar, barsOf, type OlderBars } from './candles.ts'
import type { History } from './history.ts'

/** The time between two points of a sparkline. */
const SPARK_MS = 30 * MINUTE_MS
const POINTS = DAY_MS / SPARK_MS
/** The highest value of a sparkline; the lowest is 0. */
const TOP = 100

interface SparklinesDeps {
  memory: Memory
  older: OlderBars
  historyOf(slot: number): History | undefined
  /** The slots to draw, with their symbols. */
  slots: readonly (readonly [slot: number, symbol: string])[]
  /** What earlier calls read from storage: closed half hours don't change. */
  kept: Map<number, Kept>
}

/** Bars of a slot's newest period that memory doesn't have. */
export interface Kept {
  since: Ms
  to: Ms
  history: History | undefined
  bars: readonly Bar[]
}

/**
 * Returns the last closes of each symbol's half hours in the 24 hours before `end`, oldest first, on a scale from 0 (the
 * lowest) to 100. A half hour without prices repeats the one before it. One symbol after the other, so that the cost of
 * a round has a bound.
 */
export async function sparklines(deps: SparklinesDeps, end: Ms): Promise<Record<string, number[]>> {
  const lines: Record<string, number[]> = {}
  for (const [slot, symbol] of deps.slots) {
    const closes = fill(await barsBefore(deps, slot, end), end)
    if (closes.length > 1) lines[symbol] = scaled(closes)
  }
  return lines
}

async function barsBefore({ memory, older, historyOf, kept }: SparklinesDeps, slot: number, end: Ms): Promise<Bar[]> {
  const from = end - DAY_MS
  const since = memory.periods[slot]?.since
  if (since === undefined) return []
  const here = memory.minutesFrom(slot)
  const made = barsOf(SPARK_MS)
  if (here > from) {
    const to = Math.min(here, end)
    const history = historyOf(slot)
    let known = kept.get(slot)
    if (known?.since !== since || known.to !== to || known.history?.until !== history?.until) {
      known = { since, to, history, bars: await older.minutesBefore(slot, SPARK_MS, POINTS, to) }
      kept.set(slot, known)
    }
    for (const [time, ...piece] of known.bars) if (time >= from) made.add(time, piece)
  } else kept.delete(slot)
  memory.minutes(slot, Math.max(from, here), end, made.add)
  return made.bars
}

function fill(bars: readonly Bar[], end: Ms): number[] {
  const closes = new Map(bars.map(([time, , , , close]) => [time, close]))
  const filled: number[] = []
  for (let time = end - DAY_MS; time < end; time += SPARK_MS) {
    const close = closes.get(time) ?? filled.at(-1)
    if (close !== undefined) filled.push(close)
  }
  return filled
}

function scaled(closes: readonly number[]): number[] {
  const low = Math.min(...closes)
  const height = Math.max(...closes) - low
  return closes.map((close) => (height === 0 ? TOP / 2 : Math.round(((close - low) / height) * TOP)))
}

/** The end of the half hour that a time is in. */
export const sparkEnd = (time: Ms): Ms => startOf(time, SPARK_MS) + SPARK_MS
