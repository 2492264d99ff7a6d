import { indicatorOf, takesInputs } from '#kernel/indicators/list.ts'
import type { FieldError } from '../problem.ts'
import {
  CONDITIONS_MAX,
  type Condition,
  type IndicatorOperand,
  type Operand,
  RULE_SIDES,
  type RuleBody,
} from '../trading/own-strategies.ts'
import { conditionWords, lengthWords, operandWords } from './sentence.ts'
import { mostCandles, neededBy } from './windows.ts'

/**
 * Returns what is wrong with a rule on candles of a length, as full sentences; empty if it can be used. A field is the path
 * below the rule: `buy.conditions.0.left`.
 */
export function ruleProblems(rule: RuleBody, durationSeconds: number): FieldError[] {
  const all = RULE_SIDES.flatMap((side) => rule[side].conditions)
  if (all.length === 0) return [{ field: 'buy', message: 'Add a condition for Buy or for Sell.' }]
  if (all.length > CONDITIONS_MAX)
    return [
      { field: 'sell', message: `A rule has at most ${CONDITIONS_MAX} conditions, Buy and Sell together. Remove one.` },
    ]
  return RULE_SIDES.flatMap((side) =>
    rule[side].conditions.flatMap((condition, at) =>
      conditionProblems(condition, durationSeconds).map(({ field, message }) => ({
        field: `${side}.conditions.${at}.${field}`,
        message,
      })),
    ),
  )
}

function conditionProblems(condition: Condition, durationSeconds: number): FieldError[] {
  if ('days' in condition)
    return new Set(condition.days).size === condition.days.length
      ? []
      : [{ field: 'days', message: 'Name each day once.' }]
  const inOperands = (['left', 'right'] as const).flatMap((field) => {
    const message = operandProblem(condition, condition[field], durationSeconds)
    return message === undefined ? [] : [{ field, message }]
  })
  if (inOperands.length > 0) return inOperands
  const message = pairProblem(condition)
  return message === undefined ? [] : [{ field: 'right', message }]
}

function operandProblem(condition: Condition, operand: Operand, durationSeconds: number): string | undefined {
  if ('indicator' in operand) {
    const message = inputsProblem(operand)
    if (message !== undefined) return message
  }
  const [needs, most] = [neededBy(condition, operand, durationSeconds), mostCandles(durationSeconds)]
  if (needs !== undefined && needs <= most) return undefined
  const count = needs === undefined ? `more than ${most}` : String(needs)
  const say = 'indicator' in operand ? 'smaller parameters, ' : ''
  return (
    `${capital(operandWords(operand))} needs ${count} candles${'crosses' in condition ? ' to cross' : ''}, and a rule on ` +
    `${lengthWords(durationSeconds)} candles can look at ${most}. Choose ${say}fewer candles back or a shorter duration.`
  )
}

function inputsProblem({ indicator, inputs, output }: IndicatorOperand): string | undefined {
  const known = indicatorOf(indicator)
  if (!known?.outputs.some(({ key }) => key === output)) return 'Choose one of the lines of this indicator.'
  if (takesInputs(known, inputs)) return undefined
  for (const [at, { name, min, max, step }] of known.inputs.entries()) {
    const value = inputs[at]
    const isRight = value !== undefined && value >= min && value <= max && (step !== 1 || Number.isInteger(value))
    if (!isRight) return `${known.short}: ${name} must be ${step === 1 ? 'a whole number ' : ''}from ${min} to ${max}.`
  }
  if (inputs.length > known.inputs.length) return `${known.short} takes ${known.inputs.length} parameters.`
  return `${known.short}: ${known.inputs[0]?.name} must be less than ${known.inputs[1]?.name}.`
}

/** Whether an operand's value is in the unit of prices; a number takes the unit of what it's compared with. */
function isInPrice(operand: Operand): boolean | undefined {
  if ('number' in operand) return undefined
  return 'price' in operand || indicatorOf(operand.indicator)?.inPrice === true
}

function pairProblem(condition: Extract<Condition, { left: Operand }>): string | undefined {
  const { left, right } = condition
  const units = [isInPrice(left), isInPrice(right)]
  if (units.every((unit) => unit === undefined)) return 'Both are numbers. Compare a price or an indicator with one.'
  if (units.includes(true) && units.includes(false)) {
    const [price, other] = units[0] ? [left, right] : [right, left]
    return `${capital(operandWords(other))} isn't in the unit of prices, so it can't be compared with ${operandWords(price)}. Compare it with a number.`
  }
  // The same on both sides never crosses, and is never above itself.
  return operandWords(left) === operandWords(right)
    ? `${capital(conditionWords(condition, 'UTC'))} is never true. Choose another value on one side.`
    : undefined
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
