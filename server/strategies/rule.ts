import { neededByRule, operandsOf, windowOf } from '#contract/rules/windows.ts'
import type { TradeSide } from '#contract/terms.ts'
import type { Condition, Operand, RuleBody, Side, Times } from '#contract/trading/own-strategies.ts'
import { indicatorOf, type Values } from '#kernel/indicators/list.ts'
import type { Series } from '#kernel/indicators/series.ts'
import { must } from '#kernel/must.ts'
import { MINUTE_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import { weekdayOf, zoneOffset } from '#kernel/zone.ts'
import type { Candle, Strategy } from './strategy.ts'

/** A trader's rule, checked by `ruleProblems`. */
export interface Rule {
  body: RuleBody
  /** Length of its candles. */
  durationSeconds: number
  /** The zone of its times, as in IANA's database. */
  zone: string
}

export type Decider = Pick<Strategy, 'needs' | 'decide'>

/** Decides one side at the newest candle; `scale` is that of the symbol's prices. */
type Check = (candles: readonly Candle[], scale: number) => boolean
/** A value so many candles before the newest one; undefined if there is none. */
type Read = (candles: readonly Candle[], scale: number, earlier: number) => number | undefined

/**
 * Makes a strategy of a trader's rule. It looks at exactly `needs` candles, each indicator at a window that no other
 * condition changes. While Buy and Sell hold at once there is no signal.
 */
export function strategyOfRule({ body, durationSeconds, zone }: Rule): Decider {
  const buys = checkOf(body.buy, durationSeconds, zone)
  const sells = checkOf(body.sell, durationSeconds, zone)
  const needs = neededByRule(body, durationSeconds)
  return {
    needs,
    // Everything is counted from the newest candle, so older ones than `needs` need not be cut off.
    decide(candles, { scale }): TradeSide | undefined {
      if (candles.length < needs) return undefined
      const isBuy = buys(candles, scale)
      const isSell = sells(candles, scale)
      return isBuy === isSell ? undefined : isBuy ? 'Buy' : 'Sell'
    },
  }
}

function checkOf({ join, conditions }: Side, durationSeconds: number, zone: string): Check {
  // What costs least decides first.
  const checks = conditions
    .map((condition) => ({
      check: conditionOf(condition, durationSeconds, zone),
      costs: costOf(condition, durationSeconds),
    }))
    .sort((a, b) => a.costs - b.costs)
    .map(({ check }) => check)
  if (checks.length === 0) return () => false
  return join === 'all'
    ? (candles, scale) => checks.every((check) => check(candles, scale))
    : (candles, scale) => checks.some((check) => check(candles, scale))
}

/** Returns how many candles a condition computes indicators from. */
function costOf(condition: Condition, durationSeconds: number): number {
  const operands = operandsOf(condition).filter((operand) => 'indicator' in operand)
  const candles = operands.reduce((sum, operand) => sum + must(windowOf(operand, durationSeconds)).length, 0)
  return 'crosses' in condition ? 2 * candles : candles
}

function conditionOf(condition: Condition, durationSeconds: number, zone: string): Check {
  if ('days' in condition) return timesOf(condition, durationSeconds * SECOND_MS, zone)
  const { left, right } = condition
  const isPriced = isInPrice(left) || isInPrice(right)
  const [one, other] = [readOf(left, durationSeconds, isPriced), readOf(right, durationSeconds, isPriced)]
  const isAbove = (candles: readonly Candle[], scale: number, earlier: number): number | undefined => {
    const a = one(candles, scale, earlier)
    const b = a === undefined ? undefined : other(candles, scale, earlier)
    return a === undefined || b === undefined ? undefined : Math.sign(a - b)
  }
  const wanted = ('crosses' in condition ? condition.crosses : condition.is) === 'above' ? 1 : -1
  if ('is' in condition) return (candles, scale) => isAbove(candles, scale, 0) === wanted
  // As the chart's alerts: from the other side, or from where both are equal.
  return (candles, scale) => {
    if (isAbove(candles, scale, 0) !== wanted) return false
    const before = isAbove(candles, scale, 1)
    return before !== undefined && before !== wanted
  }
}

function isInPrice(operand: Operand): boolean {
  if ('number' in operand) return false
  return 'price' in operand || indicatorOf(operand.indicator)?.inPrice === true
}

function readOf(operand: Operand, durationSeconds: number, isPriced: boolean): Read {
  if ('number' in operand) {
    const plain = Number(operand.number)
    // Prices are integers at the symbol's scale.
    return isPriced ? (_, scale) => Number(`${operand.number}e${scale}`) : () => plain
  }
  const window = must(windowOf(operand, durationSeconds))
  if ('price' in operand) {
    const { price } = operand
    return (candles, _, earlier) => candles[candles.length - 1 - window.back - earlier]?.[price]
  }
  const { indicator, inputs, output } = operand
  const known = must(indicatorOf(indicator))
  const name = `${indicator} ${inputs.join(' ')} ${window.length} `
  return (candles, _, earlier) => {
    const back = window.back + earlier
    const key = name + back
    const { values } = computedFrom(candles)
    let found = values.get(key)
    if (found === undefined && !values.has(key)) {
      found = valuesAt(known.start(inputs), candles, candles.length - back, window.length)
      values.set(key, found)
    }
    return found?.[output]
  }
}

/** Returns the values of an indicator that sees only the `length` candles before `end`. */
function valuesAt(
  series: Series<Candle, Values>,
  candles: readonly Candle[],
  end: number,
  length: number,
): Values | undefined {
  let newest: Values | undefined
  for (let at = Math.max(0, end - length); at < end; at++) newest = series(must(candles[at]))
  return newest
}

/** What was computed from a list of candles, and from which: callers may add to a list, and decide again. */
interface Computed {
  newest: Candle | undefined
  length: number
  values: Map<string, Values | undefined>
}

/** The rules that decide by the same list of candles share what they compute. */
const computed = new WeakMap<readonly Candle[], Computed>()

function computedFrom(candles: readonly Candle[]): Computed {
  const newest = candles.at(-1)
  let known = computed.get(candles)
  if (!known || known.newest !== newest || known.length !== candles.length) {
    known = { newest, length: candles.length, values: new Map() }
    computed.set(candles, known)
  }
  return known
}

/** Clocks are changed at full quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS

function timesOf({ from, to, days }: Times, durationMs: Ms, zone: string): Check {
  const [begins, ends] = [minutesOf(from), minutesOf(to)]
  let known = { quarter: Number.NaN, offset: 0 }
  return (candles) => {
    const close = must(candles.at(-1)).time + durationMs
    const quarter = Math.floor(close / QUARTER_MS)
    if (quarter !== known.quarter) known = { quarter, offset: zoneOffset(zone, close) }
    const local = close + known.offset
    const minute = Math.floor(local / MINUTE_MS) % (24 * 60)
    // From Monday as 0 to Sunday as 0.
    const today = (weekdayOf(local) + 1) % 7
    if (begins < ends) return days.includes(today) && minute >= begins && minute < ends
    if (minute >= begins) return days.includes(today)
    return minute < ends && days.includes((today + 6) % 7)
  }
}

function minutesOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number)
  return hours * 60 + minutes
}
