import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mostCandles, windowOf } from '#contract/rules/windows.ts'
import {
  type Condition,
  type IndicatorOperand,
  RULE_INDICATORS,
  type RuleBody,
} from '#contract/trading/own-strategies.ts'
import { indicatorOf } from '#kernel/indicators/list.ts'
import { valuesOf } from '#kernel/indicators/series.ts'
import { must } from '#kernel/must.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import { unitlessRule, validRule } from '#tests/support/prices/rules.ts'
import { property } from '#tests/support/property.ts'
import { draws } from '#tests/support/random.ts'
import { type Candle, type Decider, strategyOfRule } from './index.ts'

const ABOUT = { symbol: 'BTCUSDT', scale: 2, durationSeconds: 60 }
/** A Monday, 00:00 UTC. */
const START = Date.UTC(2026, 0, 5)

const decider = (body: RuleBody, zone = 'Europe/Berlin'): Decider => strategyOfRule({ body, durationSeconds: 60, zone })

/** A random walk from a seed: mostly small steps, some jumps, and stretches where nothing moves. */
function walkOf(seed: number, length = 260): Candle[] {
  const { below } = draws(seed)
  let price = 6_183_763
  return Array.from({ length }, (_, at) => {
    const open = price
    const kind = below(12)
    if (kind < 9) price += below(181) - 90
    else if (kind === 9) price += below(4_001) - 2_000
    const wick = kind < 10 ? below(40) : 0
    return {
      ...{ time: START + at * MINUTE_MS, open, close: price },
      ...{ high: Math.max(open, price) + wick, low: Math.min(open, price) - wick },
    }
  })
}

const seed = fc.integer({ min: 1, max: 1e6 })
const signalsOf = ({ decide, needs }: Decider, candles: readonly Candle[], about = ABOUT) =>
  candles.map((_, at) => decide(candles.slice(Math.max(0, at + 1 - needs), at + 1), about))
const changed = (candles: readonly Candle[], change: (units: number) => number): Candle[] =>
  candles.map(({ time, open, high, low, close }) => ({
    ...{ time, open: change(open), high: change(high), low: change(low), close: change(close) },
  }))

describe('every rule', () => {
  property('is pure: the same candles give the same signal and stay unchanged', 150, [validRule(), seed], (rule, n) => {
    const frozen = walkOf(n).map((candle) => Object.freeze(candle))
    Object.freeze(frozen)
    expect(decider(rule).decide(frozen, ABOUT)).toBe(decider(rule).decide(structuredClone(frozen), ABOUT))
  })

  property(
    'sees no future: signals up to a time are the same, whatever follows',
    100,
    [validRule(), seed, seed],
    (rule, one, other) => {
      const { decide, needs } = decider(rule)
      const past = walkOf(one, 230)
      const known = past.map((_, at) => decide(past.slice(0, at + 1), ABOUT))
      const series: Candle[] = []
      // The same list grows, as a chart's would.
      const growing = [...past, ...walkOf(other, 20)].map((candle, at) => {
        series.push({ ...candle, time: START + at * MINUTE_MS })
        return decide(series, ABOUT)
      })
      expect(growing.slice(0, past.length)).toEqual(known)
      expect(needs).toBeLessThanOrEqual(200)
    },
  )

  property('sees a fixed window: older candles change nothing', 150, [validRule(), seed, seed], (rule, one, other) => {
    const { decide, needs } = decider(rule)
    const newest = walkOf(one).slice(-needs)
    // Far from the newest prices, so that an indicator that saw them would remember them.
    const older = changed(walkOf(other, 90), (units) => units * 50)
    expect(decide([...older, ...newest], ABOUT)).toBe(decide(newest, ABOUT))
  })

  property('has no signal with fewer candles than it needs', 100, [validRule(), seed], (rule, n) => {
    const { decide, needs } = decider(rule)
    expect(decide(walkOf(n, needs - 1), ABOUT)).toBeUndefined()
  })

  property(
    'means the same in other units',
    100,
    [unitlessRule(), seed, fc.integer({ min: 1, max: 12 })],
    (rule, n, power) => {
      const candles = walkOf(n, 230)
      // Powers of two scale without rounding.
      const scaled = changed(candles, (units) => units * 2 ** power)
      expect(signalsOf(decider(rule), scaled)).toEqual(signalsOf(decider(rule), candles))
    },
  )

  property('buys where the rule with both sides exchanged sells', 100, [validRule(), seed], (rule, n) => {
    const candles = walkOf(n, 230)
    const exchanged = signalsOf(decider({ buy: rule.sell, sell: rule.buy }), candles)
    expect(exchanged.map((side) => side && (side === 'Buy' ? 'Sell' : 'Buy'))).toEqual(
      signalsOf(decider(rule), candles),
    )
  })
})

describe.each(RULE_INDICATORS)('$name in a rule', (indicator) => {
  test.each(indicator.outputs)('has the value of the chart: $name', ({ key, shift }) => {
    const inputs = indicator.inputs.map(({ initial }) => initial)
    const candles = walkOf(17, 400)
    const chart = valuesOf(must(indicatorOf(indicator.id)).start(inputs), candles).map((values) => values?.[key])
    const operand = { indicator: indicator.id, inputs, output: key }
    const { length } = must(windowOf(operand, 60))
    for (let at = 320; at < 400; at += 7) {
      // What a chart draws ahead was computed so many candles before.
      const expected = chart[at - Math.max(0, shift?.(inputs) ?? 0)]
      const value = valueInRule(operand, candles.slice(0, at + 1), indicator.inPrice === true)
      if (expected === undefined) expect(value).toBeUndefined()
      else if (!indicator.remembers) expect(value).toBeCloseTo(expected, 8)
      // It has forgotten where it began, to a hundredth of its range.
      else expect(Math.abs(must(value) - expected), `${length} candles`).toBeLessThan(rangeOf(chart) / 50)
    }
  })
})

/** Finds an operand's value by comparing it with numbers, as a rule does. */
function valueInRule(operand: IndicatorOperand, candles: readonly Candle[], inPrice: boolean) {
  const holds = (is: 'above' | 'below', number: number) => {
    const conditions = [{ left: operand, is, right: { number: number.toFixed(10) } }]
    const body: RuleBody = { buy: { join: 'all', conditions }, sell: { join: 'all', conditions: [] } }
    return decider(body).decide(candles, { ...ABOUT, scale: 0 }) === 'Buy'
  }
  const most = inPrice ? 1e8 : 1e4
  if (!holds('above', -most)) return undefined
  let [low, high] = [-most, most]
  for (let step = 0; step < 70; step++) {
    const middle = (low + high) / 2
    if (holds('above', middle)) low = middle
    else high = middle
  }
  return high
}

const rangeOf = (values: readonly (number | undefined)[]): number => {
  const known = values.filter((value) => value !== undefined)
  return Math.max(...known) - Math.min(...known)
}

const rule = (buy: Condition[], sell: Condition[] = [], join: 'all' | 'any' = 'all'): RuleBody => ({
  buy: { join, conditions: buy },
  sell: { join, conditions: sell },
})
const closing = (...closes: number[]): Candle[] =>
  closes.map((close, at) => {
    const open = closes[Math.max(0, at - 1)] ?? close
    return { time: START + at * MINUTE_MS, open, high: Math.max(open, close), low: Math.min(open, close), close }
  })

describe('conditions', () => {
  test('compare with a number in the unit of the price, not of its scale', () => {
    const above: Condition = { left: { price: 'close' }, is: 'above', right: { number: '70000.5' } }
    const { decide } = decider(rule([above]))
    expect(decide(closing(7_000_050), ABOUT)).toBeUndefined()
    expect(decide(closing(7_000_051), ABOUT)).toBe('Buy')
    expect(decide(closing(70_000_501), { ...ABOUT, scale: 3 })).toBe('Buy')
  })

  test('cross at one candle only, also from a touch', () => {
    const crossing: Condition = { left: { price: 'close' }, crosses: 'above', right: { number: '10' } }
    const { decide, needs } = decider(rule([crossing]))
    const signals = (...closes: number[]) => decide(closing(...closes), { ...ABOUT, scale: 0 })
    expect(needs).toBe(2)
    expect(signals(9, 11)).toBe('Buy')
    expect(signals(10, 11)).toBe('Buy')
    expect(signals(11, 12)).toBeUndefined()
    expect(signals(9, 10)).toBeUndefined()
  })

  test('look so many candles back', () => {
    const lower: Condition = { left: { price: 'close', before: 2 }, is: 'below', right: { price: 'close' } }
    const { decide, needs } = decider(rule([lower]))
    expect(needs).toBe(3)
    expect(decide(closing(5, 1, 6), ABOUT)).toBe('Buy')
    expect(decide(closing(7, 1, 6), ABOUT)).toBeUndefined()
  })

  test('give no signal while Buy and Sell hold at once', () => {
    const always: Condition = { left: { price: 'close' }, is: 'above', right: { number: '0' } }
    expect(decider(rule([always], [always])).decide(closing(5), ABOUT)).toBeUndefined()
    expect(decider(rule([], [always])).decide(closing(5), ABOUT)).toBe('Sell')
  })

  test('join by all or by any', () => {
    const [yes, no] = ['1', '9'].map(
      (number): Condition => ({ left: { price: 'close' }, is: 'above', right: { number } }),
    ) as [Condition, Condition]
    const decide = (join: 'all' | 'any') =>
      decider(rule([yes, no], [], join)).decide(closing(5), { ...ABOUT, scale: 0 })
    expect(decide('all')).toBeUndefined()
    expect(decide('any')).toBe('Buy')
  })

  test.each([
    // The candle's close counts: 08:00 in Berlin is 07:00 UTC in winter.
    ['08:00', '20:00', [1], '2026-01-05T06:59:00Z', 'Buy'],
    ['08:00', '20:00', [1], '2026-01-05T06:58:00Z', undefined],
    ['08:00', '20:00', [1], '2026-01-05T18:59:00Z', undefined],
    ['08:00', '20:00', [2], '2026-01-05T08:00:00Z', undefined],
    // In summer it is 06:00 UTC.
    ['08:00', '20:00', [1], '2026-07-06T05:59:00Z', 'Buy'],
    // Over midnight, the day on which it begins counts.
    ['22:00', '06:00', [1], '2026-01-06T03:00:00Z', 'Buy'],
    ['22:00', '06:00', [2], '2026-01-06T03:00:00Z', undefined],
    ['22:00', '06:00', [1], '2026-01-05T21:30:00Z', 'Buy'],
    ['00:00', '00:00', [1], '2026-01-05T12:00:00Z', 'Buy'],
    ['00:00', '00:00', [2], '2026-01-05T12:00:00Z', undefined],
  ] as const)('from %s to %s on %j: the candle of %s gives %s', (from, to, days, time, side) => {
    const [candle] = closing(5)
    const body = rule([{ from, to, days: [...days] }])
    expect(decider(body).decide([{ ...must(candle), time: Date.parse(time) }], ABOUT)).toBe(side)
  })
})

test('no rule looks at more candles than the tape keeps', () => {
  expect([60, 180, 300, 900, 1800, 3600].map(mostCandles)).toEqual([200, 200, 200, 92, 46, 23])
})
