import { assert } from '#kernel/assert.ts'
import { must } from '#kernel/must.ts'
import { type Price, price } from '#kernel/price.ts'
import { MINUTE_MS, type Ms, startOf, toIso } from '#kernel/time.ts'
import type { Clock } from '../../platform/process/clock.ts'
import { type Bar, barsOf } from '../candles/candles.ts'
import { kindOf } from '../feeds/feed.ts'
import type { FeedView } from '../feeds/feed-view.ts'
import { marketReopens } from '../feeds/hours.ts'
import type { Instrument, Instruments } from '../instruments/instruments.ts'
import { OLDEST_MS } from './gate.ts'
import type { Memory, Period } from './memory/memory.ts'
import type { Ohlc } from './memory/ring.ts'

/** A published price; final. */
export interface Tick {
  symbol: string
  symbolId: number
  /** At the symbol's scale. */
  price: Price
  scale: number
  sourceMs: Ms
  seq: number
  /** 0 live, 1 replay, 2 simulation. */
  kind: number
}

interface SymbolStatus {
  status: 'open' | 'stale' | 'closed' | 'unavailable'
  /** The reason as text for the trader, if it is not open. */
  reason?: string
  /** When a closed market reopens. */
  reopensMs?: Ms
}

/** The tape as this node knows it: committed frames and nothing else. Every method answers from memory. */
export interface Tape {
  /** The newest frame's number and time; 0 and 0 before the first. */
  head(): { n: number; t: Ms }
  /** Returns the newest tick; undefined if there is none yet. An unknown symbol is a bug. */
  latest(symbol: string): Tick | undefined
  /** Everything up to and including this time is proven for the symbol: no later frame can contain an older tick. */
  provenUntil(symbol: string): Ms
  status(symbol: string): SymbolStatus
  /**
   * Returns when the symbol's market reopens if it is closed at a time to come; undefined if it will be open as far as
   * the calendar says.
   */
  closedAt(symbol: string, at: Ms): Ms | undefined
  /** The kind of source that a trade placed now would run on: 0 live, 1 replay, 2 simulation. */
  kind(symbol: string): number
  /** The kind of source that prices come from now: 0 live, 1 replay, 2 simulation. */
  kindNow(): number
  /**
   * Returns the newest `count` candles of a length that ended at or before `until`, oldest first. Only the last day is
   * in memory, and only since the symbol's kind of source last changed; the first minute there is left out, because it
   * may have begun before. Periods without ticks have no candle, so there may be fewer.
   */
  closedCandles(symbol: string, intervalMs: number, count: number, until: Ms): Bar[]
  /**
   * Returns the periods of the symbol's ticks in memory, oldest first: its kind of source is the same in each, and prices
   * of different ones aren't compared.
   */
  periodsOf(symbol: string): readonly Pick<Period, 'kind' | 'since'>[]
  /** Calls `each` for the ticks of [from, to] that are in memory, oldest first. */
  ticks(symbol: string, from: Ms, to: Ms, each: (seq: number, sourceMs: Ms, units: number) => void): void
  /** From this time on all ticks of the symbol are in memory. */
  ticksFrom(symbol: string): Ms
  /** Calls `each` for the one-minute candles of [from, to) that are in memory, as `closedCandles` has them, oldest first. */
  minutes(symbol: string, from: Ms, to: Ms, each: (minute: Ms, candle: Ohlc) => void): void
  /**
   * Returns how far the price moves in the shortest duration of a trade, on average over the last hour, in units of its
   * last digit; undefined while that isn't known.
   */
  typicalMove(symbol: string): number | undefined
  /**
   * Returns how many exchanges make a symbol's live price at its depth, up to as many as are enough; undefined for prices
   * of another kind.
   */
  deepSources(symbol: string): number | undefined
}

interface TapeDeps {
  instruments: Instruments
  memory: Memory
  view(): FeedView
  clock: Clock
  typicalMove(slot: number): number | undefined
  symbolStop(symbol: string): string | undefined
}

export function createTape(deps: TapeDeps): Tape {
  const { instruments, memory, view } = deps

  const slotOf = (symbol: string): number => {
    const slot = instruments.slotOf(symbol)
    assert(slot !== undefined, `${symbol} is an instrument`)
    return slot
  }

  const instrumentOf = (symbol: string): Instrument => must(instruments.list[slotOf(symbol)])

  return {
    head() {
      const { n, t } = memory.head()
      return { n, t }
    },
    latest(symbol) {
      const slot = slotOf(symbol)
      const kind = memory.periods[slot]?.kind
      if (kind === undefined || memory.newest.seq[slot] === 0) return undefined
      const { id, scale } = instrumentOf(symbol)
      const { sourceMs, units, seq } = memory.newest
      return {
        symbol,
        symbolId: id,
        price: price(BigInt(units[slot]!)),
        scale,
        sourceMs: sourceMs[slot]!,
        seq: seq[slot]!,
        kind,
      }
    },
    provenUntil(symbol) {
      return Math.max(memory.newest.sourceMs[slotOf(symbol)]! - 1, memory.head().t - OLDEST_MS - 1)
    },
    status: (symbol) => statusOf(deps, instrumentOf(symbol), slotOf(symbol)),
    kind: (symbol) => memory.periods[slotOf(symbol)]?.kind ?? kindOf(view().kind),
    kindNow: () => kindOf(view().kind),
    closedAt(symbol, at) {
      // A simulation and a replay don't keep the calendar.
      return view().kind === 'live' ? marketReopens(instrumentOf(symbol), at) : undefined
    },
    closedCandles(symbol, intervalMs, count, until) {
      const slot = slotOf(symbol)
      const whole = memory.minutesFrom(slot) + MINUTE_MS
      const { bars, add } = barsOf(intervalMs)
      memory.minutes(slot, startOf(whole + intervalMs - 1, intervalMs), startOf(until, intervalMs), add)
      return bars.slice(-count)
    },
    periodsOf: (symbol) => memory.periodsOf(slotOf(symbol)),
    ticks: (symbol, from, to, each) => memory.ticks(slotOf(symbol), from, to, each),
    ticksFrom: (symbol) => memory.ticksFrom(slotOf(symbol)),
    minutes: (symbol, from, to, each) => memory.minutes(slotOf(symbol), from, to, each),
    typicalMove: (symbol) => deps.typicalMove(slotOf(symbol)),
    deepSources: (symbol) => view().deepSources(symbol),
  }
}

function statusOf(deps: TapeDeps, instrument: Instrument, slot: number): SymbolStatus {
  const { memory, view, clock } = deps
  const stopped = deps.symbolStop(instrument.symbol)
  if (stopped !== undefined) return { status: 'unavailable', reason: stopped }
  if (instrument.closedReason !== null) return { status: 'unavailable', reason: instrument.closedReason }
  const missing = view().missing(instrument)
  if (missing !== undefined) return { status: 'unavailable', reason: missing }
  const now = clock.now()
  const reopensMs = view().reopens(instrument, now)
  if (reopensMs !== undefined) {
    return { status: 'closed', reason: `The market is closed until ${utcText(reopensMs)}.`, reopensMs }
  }
  const last = memory.newest.sourceMs[slot]!
  if (last === 0) return { status: 'stale', reason: 'No price has arrived yet.' }
  // Right after the feed changed, the newest tick is still from the old one.
  if (memory.periods[slot]?.kind !== kindOf(view().kind))
    return { status: 'stale', reason: 'No price of the new source has arrived yet.' }
  if (now - last > instrument.staleAfterMs) {
    const seconds = Math.round(instrument.staleAfterMs / 1000)
    return { status: 'stale', reason: `No price for more than ${seconds} seconds.` }
  }
  return { status: 'open' }
}

const WEEKDAY = new Intl.DateTimeFormat('en', { timeZone: 'UTC', weekday: 'long' })

/** `Sunday at 22:00 UTC`. */
export const utcText = (time: Ms): string => `${WEEKDAY.format(time)} at ${toIso(time).slice(11, 16)} UTC`
