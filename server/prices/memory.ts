import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Entry, Frame } from './frame.ts'
import { GENESIS_HASH } from './frame.ts'
import type { Newest } from './gate.ts'
import type { Instruments } from './instruments.ts'

/** Ticks kept for each symbol: 17 minutes at four a second. */
const TICKS = 4096
/** One-minute candles kept for each symbol: slightly more than a day. */
const MINUTES = 1536

/** `[open, high, low, close]` in units. */
export type Ohlc = [open: number, high: number, low: number, close: number]

/**
 * The newest part of the tape, in typed arrays: what every node shows prices from. Only committed frames are ever
 * applied.
 */
export interface Memory {
  readonly newest: Newest
  /** Kind of source of each slot's newest tick; undefined before the first. */
  readonly kinds: (number | undefined)[]
  head(): { n: number; t: Ms; hash: Buffer }
  /** Moves the end without showing anything (to start in the middle of a tape). */
  begin(head: { n: number; t: Ms; hash: Buffer }): void
  /** Loads a symbol's newest tick as of the time when memory begins. */
  seed(slot: number, tick: { sourceMs: Ms; units: number; seq: number; kind: number }): void
  /** Loads a closed minute's candle. By ascending minute, before any frame of that minute. */
  seedMinute(slot: number, minute: Ms, candle: Ohlc): void
  apply(frame: Pick<Frame, 'n' | 't' | 'hash'>, entries: readonly Entry[]): void
  /** Whether all ticks of the slot from this time on are in memory. */
  coversTicks(slot: number, from: Ms): boolean
  /**
   * Marks that all ticks of the slot are in memory from this time on; if that is its whole tape, from its first tick.
   */
  ticksFrom(slot: number): Ms
  /** Calls `each` for the ticks of [from, to], oldest first. */
  ticks(slot: number, from: Ms, to: Ms, each: (seq: number, sourceMs: Ms, units: number) => void): void
  /** The oldest minute from which all one-minute candles of the slot are in memory. */
  minutesFrom(slot: number): Ms
  /** Calls `each` for the one-minute candles of [from, to), oldest first; minutes without ticks are skipped. */
  minutes(slot: number, from: Ms, to: Ms, each: (minute: Ms, candle: Ohlc) => void): void
}

export function createMemory(instruments: Instruments): Memory {
  const size = instruments.list.length
  const newest: Newest = {
    sourceMs: new Float64Array(size),
    units: new Float64Array(size),
    seq: new Float64Array(size),
  }
  const kinds: (number | undefined)[] = new Array(size).fill(undefined)
  let head: { n: number; t: Ms; hash: Buffer } = { n: 0, t: 0, hash: GENESIS_HASH }

  const tickMs = new Float64Array(size * TICKS)
  const tickUnits = new Float64Array(size * TICKS)
  const tickSeq = new Float64Array(size * TICKS)
  const tickCount = new Float64Array(size)
  // From here on the ring holds everything of the slot, however few frames were applied.
  const tickFrom = new Float64Array(size).fill(0)

  const minuteAt = new Float64Array(size * MINUTES)
  const minuteOhlc = new Float64Array(size * MINUTES * 4)
  const minuteCount = new Float64Array(size)

  function addTick(slot: number, sourceMs: Ms, units: number, seq: number): void {
    const count = tickCount[slot]!
    const at = slot * TICKS + (count % TICKS)
    if (count >= TICKS) tickFrom[slot] = tickMs[at]! + 1
    tickMs[at] = sourceMs
    tickUnits[at] = units
    tickSeq[at] = seq
    tickCount[slot] = count + 1
  }

  function addToMinute(slot: number, sourceMs: Ms, units: number): void {
    const count = minuteCount[slot]!
    const at = slot * MINUTES + ((count + MINUTES - 1) % MINUTES)
    if (count > 0 && sourceMs < minuteAt[at]! + MINUTE_MS) {
      const ohlc = at * 4
      if (units > minuteOhlc[ohlc + 1]!) minuteOhlc[ohlc + 1] = units
      if (units < minuteOhlc[ohlc + 2]!) minuteOhlc[ohlc + 2] = units
      minuteOhlc[ohlc + 3] = units
    } else openMinute(slot, startOf(sourceMs, MINUTE_MS), [units, units, units, units])
  }

  function openMinute(slot: number, minute: Ms, candle: Ohlc): void {
    const at = slot * MINUTES + (minuteCount[slot]! % MINUTES)
    minuteAt[at] = minute
    minuteOhlc.set(candle, at * 4)
    minuteCount[slot] = minuteCount[slot]! + 1
  }

  return {
    newest,
    kinds,
    head: () => head,
    begin(at) {
      head = at
      tickCount.fill(0)
      minuteCount.fill(0)
      tickFrom.fill(at.n === 0 ? 0 : at.t + 1)
    },
    seed(slot, tick) {
      newest.sourceMs[slot] = tick.sourceMs
      newest.units[slot] = tick.units
      newest.seq[slot] = tick.seq
      kinds[slot] = tick.kind
    },
    seedMinute: openMinute,
    apply(frame, entries) {
      for (const entry of entries) {
        const slot = instruments.slotOf(entry.symbol)
        if (slot === undefined) continue
        // A symbol's very first tick: nothing precedes it.
        if (entry.seq === 1) tickFrom[slot] = 0
        newest.sourceMs[slot] = entry.sourceMs
        newest.units[slot] = entry.units
        newest.seq[slot] = entry.seq
        kinds[slot] = entry.kind
        addTick(slot, entry.sourceMs, entry.units, entry.seq)
        addToMinute(slot, entry.sourceMs, entry.units)
      }
      head = { n: frame.n, t: frame.t, hash: frame.hash }
    },
    coversTicks: (slot, from) => from >= tickFrom[slot]!,
    ticksFrom(slot) {
      if (tickFrom[slot]! > 0) return tickFrom[slot]!
      return tickCount[slot]! > 0 ? tickMs[slot * TICKS]! : Number.POSITIVE_INFINITY
    },
    ticks(slot, from, to, each) {
      const count = tickCount[slot]!
      const base = slot * TICKS
      // Source times ascend, so binary search finds the first one.
      let low = Math.max(0, count - TICKS)
      let high = count
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        if (tickMs[base + (middle % TICKS)]! < from) low = middle + 1
        else high = middle
      }
      for (let i = low; i < count; i++) {
        const at = base + (i % TICKS)
        if (tickMs[at]! > to) return
        each(tickSeq[at]!, tickMs[at]!, tickUnits[at]!)
      }
    },
    minutesFrom(slot) {
      const count = minuteCount[slot]!
      if (count === 0) return Number.POSITIVE_INFINITY
      return minuteAt[slot * MINUTES + (count > MINUTES ? count % MINUTES : 0)]!
    },
    minutes(slot, from, to, each) {
      const count = minuteCount[slot]!
      const base = slot * MINUTES
      for (let i = Math.max(0, count - MINUTES); i < count; i++) {
        const at = base + (i % MINUTES)
        const minute = minuteAt[at]!
        if (minute < from) continue
        if (minute >= to) return
        const ohlc = at * 4
        each(minute, [minuteOhlc[ohlc]!, minuteOhlc[ohlc + 1]!, minuteOhlc[ohlc + 2]!, minuteOhlc[ohlc + 3]!])
      }
    },
  }
}
