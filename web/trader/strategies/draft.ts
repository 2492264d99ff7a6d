import { ruleProblems } from '#contract/rules/problems.ts'
import {
  type Condition,
  isRuleNumber,
  type Operand,
  OWN_STRATEGIES,
  type OwnStrategy,
  type OwnStrategyBody,
  RULE_INDICATORS,
  RULE_PRICES,
  RULE_SIDES,
  type RuleBody,
  type RuleSide,
  type Side,
} from '#contract/trading/own-strategies.ts'
import { type Indicator, indicatorOf } from '#kernel/indicators/list.ts'
import { ungrouped } from '#web/ui/index.ts'

/** One side of a comparison, as it's typed. */
export interface OperandDraft {
  /** `number`, a price, or an indicator's id. */
  what: string
  number: string
  inputs: readonly string[]
  output: string
  before: number
}

export const VERBS = ['is above', 'is below', 'crosses above', 'crosses below'] as const
export type Verb = (typeof VERBS)[number]

export interface LookDraft {
  /** Stays the same while conditions before it come and go. */
  key: number
  left: OperandDraft
  verb: Verb
  right: OperandDraft
}

export interface TimesDraft {
  key: number
  from: string
  to: string
  days: readonly number[]
}

export type ConditionDraft = LookDraft | TimesDraft
interface SideDraft {
  join: Side['join']
  conditions: readonly ConditionDraft[]
}

/** The form of a strategy, as it's typed. */
export interface Draft {
  name: string
  duration: number
  symbols: readonly string[]
  zone: string
  buy: SideDraft
  sell: SideDraft
}

let lastKey = 0
const newKey = () => ++lastKey

const isPrice = (what: string): what is (typeof RULE_PRICES)[number] =>
  (RULE_PRICES as readonly string[]).includes(what)

/** Returns an operand as it's offered first: an indicator with its usual parameters and its first line. */
export function freshOperand(what: string, number = ''): OperandDraft {
  const known = indicatorOf(what)
  return {
    what,
    number,
    inputs: known?.inputs.map(({ initial }) => String(initial)) ?? [],
    output: known?.outputs[0]?.key ?? '',
    before: 0,
  }
}

/** Whether both can be compared: an indicator that isn't in the unit of prices can't be with a price. */
const isInPrice = (what: string): boolean => isPrice(what) || indicatorOf(what)?.inPrice === true

/** Returns a condition whose left side was changed; the right side fits it. */
export function withLeft(look: LookDraft, left: OperandDraft): LookDraft {
  if (left.what === look.left.what) return { ...look, left }
  const fits = look.right.what === 'number' || isInPrice(look.right.what) === isInPrice(left.what)
  const guide = indicatorOf(left.what)?.guides?.[0]
  const right = fits && look.right.what !== 'number' ? look.right : freshOperand('number', guide?.toString() ?? '')
  return { ...look, left, right }
}

export const freshLook = (): LookDraft => ({
  key: newKey(),
  left: freshOperand('rsi'),
  verb: 'crosses above',
  right: freshOperand('number', '30'),
})

export const freshTimes = (): TimesDraft => ({ key: newKey(), from: '08:00', to: '20:00', days: [1, 2, 3, 4, 5] })

function operandDraft(operand: Operand): OperandDraft {
  if ('number' in operand) return freshOperand('number', operand.number)
  const before = operand.before ?? 0
  if ('price' in operand) return { ...freshOperand(operand.price), before }
  const { indicator, inputs, output } = operand
  return { what: indicator, number: '', inputs: inputs.map(String), output, before }
}

function conditionDraft(condition: Condition): ConditionDraft {
  if ('days' in condition) return { key: newKey(), ...condition }
  const verb: Verb = 'crosses' in condition ? `crosses ${condition.crosses}` : `is ${condition.is}`
  return { key: newKey(), left: operandDraft(condition.left), verb, right: operandDraft(condition.right) }
}

const sideDraft = ({ join, conditions }: Side): SideDraft => ({ join, conditions: conditions.map(conditionDraft) })

/** What a form begins with. */
export interface Start extends Pick<OwnStrategy, 'name' | 'duration' | 'symbols' | 'zone'> {
  rule: RuleBody
}

export const draftOf = ({ name, duration, symbols, zone, rule }: Start): Draft => ({
  ...{ name, duration, symbols, zone },
  buy: sideDraft(rule.buy),
  sell: sideDraft(rule.sell),
})

function operandOf({ what, number, inputs, output, before }: OperandDraft): Operand {
  if (what === 'number') return { number: ungrouped(number) }
  const earlier = before === 0 ? {} : { before }
  if (isPrice(what)) return { price: what, ...earlier }
  return { indicator: what, inputs: inputs.map((text) => Number(text.trim() || Number.NaN)), output, ...earlier }
}

function conditionOf(draft: ConditionDraft): Condition {
  if ('days' in draft) return { from: draft.from, to: draft.to, days: [...draft.days] }
  const [verb, direction] = draft.verb.split(' ') as ['is' | 'crosses', 'above' | 'below']
  const [left, right] = [operandOf(draft.left), operandOf(draft.right)]
  return verb === 'is' ? { left, is: direction, right } : { left, crosses: direction, right }
}

export const conditionIn = conditionOf

const sideOf = ({ join, conditions }: SideDraft): Side => ({ join, conditions: conditions.map(conditionOf) })

export const ruleOf = ({ buy, sell }: Draft): RuleBody => ({ buy: sideOf(buy), sell: sideOf(sell) })

export const bodyOf = (draft: Draft): OwnStrategyBody => ({
  name: draft.name,
  rule: ruleOf(draft),
  duration: draft.duration,
  symbols: [...draft.symbols],
  zone: draft.zone,
})

/** Messages by field: `symbols`, `buy.conditions.0.left`. */
export type Errors = Readonly<Record<string, string>>

/** Returns what is wrong with the rule of a form. `isTried`: also what hasn't been filled in yet. */
export function rulesErrors(draft: Draft, isTried: boolean): Errors {
  const open = RULE_SIDES.flatMap((side) => openNumbers(side, draft[side]))
  if (open.length > 0) return isTried ? Object.fromEntries(open) : {}
  const problems = ruleProblems(ruleOf(draft), draft.duration)
  const isEmpty = draft.buy.conditions.length + draft.sell.conditions.length === 0
  const errors: Record<string, string> = {}
  if (!isEmpty || isTried) for (const { field, message } of problems) errors[field] ??= message
  if (draft.symbols.length === 0 && isTried) errors.symbols = 'Choose at least one symbol.'
  return errors
}

/** The name is asked for only when the strategy is saved. */
export const nameErrors = ({ name }: Pick<Draft, 'name'>): Errors =>
  !/\p{L}/u.test(name)
    ? { name: 'Enter a name, not only digits and signs.' }
    : name.trim().length > OWN_STRATEGIES.name
      ? { name: `The name has at most ${OWN_STRATEGIES.name} characters.` }
      : {}

function openNumbers(side: RuleSide, { conditions }: SideDraft): [string, string][] {
  return conditions.flatMap((condition, at) => {
    if ('days' in condition)
      return condition.from === '' || condition.to === ''
        ? [[`${side}.conditions.${at}.from`, 'Enter both times, such as 08:00.'] as [string, string]]
        : []
    return (['left', 'right'] as const).flatMap((part) => {
      const { what, number } = condition[part]
      const isOpen = what === 'number' && !isRuleNumber(ungrouped(number))
      return isOpen
        ? [[`${side}.conditions.${at}.${part}`, 'Enter a number, such as 30 or 70,000.5.'] as [string, string]]
        : []
    })
  })
}

/** The indicators by name, for a list of choices. */
export const INDICATORS_BY_NAME: readonly Indicator[] = RULE_INDICATORS.toSorted((a, b) => a.name.localeCompare(b.name))
