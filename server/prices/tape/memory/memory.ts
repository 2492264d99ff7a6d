import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Instruments, SLOTS_MAX } from '../../instruments/instruments.ts'
import type { Entry, Frame } from '../frames/frame.ts'
import { GENESIS_HASH } from '../frames/frame.ts'
import {
  addTick,
  addToMinute,
  eachMinute,
  eachTick,
  firstMinute,
  newRing,
  type Ohlc,
  openMinute,
  type Ring,
} from './ring.ts'

/** From one change of a symbol's kind of source to the next. */
export interface Period {
  /** 0 live, 1 replay, 2 simulation. */
  kind: number
  /** Source time of its first tick. */
  since: Ms
  /** Whether the symbol's tape begins with it. */
  first: boolean
}

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
  /** The periods of the slot's ticks in memory, oldest first; the first may have begun before them. */
  periodsOf(slot: number): readonly Period[]
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

export function createMemory(instruments: Instruments): Memory {
  const newest = noTicks()
  const periods: (Period | undefined)[] = new Array(SLOTS_MAX).fill(undefined)
  const known: (Period[] | undefined)[] = new Array(SLOTS_MAX).fill(undefined)
  let head: { n: number; t: Ms; hash: Buffer } = { n: 0, t: 0, hash: GENESIS_HASH }
  const rings: (Ring | undefined)[] = new Array(SLOTS_MAX).fill(undefined)
  // Before this, nothing of any slot is in memory that had ticks before memory began.
  let ticksBegin = 0

  function ringOf(slot: number): Ring {
    rings[slot] ??= newRing(ticksBegin)
    return rings[slot]
  }

  /** Begins a period, and forgets those of which no tick is in memory. */
  function beginPeriod(slot: number, period: Period): void {
    periods[slot] = period
    const from = rings[slot]?.from ?? 0
    const before = (known[slot] ?? []).filter((_, at, all) => (all[at + 1]?.since ?? period.since) > from)
    known[slot] = [...before, period]
  }

  return {
    newest,
    periods,
    periodsOf: (slot) => known[slot] ?? [],
    head: () => head,
    newestKind: () => periods[newest.sourceMs.indexOf(Math.max(...newest.sourceMs))]?.kind,
    begin(at) {
      head = at
      rings.fill(undefined)
      periods.fill(undefined)
      known.fill(undefined)
      ticksBegin = at.n === 0 ? 0 : at.t + 1
    },
    seed: (slot, tick) => setNewest(newest, slot, tick),
    seedPeriod: beginPeriod,
    seedMinute: (slot, minute, candle) => openMinute(ringOf(slot), minute, candle),
    apply(frame, entries) {
      let began = false
      for (const entry of entries) {
        const slot = instruments.slotOf(entry.symbol)
        if (slot === undefined) continue
        const ring = ringOf(slot)
        // A symbol's very first tick: nothing precedes it.
        if (entry.seq === 1) ring.from = 0
        setNewest(newest, slot, entry)
        if (periods[slot]?.kind !== entry.kind) {
          beginPeriod(slot, { kind: entry.kind, since: entry.sourceMs, first: entry.seq === 1 })
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
      return ring.count > 0 ? first(ring.ms) : Number.POSITIVE_INFINITY
    },
    ticks: (slot, from, to, each) => eachTick(ringOf(slot), from, to, each),
    minutesFrom: (slot) => firstMinute(ringOf(slot)),
    minutes: (slot, from, to, each) => eachMinute(ringOf(slot), from, to, each),
  }
}

const noTicks = (): Newest => ({
  sourceMs: new Float64Array(SLOTS_MAX),
  units: new Float64Array(SLOTS_MAX),
  seq: new Float64Array(SLOTS_MAX),
})

function setNewest(newest: Newest, slot: number, tick: { sourceMs: Ms; units: number; seq: number }): void {
  newest.sourceMs[slot] = tick.sourceMs
  newest.units[slot] = tick.units
  newest.seq[slot] = tick.seq
}
