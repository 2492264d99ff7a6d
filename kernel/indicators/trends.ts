import { DAY_MS, startOf } from '../time.ts'
import { wilder } from './averages.ts'
import { atr, donchian, trueRange } from './bands.ts'
import { heikinAshi } from './heikin-ashi.ts'
import { type Candle, chain, from, recursion, type Series, windowOf } from './series.ts'

/**
 * Ichimoku cloud: the middles of the ranges of `conversion`, `base` and `span` candles, and the mean of the first two.
 * Charts draw both spans `base` candles ahead, and the close as the lagging line `base` candles back.
 * Warm-up: each line its own length. Source: Hosoda (1969).
 */
export function ichimoku(conversion: number, base: number, span: number) {
  const lines = [donchian(conversion), donchian(base), donchian(span)] as const
  return (candle: Candle, replace?: boolean) => {
    const [fast, slow, wide] = lines.map((line) => line(candle, replace)?.middle)
    const spanA = fast === undefined || slow === undefined ? undefined : (fast + slow) / 2
    return { conversion: fast, base: slow, spanA, spanB: wide, lagging: candle.close }
  }
}

interface Sar {
  rising: boolean
  sar: number
  /** The highest high of a rise, or the lowest low of a fall. */
  extreme: number
  factor: number
  /** The newest two candles. */
  before: readonly Candle[]
}

/**
 * Parabolic SAR: SAR + factor × (extreme − SAR), never beyond the last two candles; the factor grows by `step` with each
 * new extreme, to `most`. A price beyond the SAR turns it: it then begins at the extreme. Begins with the direction of the
 * first two middles. Warm-up: 2. Source: Wilder (1978).
 */
export function parabolicSar(step: number, most: number): Series<Candle, number> {
  const state = recursion<Candle, Sar | undefined>(undefined, (now, candle) => {
    const [first, second] = now?.before ?? []
    if (!now || !first) return { rising: true, sar: candle.low, extreme: candle.high, factor: step, before: [candle] }
    const before = [second ?? first, candle]
    if (!second) {
      const rising = candle.high + candle.low >= first.high + first.low
      return rising
        ? { rising, sar: first.low, extreme: candle.high, factor: step, before }
        : { rising, sar: first.high, extreme: candle.low, factor: step, before }
    }
    const { rising, extreme, factor } = now
    const moved = now.sar + factor * (extreme - now.sar)
    const sar = rising ? Math.min(moved, first.low, second.low) : Math.max(moved, first.high, second.high)
    if (rising ? candle.low < sar : candle.high > sar)
      return { rising: !rising, sar: extreme, extreme: rising ? candle.low : candle.high, factor: step, before }
    const isFurther = rising ? candle.high > extreme : candle.low < extreme
    return {
      rising,
      sar,
      extreme: isFurther ? (rising ? candle.high : candle.low) : extreme,
      factor: isFurther ? Math.min(factor + step, most) : factor,
      before,
    }
  })
  return from(2, (candle, replace) => state(candle, replace)?.sar)
}

interface Super {
  upper: number
  lower: number
  rising: boolean
  close: number
}

/**
 * SuperTrend: a band of `multiple` ATRs around the middle of high and low that only moves towards the price; the close
 * beyond it turns the trend. One of both lines has a value. Warm-up: `length`. Source: Seban (2009).
 */
export function superTrend(
  length: number,
  multiple: number,
): Series<Candle, { rising: number | undefined; falling: number | undefined }> {
  const range = atr(length)
  const state = recursion<Candle & { reach: number }, Super | undefined>(undefined, (now, candle) => {
    const { high, low, close, reach } = candle
    const middle = (high + low) / 2
    const [wideUpper, wideLower] = [middle + multiple * reach, middle - multiple * reach]
    if (!now) return { upper: wideUpper, lower: wideLower, rising: close > wideUpper, close }
    const upper = wideUpper < now.upper || now.close > now.upper ? wideUpper : now.upper
    const lower = wideLower > now.lower || now.close < now.lower ? wideLower : now.lower
    return { upper, lower, rising: now.rising ? close >= lower : close > upper, close }
  })
  return (candle, replace) => {
    const reach = range(candle, replace)
    const now = reach === undefined ? undefined : state({ ...candle, reach }, replace)
    return now && { rising: now.rising ? now.lower : undefined, falling: now.rising ? undefined : now.upper }
  }
}

interface Days {
  start: number
  day: { high: number; low: number; close: number }
  last: { high: number; low: number; close: number } | undefined
}

/**
 * Pivots (floor traders'): P = (high + low + close) ÷ 3 of the UTC day before; R1 = 2P − low, S1 = 2P − high,
 * R2 = P + high − low, S2 = P − high + low. None on the first day.
 */
export function pivots() {
  const state = recursion<Candle, Days | undefined>(undefined, (now, { time, high, low, close }) => {
    const start = startOf(time, DAY_MS)
    if (!now || now.start !== start) return { start, day: { high, low, close }, last: now?.day }
    const day = { high: Math.max(now.day.high, high), low: Math.min(now.day.low, low), close }
    return { ...now, day }
  })
  return (candle: Candle, replace?: boolean) => {
    const last = state(candle, replace)?.last
    if (!last) return undefined
    const { high, low, close } = last
    const p = (high + low + close) / 3
    return { p, r1: 2 * p - low, s1: 2 * p - high, r2: p + high - low, s2: p - high + low }
  }
}

/**
 * Average directional index: Wilder's averages of the moves up and down as shares of the true range (+DI, −DI), and
 * Wilder's average of |+DI − −DI| ÷ (+DI + −DI), in percent. Warm-up: length + 1, and 2 × length for the ADX.
 * Source: Wilder (1978).
 */
export function adx(length: number): Series<Candle, { plus: number; minus: number; adx: number | undefined }> {
  const [ranges, ups, downs, smooth] = [wilder(length), wilder(length), wilder(length), wilder(length)]
  const range = trueRange()
  const pairs = windowOf<Candle>(2)
  return (candle, replace) => {
    const width = range(candle, replace) ?? 0
    const [before, now] = pairs(candle, replace) ?? []
    if (!before || !now) return undefined
    const [up, down] = [now.high - before.high, before.low - now.low]
    const total = ranges(width, replace)
    const rises = ups(up > down && up > 0 ? up : 0, replace)
    const falls = downs(down > up && down > 0 ? down : 0, replace)
    if (total === undefined || rises === undefined || falls === undefined) return undefined
    const [plus, minus] = total === 0 ? [0, 0] : [(100 * rises) / total, (100 * falls) / total]
    const index = plus + minus === 0 ? 0 : (100 * Math.abs(plus - minus)) / (plus + minus)
    return { plus, minus, adx: smooth(index, replace) }
  }
}

/**
 * Aroon: how recently the highest (up) and lowest (down) price of `length` + 1 candles was, 100 for the newest candle.
 * Warm-up: length + 1. Source: Chande, Stocks & Commodities, September 1995.
 */
export function aroon(length: number): Series<Candle, { up: number; down: number }> {
  return chain(windowOf<Candle>(length + 1), (candles) => {
    let [highest, lowest] = [0, 0]
    for (const [at, { high, low }] of candles.entries()) {
      if (high >= (candles[highest]?.high ?? high)) highest = at
      if (low <= (candles[lowest]?.low ?? low)) lowest = at
    }
    return { up: (100 * highest) / length, down: (100 * lowest) / length }
  })
}

/** Heikin trend: how many Heikin Ashi candles of one direction in a row, negative while they fall. Warm-up: 1. */
export function heikinTrend(): Series<Candle, number> {
  return chain(
    heikinAshi(),
    recursion<Candle, number>(0, (run, { open, close }) => {
      const direction = Math.sign(close - open)
      return direction === 0 ? 0 : direction === Math.sign(run) ? run + direction : direction
    }),
  )
}

/**
 * Fractals: the middle of five candles is a fractal if its high is above the four others' (up), or its low below theirs
 * (down). Known two candles later, where it is reported; charts draw it two candles back. Warm-up: 5.
 * Source: Williams, Trading Chaos (1995).
 */
export function fractals(): Series<Candle, { up: number | undefined; down: number | undefined }> {
  return chain(windowOf<Candle>(5), (candles) => {
    const [middle, ...others] = [candles[2], candles[0], candles[1], candles[3], candles[4]]
    const isUp = others.every((other) => (middle?.high ?? 0) > (other?.high ?? 0))
    const isDown = others.every((other) => (middle?.low ?? 0) < (other?.low ?? 0))
    return { up: isUp ? middle?.high : undefined, down: isDown ? middle?.low : undefined }
  })
}
