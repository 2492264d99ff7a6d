import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SIGNAL_DURATIONS, STRATEGY_IDS } from '#contract/terms.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import { property } from '#tests/support/property.ts'
import { draws } from '#tests/support/random.ts'
import { type Candle, STRATEGIES, type Strategy, strategyOf } from './index.ts'
import { fixedWindow } from './strategy.ts'

const ABOUT = { symbol: 'BTCUSDT', scale: 2, durationSeconds: 60 }

/** Candles that close at these prices, a minute apart; each opens where the last one closed. */
const candlesOf = (closes: readonly number[], wick = 0): Candle[] =>
  closes.map((close, at) => {
    const open = closes[Math.max(0, at - 1)]!
    return { time: at * MINUTE_MS, open, high: Math.max(open, close) + wick, low: Math.min(open, close) - wick, close }
  })

/** The signal at each candle, each decided by all candles up to it. */
const signalsOf = (strategy: Strategy, candles: readonly Candle[]) =>
  candles.map((_, at) => strategy.decide(candles.slice(0, at + 1), ABOUT))

/** The signals at these candles when others follow them. */
function signalsBefore(future: readonly Candle[], strategy: Strategy, past: readonly Candle[]) {
  const moved = future.map((candle, at) => ({ ...candle, time: (past.length + at) * MINUTE_MS }))
  return signalsOf(strategy, [...past, ...moved]).slice(0, past.length)
}

/** A random walk: mostly small steps, some jumps, and stretches where nothing moves. */
const walk = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: -90, max: 90 }) },
      { weight: 1, arbitrary: fc.integer({ min: -2_000, max: 2_000 }) },
      { weight: 2, arbitrary: fc.constant(0) },
    ),
    { minLength: 40, maxLength: 90, size: 'max' },
  )
  .map((steps) => {
    let price = 6_183_763
    return candlesOf(steps.map((step) => (price += step)))
  })

describe.each(STRATEGIES)('$name', (strategy) => {
  property('is pure: the same candles give the same signal and stay unchanged', 300, [walk], (candles) => {
    const frozen = candles.map((candle) => Object.freeze({ ...candle }))
    Object.freeze(frozen)
    expect(strategy.decide(frozen, ABOUT)).toBe(strategy.decide(structuredClone(candles), ABOUT))
  })

  property('sees no future: signals up to a time are the same, whatever follows', 300, [walk, walk], (past, future) => {
    expect(signalsBefore(future, strategy, past)).toEqual(signalsOf(strategy, past))
  })

  property('sees a fixed window: older candles change nothing', 300, [walk, walk], (older, newest) => {
    expect(strategy.decide([...older, ...newest], ABOUT)).toBe(strategy.decide(newest.slice(-strategy.needs), ABOUT))
  })

  property('has no signal with fewer candles than it needs', 200, [walk], (candles) => {
    expect(strategy.decide(candles.slice(0, strategy.needs - 1), ABOUT)).toBeUndefined()
  })

  test('has both signals in a long random walk, and more often none', () => {
    const signals = signalsOf(strategy, longWalk())
    const buys = signals.filter((signal) => signal === 'Buy').length
    const sells = signals.filter((signal) => signal === 'Sell').length
    expect(Math.min(buys, sells)).toBeGreaterThan(10)
    expect(buys + sells).toBeLessThan(signals.length / 4)
  })
})

describe.each(STRATEGIES.filter(({ id }) => id !== 'coin-toss'))('$name', (strategy) => {
  property('ignores the scale of prices', 300, [walk, fc.integer({ min: 1, max: 20 })], (candles, power) => {
    // Powers of two scale without rounding.
    const scaled = candles.map((candle) => inOtherUnits(candle, (units) => units * 2 ** power))
    expect(signalsOf(strategy, scaled)).toEqual(signalsOf(strategy, candles))
  })

  property('ignores where prices begin', 300, [walk, fc.integer({ min: 1, max: 1e12 })], (candles, shift) => {
    const shifted = candles.map((candle) => inOtherUnits(candle, (units) => units + shift))
    expect(signalsOf(strategy, shifted)).toEqual(signalsOf(strategy, candles))
  })

  property('mirrors its signal when prices are mirrored', 300, [walk], (candles) => {
    const mirrored = candles.map(({ time, open, high, low, close }) => {
      const flip = (units: number) => 20_000_000 - units
      return { time, open: flip(open), high: flip(low), low: flip(high), close: flip(close) }
    })
    const flipped = signalsOf(strategy, candles).map((signal) => signal && (signal === 'Buy' ? 'Sell' : 'Buy'))
    expect(signalsOf(strategy, mirrored)).toEqual(flipped)
  })

  test.each([1, 6_183_763, 999_999_999_999])('has no signal while the price stays at %d', (price) => {
    expect(signalsOf(strategy, candlesOf(Array(200).fill(price))).filter(Boolean)).toEqual([])
  })
})

test('the check against look-ahead catches a strategy that peeks', () => {
  const [past, future] = [longWalk(50), longWalk(50)]
  let series: readonly Candle[] = past
  const peeking = fixedWindow({
    ...strategyOf('trend'),
    needs: 1,
    decide([candle]) {
      const next = series[candle!.time / MINUTE_MS + 1]
      return next && (next.close > candle!.close ? 'Buy' : 'Sell')
    },
  })
  const before = signalsOf(peeking, past)
  series = [...past, ...future]
  expect(signalsBefore(future, peeking, past)).not.toEqual(before)
})

describe('Trend', () => {
  const { decide } = strategyOf('trend')

  test('buys at the candle where the fast average crosses above the slow one, once', () => {
    const closes = [...Array(11).fill(100), 101, 102, 103]
    expect(signalsOf(strategyOf('trend'), candlesOf(closes)).slice(11)).toEqual(['Buy', undefined, undefined])
  })

  test('sells when it crosses below', () => {
    expect(decide(candlesOf([...Array(11).fill(100), 99]), ABOUT)).toBe('Sell')
  })

  test('has its first signal after twelve candles', () => {
    const closes = [...Array(10).fill(100), 101]
    expect(decide(candlesOf(closes), ABOUT)).toBeUndefined()
    expect(decide(candlesOf([100, ...closes]), ABOUT)).toBe('Buy')
  })
})

describe('Reversion', () => {
  const { decide } = strategyOf('reversion')
  // Alternates by one: an index of 50, and bands one standard deviation wider.
  const calm = Array.from({ length: 19 }, (_, at) => 1_000 + (at % 2))

  test('buys after a plunge below the lower band', () => {
    expect(decide(candlesOf([...calm, 980]), ABOUT)).toBe('Buy')
  })

  test('sells after a jump above the upper band', () => {
    expect(decide(candlesOf([...calm, 1_020]), ABOUT)).toBe('Sell')
  })

  test('waits while the index is not extreme, even outside of the band', () => {
    // Falls from a long rise: below the band, but the index still remembers the rise.
    const rise = Array.from({ length: 19 }, (_, at) => 1_000 + at * 10)
    expect(decide(candlesOf([...rise, 1_060]), ABOUT)).toBeUndefined()
  })

  test('waits inside of the band', () => {
    // A steady fall: an index of 0, but the close is within two standard deviations of its average.
    expect(decide(candlesOf(Array.from({ length: 20 }, (_, at) => 1_000 - at)), ABOUT)).toBeUndefined()
  })
})

describe('Breakout', () => {
  const { decide } = strategyOf('breakout')
  const range = candlesOf(
    Array.from({ length: 20 }, (_, at) => 1_000 + (at % 5)),
    2,
  )
  const closing = (close: number): Candle => ({ time: 20 * MINUTE_MS, open: 1_000, high: 1_010, low: 990, close })

  test('buys only when the close is above the highest price of the 20 candles before', () => {
    expect(decide([...range, closing(1_006)], ABOUT)).toBeUndefined()
    expect(decide([...range, closing(1_007)], ABOUT)).toBe('Buy')
  })

  test('sells only when the close is below their lowest price', () => {
    expect(decide([...range, closing(998)], ABOUT)).toBeUndefined()
    expect(decide([...range, closing(997)], ABOUT)).toBe('Sell')
  })
})

describe('Coin toss', () => {
  const { decide } = strategyOf('coin-toss')
  const sides = longWalk(40_000).map((candle) => decide([candle], ABOUT))

  test('has a signal after about one candle in 16, for either side equally', () => {
    const buys = sides.filter((side) => side === 'Buy').length
    const sells = sides.filter((side) => side === 'Sell').length
    // Four standard deviations of the binomial distribution.
    expect(Math.abs(buys + sells - 2_500)).toBeLessThan(4 * Math.sqrt(40_000 * (1 / 16) * (15 / 16)))
    expect(Math.abs(buys - sells)).toBeLessThan(4 * Math.sqrt(buys + sells))
  })

  test('tosses once per close: the duration and the time decide, for all symbols and prices alike', () => {
    const [candle] = candlesOf([6_183_763])
    const differing = (change: (n: number) => ReturnType<typeof decide>) =>
      new Set(Array.from({ length: 400 }, (_, n) => change(n))).size
    expect(differing((n) => decide([candle!], { ...ABOUT, symbol: `S${n}` }))).toBe(1)
    expect(differing((n) => decide([candle!], { ...ABOUT, durationSeconds: n }))).toBe(3)
    expect(differing((n) => decide([{ ...candle!, time: n }], ABOUT))).toBe(3)
    expect(differing((n) => decide([{ ...candle!, open: n, high: n + 1, low: n, close: n }], ABOUT))).toBe(1)
  })
})

test('every strategy is known by its id, once', () => {
  expect(STRATEGIES.map(({ id }) => id)).toEqual([...STRATEGY_IDS])
  for (const id of STRATEGY_IDS) expect(strategyOf(id).id).toBe(id)
})

test('a change of a rule or parameter is a new version', () => {
  // When this fails: raise the version of the strategy, then update the line.
  expect(STRATEGIES.map(({ id, version, needs, parameters }) => ({ id, version, needs, ...parameters }))).toEqual([
    { id: 'trend', version: 1, needs: 12, fast: 3, slow: 8 },
    { id: 'reversion', version: 1, needs: 20, rsi: 14, oversold: 30, overbought: 70, band: 20, deviations: 2 },
    { id: 'breakout', version: 1, needs: 21, channel: 20 },
    { id: 'coin-toss', version: 2, needs: 1, oneIn: 16 },
  ])
})

test('hourly signals fit into the 23 whole hours that the tape keeps in memory', () => {
  for (const { needs } of STRATEGIES) expect(needs).toBeLessThanOrEqual(23)
})

test('every signal duration can be traded as candles of whole minutes', () => {
  for (const seconds of SIGNAL_DURATIONS) expect(seconds % 60).toBe(0)
})

function inOtherUnits({ time, open, high, low, close }: Candle, change: (units: number) => number): Candle {
  return { time, open: change(open), high: change(high), low: change(low), close: change(close) }
}

/** A fixed random walk, the same in every run. */
function longWalk(length = 2_000): Candle[] {
  const { below } = draws(7)
  let price = 6_183_763
  return candlesOf(
    Array.from({ length }, () => (price += below(201) - 100)),
    20,
  )
}
