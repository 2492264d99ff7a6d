import { type Indicator, indicatorOf } from '#kernel/indicators/list.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import type { Condition, IndicatorOperand, Operand, RuleBody } from '../trading/own-strategies.ts'

/** The most candles that a rule can look at. */
const CANDLES_MAX = 200
/** The tape keeps so many whole hours of candles in memory. */
const TAPE_SECONDS = 23 * 3_600

/** Returns how many candles of a length a rule can look at. */
export const mostCandles = (durationSeconds: number): number =>
  Math.min(CANDLES_MAX, Math.floor(TAPE_SECONDS / durationSeconds))

/** Candles that move, so that each line which depends on the number of candles only has a value once it can. */
const SAMPLE = Array.from({ length: CANDLES_MAX + 1 }, (_, at) => {
  const middle = 1_000 + 40 * Math.sin(at / 3) + at
  const [open, close] = [middle - 3, middle + 3]
  return { time: at * MINUTE_MS, open, close, high: middle + 5, low: middle - 5 }
})

/** Returns how many candles an indicator's line needs before its first value; undefined if more than a rule can have. */
export function warmUpOf(indicator: Indicator, inputs: readonly number[], output: string): number | undefined {
  const line = indicator.outputs.find(({ key }) => key === output)
  const series = indicator.start(inputs)
  for (const [at, candle] of SAMPLE.entries()) {
    const values = series(candle)
    if (values && (line?.sometimes || values[output] !== undefined)) return at + 1
  }
  return undefined
}

/** Which candles an operand is computed from. */
interface Window {
  /** How many. */
  length: number
  /** How many candles before the newest one the last of them is. */
  back: number
}

/** How many times its warm-up an indicator that remembers begins earlier, if there are as many candles; at least so many. */
const SETTLES = { times: 4, least: 60 }

/**
 * Returns the window of an operand; undefined if it needs more candles than there are. It depends on nothing else in the
 * rule. An indicator that remembers gets more candles than it needs, so that it's close to the chart's, which has them all.
 */
export function windowOf(operand: Operand, durationSeconds: number): Window | undefined {
  if ('number' in operand) return { length: 0, back: 0 }
  const before = operand.before ?? 0
  if ('price' in operand) return { length: 1, back: before }
  const indicator = indicatorOf(operand.indicator)
  const line = indicator?.outputs.find(({ key }) => key === operand.output)
  const warmUp = indicator && warmUpOf(indicator, operand.inputs, operand.output)
  if (!indicator || !line || warmUp === undefined) return undefined
  const back = before + aheadOf(operand)
  // A crossing looks one candle further back: its two values come from windows of the same length.
  const room = mostCandles(durationSeconds) - back - 1
  const settled = Math.max(SETTLES.least, warmUp * SETTLES.times)
  return { length: indicator.remembers ? Math.max(warmUp, Math.min(settled, room)) : warmUp, back }
}

/** Candles that a chart draws the line ahead: its value at a candle was computed so many candles earlier. */
function aheadOf({ indicator, inputs, output }: IndicatorOperand): number {
  const line = indicatorOf(indicator)?.outputs.find(({ key }) => key === output)
  return Math.max(0, line?.shift?.(inputs) ?? 0)
}

/** Returns the operands of a condition. */
export const operandsOf = (condition: Condition): readonly Operand[] =>
  'left' in condition ? [condition.left, condition.right] : []

/** Returns how many candles an operand of a condition needs; undefined if more than a rule can have. */
export function neededBy(condition: Condition, operand: Operand, durationSeconds: number): number | undefined {
  const window = windowOf(operand, durationSeconds)
  return window && window.length + window.back + ('crosses' in condition ? 1 : 0)
}

/** Returns how many candles a valid rule looks at. */
export function neededByRule({ buy, sell }: RuleBody, durationSeconds: number): number {
  const needs = [...buy.conditions, ...sell.conditions].flatMap((condition) =>
    operandsOf(condition).map((operand) => neededBy(condition, operand, durationSeconds) ?? CANDLES_MAX),
  )
  return Math.max(1, ...needs)
}
