import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'

/** `[open, high, low, close]` in units. */
export type Ohlc = [open: number, high: number, low: number, close: number]

/** Ticks kept for each symbol: 17 minutes at four a second. */
const TICKS = 4096
/** One-minute candles kept for each symbol: slightly more than a day. */
const MINUTES = 1536

/** One slot's newest ticks and minutes. Allocated with its first tick. */
export interface Ring {
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

/** `from`: from here on it will have every tick of the slot. */
export const newRing = (from: Ms): Ring => ({
  ms: new Float64Array(TICKS),
  units: new Float64Array(TICKS),
  seq: new Float64Array(TICKS),
  count: 0,
  from,
  minute: new Float64Array(MINUTES),
  ohlc: new Float64Array(MINUTES * 4),
  minutes: 0,
})

export function addTick(ring: Ring, sourceMs: Ms, units: number, seq: number): void {
  const at = ring.count % TICKS
  if (ring.count >= TICKS) ring.from = ring.ms[at]! + 1
  ring.ms[at] = sourceMs
  ring.units[at] = units
  ring.seq[at] = seq
  ring.count++
}

export function addToMinute(ring: Ring, sourceMs: Ms, units: number): void {
  const at = (ring.minutes + MINUTES - 1) % MINUTES
  if (ring.minutes > 0 && sourceMs < ring.minute[at]! + MINUTE_MS) {
    const { ohlc } = ring
    if (units > ohlc[at * 4 + 1]!) ohlc[at * 4 + 1] = units
    if (units < ohlc[at * 4 + 2]!) ohlc[at * 4 + 2] = units
    ohlc[at * 4 + 3] = units
  } else openMinute(ring, startOf(sourceMs, MINUTE_MS), [units, units, units, units])
}

export function openMinute(ring: Ring, minute: Ms, candle: Ohlc): void {
  const at = ring.minutes % MINUTES
  ring.minute[at] = minute
  ring.ohlc.set(candle, at * 4)
  ring.minutes++
}

/** Calls `each` for the ticks of [from, to], oldest first. */
export function eachTick(ring: Ring, from: Ms, to: Ms, each: (seq: number, sourceMs: Ms, units: number) => void): void {
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
    const sourceMs = ring.ms[at]!
    if (sourceMs > to) return
    each(ring.seq[at]!, sourceMs, ring.units[at]!)
  }
}

/** The oldest minute from which all one-minute candles are there. */
export function firstMinute(ring: Ring): Ms {
  const { minute, minutes } = ring
  if (minutes === 0) return Number.POSITIVE_INFINITY
  return minute[minutes > MINUTES ? minutes % MINUTES : 0]!
}

/** Calls `each` for the one-minute candles of [from, to), oldest first. */
export function eachMinute(ring: Ring, from: Ms, to: Ms, each: (minute: Ms, candle: Ohlc) => void): void {
  const { minute, ohlc, minutes } = ring
  for (let i = Math.max(0, minutes - MINUTES); i < minutes; i++) {
    const at = i % MINUTES
    const opens = minute[at]!
    if (opens < from) continue
    if (opens >= to) return
    each(opens, [ohlc[at * 4]!, ohlc[at * 4 + 1]!, ohlc[at * 4 + 2]!, ohlc[at * 4 + 3]!])
  }
}
