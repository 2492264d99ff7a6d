import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import * as oracle from 'trading-signals'
import { describe, expect, test } from 'vitest'
import { MARKET_DATA, testOnMarketData } from '#tests/support/prices/market-data.ts'
import { draws } from '#tests/support/random.ts'
import { DAY_MS, MINUTE_MS, startOf } from '../time.ts'
import { INDICATORS, type Indicator, indicatorOf, takesInputs, type Values } from './list.ts'
import type { Candle } from './series.ts'

/*
 * Each indicator against a second implementation: `trading-signals`, or, where that has none or another rule, the
 * textbook's formula computed again for each candle from all candles up to it.
 */

type Full = Required<Candle>
type Second = (candles: readonly Full[], inputs: readonly number[]) => (Values | null | undefined)[]

interface Fed<In, Out> {
  update(input: In, replace: boolean): Out
}

const fed =
  <Out>(make: (...inputs: number[]) => Fed<number, Out>, values: (out: NonNullable<Out>) => Values): Second =>
  (candles, inputs) => {
    const series = make(...inputs)
    return candles.map(({ close }) => {
      const out = series.update(close, false)
      return out === null || out === undefined ? undefined : values(out)
    })
  }
const fedCandles =
  <Out>(make: (...inputs: number[]) => Fed<Full, Out>, values: (out: NonNullable<Out>) => Values): Second =>
  (candles, inputs) => {
    const series = make(...inputs)
    return candles.map((candle) => {
      const out = series.update(candle, false)
      return out === null || out === undefined ? undefined : values(out)
    })
  }
const value = (of: number): Values => ({ value: of })
const band = ({ upper, middle, lower }: { upper: number; middle: number; lower: number }): Values => ({
  upper,
  middle,
  lower,
})

/** Computes each entry from all candles up to it. */
const textbook =
  (of: (past: readonly Full[], inputs: readonly number[]) => Values | undefined): Second =>
  (candles, inputs) =>
    candles.map((_, at) => of(candles.slice(0, at + 1), inputs))

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
const mean = (values: readonly number[]) => sum(values) / values.length
const closesOf = (candles: readonly Full[]) => candles.map(({ close }) => close)
const lastOf = <T>(list: readonly T[], count: number): readonly T[] => list.slice(Math.max(0, list.length - count))

/** The EMA as the sum of its weights, from the first value on. */
function weighted(values: readonly number[], length: number): number {
  const keep = 1 - 2 / (length + 1)
  return values.reduce((total, one, at) => {
    const age = values.length - 1 - at
    return total + one * keep ** age * (at === 0 ? 1 : 1 - keep)
  }, 0)
}
/** The same for each prefix. */
const allWeighted = (values: readonly number[], length: number) =>
  values.map((_, at) => weighted(values.slice(0, at + 1), length))

/** Wilder's average as the worksheet of 1978 has it: (average × (n − 1) + value) ÷ n. */
function worksheet(values: readonly number[], length: number): number | undefined {
  if (values.length < length) return undefined
  let average = mean(values.slice(0, length))
  for (const one of values.slice(length)) average = (average * (length - 1) + one) / length
  return average
}

/** Directional movement of each candle, as in Wilder's worksheet; equal moves count as none. */
function directional(past: readonly Full[], length: number) {
  const moves = past.slice(1).map((now, at) => {
    const before = past[at]!
    const [up, down] = [now.high - before.high, before.low - now.low]
    return {
      range: Math.max(now.high - now.low, Math.abs(now.high - before.close), Math.abs(now.low - before.close)),
      plus: up > down && up > 0 ? up : 0,
      minus: down > up && down > 0 ? down : 0,
    }
  })
  const range = worksheet(
    moves.map((move) => move.range),
    length,
  )
  const plus = worksheet(
    moves.map((move) => move.plus),
    length,
  )
  const minus = worksheet(
    moves.map((move) => move.minus),
    length,
  )
  if (range === undefined || plus === undefined || minus === undefined) return undefined
  return range === 0 ? { plus: 0, minus: 0 } : { plus: (100 * plus) / range, minus: (100 * minus) / range }
}

const adxBook: Second = textbook((past, [length = 0]) => {
  const now = directional(past, length)
  if (!now) return undefined
  const indexes = past.flatMap((_, at) => {
    const then = directional(past.slice(0, at + 1), length)
    if (!then) return []
    const total = then.plus + then.minus
    return [total === 0 ? 0 : (100 * Math.abs(then.plus - then.minus)) / total]
  })
  return { ...now, adx: worksheet(indexes, length) }
})

/** The SAR in the form of Wilder's worksheet, from the first candle on for each entry. */
const sarBook: Second = textbook((past, [step = 0, most = 0]) => {
  if (past.length < 2) return undefined
  const [first, second] = [past[0]!, past[1]!]
  let isLong = second.high + second.low >= first.high + first.low
  let sar = isLong ? first.low : first.high
  let extreme = isLong ? second.high : second.low
  let factor = step
  for (let at = 2; at < past.length; at++) {
    const [twoAgo, before, now] = [past[at - 2]!, past[at - 1]!, past[at]!]
    sar += factor * (extreme - sar)
    if (isLong) sar = Math.min(sar, twoAgo.low, before.low)
    else sar = Math.max(sar, twoAgo.high, before.high)
    if (isLong && now.low < sar) {
      ;[isLong, sar, extreme, factor] = [false, extreme, now.low, step]
    } else if (!isLong && now.high > sar) {
      ;[isLong, sar, extreme, factor] = [true, extreme, now.high, step]
    } else if (isLong ? now.high > extreme : now.low < extreme) {
      extreme = isLong ? now.high : now.low
      factor = Math.min(most, factor + step)
    }
  }
  return { value: sar }
})

const pivotBook: Second = textbook((past) => {
  const today = startOf(past.at(-1)!.time, DAY_MS)
  const earlier = past.filter(({ time }) => startOf(time, DAY_MS) < today)
  if (earlier.length === 0) return undefined
  const last = startOf(earlier.at(-1)!.time, DAY_MS)
  const day = earlier.filter(({ time }) => startOf(time, DAY_MS) === last)
  const [high, low] = [Math.max(...day.map((c) => c.high)), Math.min(...day.map((c) => c.low))]
  const p = (high + low + day.at(-1)!.close) / 3
  return { p, r1: p + (p - low), s1: p - (high - p), r2: p + (high - low), s2: p - (high - low) }
})

const heikinBook: Second = (candles) => {
  const opens: number[] = []
  const closes = candles.map(({ open, high, low, close }) => mean([open, high, low, close]))
  for (const [at, { open, close }] of candles.entries())
    opens.push(at === 0 ? mean([open, close]) : mean([opens[at - 1]!, closes[at - 1]!]))
  return candles.map((_, at) => {
    const sign = (of: number) => Math.sign(closes[of]! - opens[of]!)
    let run = at
    while (run >= 0 && sign(run) === sign(at)) run--
    return { value: sign(at) * (at - run) + 0 }
  })
}

const regressionBook: Second = textbook((past, [length = 0]) => {
  if (past.length < length) return undefined
  const values = lastOf(closesOf(past), length)
  const xs = values.map((_, at) => at + 1)
  const [sx, sy] = [sum(xs), sum(values)]
  const [sxy, sxx] = [sum(values.map((y, at) => y * (at + 1))), sum(xs.map((x) => x * x))]
  const slope = length === 1 ? 0 : (length * sxy - sx * sy) / (length * sxx - sx * sx)
  return { value: (sy - slope * sx) / length + slope * length }
})

const SECOND: Record<string, Second> = {
  sma: fed((n) => new oracle.SMA(n!), value),
  ema: (candles, [n = 0]) => {
    const series = new oracle.EMA(n)
    return candles.map(({ close }) => {
      const now = series.update(close, false)
      return series.isStable ? { value: now } : undefined
    })
  },
  wma: fed((n) => new oracle.WMA(n!), value),
  dema: textbook((past, [n = 0]) => {
    if (past.length < 2 * n - 1) return undefined
    const first = allWeighted(closesOf(past), n)
    return { value: 2 * first.at(-1)! - weighted(first, n) }
  }),
  tema: textbook((past, [n = 0]) => {
    if (past.length < 3 * n - 2) return undefined
    const first = allWeighted(closesOf(past), n)
    const second = allWeighted(first, n)
    return { value: 3 * first.at(-1)! - 3 * second.at(-1)! + weighted(second, n) }
  }),
  hma: fed((n) => new oracle.HMA(n!), value),
  linreg: regressionBook,
  vwma: fedCandles((n) => new oracle.VWMA(n!), value),
  bollinger: fed((n, k) => new oracle.BollingerBands(n!, k), band),
  keltner: fedCandles(
    (n, range, times) => new oracle.KeltnerChannels({ emaInterval: n!, atrInterval: range!, multiplier: times! }),
    band,
  ),
  donchian: textbook((past, [n = 0]) => {
    if (past.length < n) return undefined
    const [upper, lower] = [
      Math.max(...lastOf(past, n).map(({ high }) => high)),
      Math.min(...lastOf(past, n).map(({ low }) => low)),
    ]
    return { upper, lower, middle: mean([upper, lower]) }
  }),
  ichimoku: (candles, [conversion = 0, base = 0, span = 0]) => {
    const middle = (at: number, n: number) => {
      if (at + 1 < n) return undefined
      const part = candles.slice(at + 1 - n, at + 1)
      return mean([Math.max(...part.map(({ high }) => high)), Math.min(...part.map(({ low }) => low))])
    }
    return candles.map(({ close }, at) => {
      const [fast, slow] = [middle(at, conversion), middle(at, base)]
      const spanA = fast === undefined || slow === undefined ? undefined : mean([fast, slow])
      return { conversion: fast, base: slow, spanA, spanB: middle(at, span), lagging: close }
    })
  },
  sar: sarBook,
  supertrend: fedCandles(
    (n, times) => new oracle.SuperTrend({ interval: n!, multiplier: times! }),
    ({ supertrend, trend }) =>
      trend === oracle.TradingSignal.BULLISH
        ? { rising: supertrend, falling: undefined }
        : { rising: undefined, falling: supertrend },
  ),
  pivots: pivotBook,
  fractals: textbook((past) => {
    if (past.length < 5) return undefined
    const [a, b, middle, c, d] = past.slice(-5) as [Full, Full, Full, Full, Full]
    const sides = [a, b, c, d]
    return {
      up: middle.high > Math.max(...sides.map(({ high }) => high)) ? middle.high : undefined,
      down: middle.low < Math.min(...sides.map(({ low }) => low)) ? middle.low : undefined,
    }
  }),
  adx: adxBook,
  aroon: fedCandles(
    (n) => new oracle.Aroon(n!),
    ({ aroonUp, aroonDown }) => ({ up: aroonUp, down: aroonDown }),
  ),
  heikin: heikinBook,
  rsi: fed((n) => new oracle.RSI(n!), value),
  stochastic: textbook((past, [n = 0, slowing = 0, signal = 0]) => {
    const fast = (end: number) => {
      const part = past.slice(end - n, end)
      const [high, low] = [Math.max(...part.map((c) => c.high)), Math.min(...part.map((c) => c.low))]
      return high === low ? 0 : (100 * (part.at(-1)!.close - low)) / (high - low)
    }
    const k = (end: number) => mean(Array.from({ length: slowing }, (_, back) => fast(end - back)))
    const end = past.length
    if (end < n + slowing - 1) return undefined
    const d =
      end < n + slowing + signal - 2 ? undefined : mean(Array.from({ length: signal }, (_, back) => k(end - back)))
    return { k: k(end), d }
  }),
  stochrsi: (candles, [index = 0, n = 0, slowing = 0, signal = 0]) => {
    const rsi = new oracle.RSI(index)
    const indexes = candles.map(({ close }) => rsi.update(close, false))
    const fast = indexes.map((now, at) => {
      const part = indexes.slice(at + 1 - n, at + 1)
      if (at + 1 < n || now === null || part.includes(null)) return undefined
      const [high, low] = [Math.max(...(part as number[])), Math.min(...(part as number[]))]
      return high === low ? 0 : (100 * (now - low)) / (high - low)
    })
    const smooth = (values: readonly (number | undefined)[], count: number) =>
      values.map((_, at) => {
        const part = values.slice(Math.max(0, at + 1 - count), at + 1)
        return part.length < count || part.includes(undefined) ? undefined : mean(part as number[])
      })
    const k = smooth(fast, slowing)
    const d = smooth(k, signal)
    return k.map((one, at) => (one === undefined ? undefined : { k: one, d: d[at] }))
  },
  macd: textbook((past, [fast = 0, slow = 0, signal = 0]) => {
    if (past.length < slow) return undefined
    const closes = closesOf(past)
    const [short, long] = [allWeighted(closes, fast), allWeighted(closes, slow)]
    const lines = short.map((one, at) => one - long[at]!).slice(slow - 1)
    const smooth = lines.length < signal ? undefined : weighted(lines, signal)
    const line = lines.at(-1)!
    return { line, signal: smooth, histogram: smooth === undefined ? undefined : line - smooth }
  }),
  cci: fedCandles((n) => new oracle.CCI(n!), value),
  roc: fed(
    (n) => new oracle.ROC(n!),
    (share) => ({ value: share * 100 }),
  ),
  momentum: fed((n) => new oracle.MOM(n!), value),
  williams: fedCandles((n) => new oracle.WilliamsR(n!), value),
  atr: fedCandles((n) => new oracle.ATR(n!), value),
  awesome: fedCandles((fast, slow) => new oracle.AO(fast!, slow!), value),
  stddev: textbook((past, [n = 0]) => {
    if (past.length < n) return undefined
    return { value: oracle.getStandardDeviation([...lastOf(closesOf(past), n)]) }
  }),
  zscore: textbook((past, [n = 0]) => {
    if (past.length < n) return undefined
    const values = [...lastOf(closesOf(past), n)]
    return { value: (values.at(-1)! - mean(values)) / oracle.getStandardDeviation(values) }
  }),
}

/** A seeded random walk over two days and a half, with jumps and volume. */
function walk(length = 420): Full[] {
  const { normal, random, chance } = draws(11)
  let close = 61_837
  return Array.from({ length }, (_, at) => {
    const open = close
    close = open * (1 + normal() * (chance(0.03) ? 0.02 : 0.002))
    const [high, low] = [Math.max(open, close) * (1 + random() / 500), Math.min(open, close) * (1 - random() / 500)]
    return { time: Date.UTC(2026, 0, 1, 12) + at * 9 * MINUTE_MS, open, high, low, close, volume: 1 + random() * 9 }
  })
}

function recorded(): Full[][] {
  const folder = join(MARKET_DATA, 'lean')
  const files = readdirSync(folder).filter((name) => name.endsWith('_1m_trade.csv.gz'))
  return files.map((name) => {
    const lines = gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trim()
      .split('\n')
    const rows = lines.map((line) => line.split(',').map(Number)).filter(([time]) => Number.isFinite(time))
    // The textbook's forms are quadratic and worse: some hundred candles of each recording.
    return rows.slice(200, 520).map(([time, open, high, low, close, volume]) => ({
      time: time!,
      open: open!,
      high: high!,
      low: low!,
      close: close!,
      volume: volume!,
    }))
  })
}

const small = ({ inputs }: Indicator): readonly number[] =>
  inputs.map(({ initial, step }) => (step === 1 ? Math.ceil(initial / 3) + 1 : initial))

function compare(indicator: Indicator, candles: readonly Full[], inputs: readonly number[]): void {
  const series = indicator.start(inputs)
  const ours = candles.map((candle) => series(candle))
  const theirs = SECOND[indicator.id]!(candles, inputs)
  const scale = indicator.inPrice ? Math.max(...candles.map(({ high }) => high)) : 100
  for (const [at, one] of ours.entries())
    for (const { key } of indicator.outputs) {
      const [mine, other] = [one?.[key], theirs[at]?.[key]]
      const where = `${indicator.id} ${key} of candle ${at}`
      if (mine === undefined || other === undefined) expect(mine, where).toBe(other)
      else
        expect(Math.abs(mine - other), `${where}: ${mine}, ${other}`).toBeLessThan(
          1e-9 * Math.max(scale, Math.abs(other)),
        )
    }
  expect(ours.filter((one) => one && Object.values(one).some((result) => result !== undefined)).length).toBeGreaterThan(
    20,
  )
}

describe.each(INDICATORS)('$name', (indicator) => {
  const initial = indicator.inputs.map((input) => input.initial)

  test('agrees with a second implementation on a random walk', () => {
    compare(indicator, walk(), initial)
    compare(indicator, walk(160), small(indicator))
  })

  testOnMarketData('agrees with a second implementation on recorded days', async () => {
    const days = recorded()
    expect(days.length).toBeGreaterThan(4)
    for (const candles of days) if (indicator.id !== 'pivots') compare(indicator, candles, initial)
  })

  test('sees no future, and computes an open candle as often as it changes', () => {
    const candles = walk(200)
    const [once, often] = [indicator.start(initial), indicator.start(initial)]
    for (const candle of candles) {
      often({ ...candle, close: candle.close * 1.4, high: candle.high * 1.5, low: candle.low * 0.5 })
      often({ ...candle, close: candle.close * 0.7, low: candle.low * 0.6 }, true)
      expect(often(candle, true)).toEqual(once(candle))
    }
  })

  test('has finite values while nothing moves', () => {
    const flat = walk(120).map((candle) => ({ ...candle, open: 7, high: 7, low: 7, close: 7 }))
    const series = indicator.start(initial)
    for (const candle of flat)
      for (const result of Object.values(series(candle) ?? {}))
        if (result !== undefined) expect(Number.isFinite(result)).toBe(true)
  })

  test('accepts its initial inputs and refuses others', () => {
    expect(takesInputs(indicator, initial)).toBe(true)
    expect(takesInputs(indicator, [...initial, 1])).toBe(false)
    for (const [at, { min, max, step }] of indicator.inputs.entries()) {
      const withOne = (changed: number) => initial.map((input, index) => (index === at ? changed : input))
      for (const bad of [min - step, max + step, Number.NaN]) expect(takesInputs(indicator, withOne(bad))).toBe(false)
      if (step === 1) expect(takesInputs(indicator, withOne(2.5))).toBe(false)
    }
  })
})

test('all thirty-one are there, each with a second implementation', () => {
  expect(INDICATORS.map(({ id }) => id).sort()).toEqual(Object.keys(SECOND).sort())
  expect(new Set(INDICATORS.map(({ id }) => id)).size).toBe(31)
  expect(indicatorOf('rsi')?.short).toBe('RSI')
  expect(indicatorOf('nothing')).toBeUndefined()
})
