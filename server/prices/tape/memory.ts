import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { type Instruments, SLOTS_MAX } from '../instruments/instruments.ts'
import type { Entry, Frame } from './frame.ts'
import { GENESIS_HASH } from './frame.ts'

/** Ticks kept for each symbol: 17 minutes at four a second. */
const TICKS = 4096
/** One-minute candles kept for each symbol: slightly more than a day. */
const MINUTES = 1536

/** From one change of a symbol's kind of source to the next. */
export interface Period {
  /** 0 live, 1 replay, 2 simulation. */
  kind: number
  /** Source time of its first tick. */
  since: Ms
  /** Whether the symbol's tape begins with it. */
  first: boolean
}

/** `[open, high, low, close]` in units. */
export type Ohlc = [open: number, high: number, low: number, close: number]

/** The newest tick of each slot on the tape. `sourceMs` 0: none yet. */
export interface Newest {
  sourceMs: Float64Array
  units: Float64Array
  seq: Float64Array
}

/**
 * The newest part of the tape, in typed arrays. Every node shows prices from it. Only committed frames are ever
 * applied.
 */
export interface Memory {
  readonly newest: Newest
  /** The newest period of each slot; undefined before its first tick. */
  readonly periods: (Period | undefined)[]
  head(): { n: number; t: Ms; hash: Buffer }
  /** The kind of source of the newest tick of all; undefined before the first. */
  newestKind(): number | undefined
  /** Moves the end without showing anything (to start in the middle of a tape). */
  begin(head: { n: number; t: Ms; hash: Buffer }): void
  /** Loads a symbol's newest tick as of the time when memory begins. */
  seed(slot: number, tick: { sourceMs: Ms; units: number; seq: number }): void
  /** Loads a symbol's period as of the time when memory begins. */
  seedPeriod(slot: number, period: Period): void
  /** Loads a closed minute's candle of the newest period. By ascending minute, before any frame of that minute. */
  seedMinute(slot: number, minute: Ms, candle: Ohlc): void
  /** Returns whether a symbol's period began. */
  apply(frame: Pick<Frame, 'n' | 't' | 'hash'>, entries: readonly Entry[]): boolean
  /** Whether all ticks of the slot from this time on are in memory. */
  coversTicks(slot: number, from: Ms): boolean
  /**
   * Marks that all ticks of the slot are in memory from this time on; if that is its whole tape, from its first tick.
   */
  ticksFrom(slot: number): Ms
  /** Calls `each` for the ticks of [from, to], oldest first. */
  ticks(slot: number, from: Ms, to: Ms, each: (seq: number, sourceMs: Ms, units: number) => void): void
  /** The oldest minute from which all one-minute candles of the slot's newest period are in memory. */
  minutesFrom(slot: number): Ms
  /**
   * Calls `each` for the one-minute candles of [from, to) in the newest period, oldest first; minutes without ticks are
   * skipped.
   */
  minutes(slot: number, from: Ms, to: Ms, each: (minute: Ms, candle: Ohlc) => void): void
}

/** One slot's newest ticks and minutes. Allocated with its first tick. */
interface Ring {
  ms: Float64Array
  units: Float64Array
  seq: Float64Array
  /** Number of ticks ever added. */
  count: number
  /** From here on the ring has every tick of the slot, however few frames were applied. */
  from: Ms
  minute: Float64Array
  ohlc: Float64Array
  /** Number of minutes ever opened in the newest period. */
  minutes: number
}

export function createMemory(instruments: Instruments): Memory {
  const newest: Newest = {
    sourceMs: new Float64Array(SLOTS_MAX),
    units: new Float64Array(SLOTS_MAX),
    seq: new Float64Array(SLOTS_MAX),
  }
  const periods: (Period | undefined)[] = new Array(SLOTS_MAX).fill(undefined)
  let head: { n: number; t: Ms; hash: Buffer } = { n: 0, t: 0, hash: GENESIS_HASH }

  const rings: (Ring | undefined)[] = new Array(SLOTS_MAX).fill(undefined)
  // Before this, nothing of any slot is in memory that had ticks before memory began.
  let ticksBegin = 0

  function ringOf(slot: number): Ring {
    rings[slot] ??= {
      ms: new Float64Array(TICKS),
      units: new Float64Array(TICKS),
      seq: new Float64Array(TICKS),
      count: 0,
      from: ticksBegin,
      minute: new Float64Array(MINUTES),
      ohlc: new Float64Array(MINUTES * 4),
      minutes: 0,
    }
    return rings[slot]
  }

  function addTick(ring: Ring, sourceMs: Ms, units: number, seq: number): void {
    const at = ring.count % TICKS
    if (ring.count >= TICKS) ring.from = ring.ms[at]! + 1
    ring.ms[at] = sourceMs
    ring.units[at] = units
    ring.seq[at] = seq
    ring.count++
  }

  function addToMinute(ring: Ring, sourceMs: Ms, units: number): void {
    const at = (ring.minutes + MINUTES - 1) % MINUTES
    if (ring.minutes > 0 && sourceMs < ring.minute[at]! + MINUTE_MS) {
      const { ohlc } = ring
      if (units > ohlc[at * 4 + 1]!) ohlc[at * 4 + 1] = units
      if (units < ohlc[at * 4 + 2]!) ohlc[at * 4 + 2] = units
      ohlc[at * 4 + 3] = units
    } else openMinute(ring, startOf(sourceMs, MINUTE_MS), [units, units, units, units])
  }

  function openMinute(ring: Ring, minute: Ms, candle: Ohlc): void {
    const at = ring.minutes % MINUTES
    ring.minute[at] = minute
    ring.ohlc.set(candle, at * 4)
    ring.minutes++
  }

  return {
    newest,
    periods,
    head: () => head,
    newestKind: () => periods[newest.sourceMs.indexOf(Math.max(...newest.sourceMs))]?.kind,
    begin(at) {
      head = at
      rings.fill(undefined)
      ticksBegin = at.n === 0 ? 0 : at.t + 1
    },
    seed(slot, tick) {
      newest.sourceMs[slot] = tick.sourceMs
      newest.units[slot] = tick.units
      newest.seq[slot] = tick.seq
    },
    seedPeriod(slot, period) {
      periods[slot] = period
    },
    seedMinute: (slot, minute, candle) => openMinute(ringOf(slot), minute, candle),
    apply(frame, entries) {
      let began = false
      for (const entry of entries) {
        const slot = instruments.slotOf(entry.symbol)
        if (slot === undefined) continue
        const ring = ringOf(slot)
        // A symbol's very first tick: nothing precedes it.
        if (entry.seq === 1) ring.from = 0
        newest.sourceMs[slot] = entry.sourceMs
        newest.units[slot] = entry.units
        newest.seq[slot] = entry.seq
        if (periods[slot]?.kind !== entry.kind) {
          periods[slot] = { kind: entry.kind, since: entry.sourceMs, first: entry.seq === 1 }
          // Candles of different kinds never mix.
          ring.minutes = 0
          began = true
        }
        addTick(ring, entry.sourceMs, entry.units, entry.seq)
        addToMinute(ring, entry.sourceMs, entry.units)
      }
      head = { n: frame.n, t: frame.t, hash: frame.hash }
      return began
    },
    coversTicks: (slot, from) => from >= (rings[slot]?.from ?? ticksBegin),
    ticksFrom(slot) {
      const ring = ringOf(slot)
      if (ring.from > 0) return ring.from
      return ring.count > 0 ? ring.ms[0]! : Number.POSITIVE_INFINITY
    },
    ticks(slot, from, to, each) {
      const ring = ringOf(slot)
      // Source times ascend, so binary search finds the first one.
      let low = Math.max(0, ring.count - TICKS)
      let high = ring.count
      while (low < high) {
        const middle = Math.floor((low + high) / 2)
        if (ring.ms[middle % TICKS]! < from) low = middle + 1
        else high = middle
      }
      for (let i = low; i < ring.count; i++) {
        const at = i % TICKS
        if (ring.ms[at]! > to) return
        each(ring.seq[at]!, ring.ms[at]!, ring.units[at]!)
      }
    },
    minutesFrom(slot) {
      const { minute, minutes } = ringOf(slot)
      if (minutes === 0) return Number.POSITIVE_INFINITY
      return minute[minutes > MINUTES ? minutes % MINUTES : 0]!
    },
    minutes(slot, from, to, each) {
      const { minute, ohlc, minutes } = ringOf(slot)
      for (let i = Math.max(0, minutes - MINUTES); i < minutes; i++) {
        const at = i % MINUTES
        if (minute[at]! < from) continue
        if (minute[at]! >= to) return
        const [open, high, low, close] = ohlc.subarray(at * 4, at * 4 + 4)
        each(minute[at]!, [open!, high!, low!, close!])
      }
    },
  }
}
