import fc from 'fast-check'
import { ruleProblems } from '#contract/rules/problems.ts'
import {
  BEFORE_MAX,
  type Condition,
  type IndicatorOperand,
  type Operand,
  RULE_INDICATORS,
  RULE_PRICES,
  type RuleBody,
  type Side,
} from '#contract/trading/own-strategies.ts'
import type { Indicator } from '#kernel/indicators/list.ts'

const before = fc.option(fc.integer({ min: 1, max: BEFORE_MAX }), { nil: undefined, freq: 3 })

const withBefore = <O extends object>(operand: O, earlier: number | undefined): O =>
  earlier === undefined ? operand : { ...operand, before: earlier }

const number = (min: number, max: number) =>
  fc.record({ number: fc.integer({ min: min * 10, max: max * 10 }).map((tenths) => String(tenths / 10)) })

/** Inputs near the usual ones, and short enough for a rule. */
const inputsOf = ({ inputs }: Indicator): fc.Arbitrary<number[]> =>
  fc.tuple(
    ...inputs.map(({ initial, min, step }) =>
      step === 1
        ? fc.oneof(fc.constant(initial), fc.integer({ min: Math.max(min, 2), max: 30 }))
        : fc.constantFrom(initial, initial / 2),
    ),
  )

/** An indicator that a rule can use, with one of its lines. */
export const indicatorOperand = (one: Indicator): fc.Arbitrary<IndicatorOperand> =>
  fc
    .tuple(inputsOf(one), fc.constantFrom(...one.outputs.map(({ key }) => key)), before)
    .map(([inputs, output, earlier]) => withBefore({ indicator: one.id, inputs, output }, earlier))

const priced: fc.Arbitrary<Operand> = fc.oneof(
  fc.tuple(fc.constantFrom(...RULE_PRICES), before).map(([price, earlier]) => withBefore({ price }, earlier)),
  ...RULE_INDICATORS.filter(({ inPrice }) => inPrice).map(indicatorOperand),
)
const plain: fc.Arbitrary<Operand> = fc.oneof(
  ...RULE_INDICATORS.filter(({ inPrice }) => !inPrice).map(indicatorOperand),
)

const clock = fc
  .integer({ min: 0, max: 95 })
  .map(
    (quarter) => `${String(Math.floor(quarter / 4)).padStart(2, '0')}:${String((quarter % 4) * 15).padStart(2, '0')}`,
  )

const pair: fc.Arbitrary<[Operand, Operand]> = fc.oneof(
  fc.tuple(priced, priced),
  fc.tuple(plain, fc.oneof(plain, number(-150, 150))),
)
/** With numbers in the unit of prices too. */
const pricedPair: fc.Arbitrary<[Operand, Operand]> = fc.tuple(priced, number(61_000, 63_000))

const direction = fc.constantFrom('above' as const, 'below' as const)

const conditionOf = (pairs: fc.Arbitrary<[Operand, Operand]>): fc.Arbitrary<Condition> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(pairs, direction).map(([[left, right], is]) => ({ left, is, right })) },
    { weight: 3, arbitrary: fc.tuple(pairs, direction).map(([[left, right], crosses]) => ({ left, crosses, right })) },
    {
      weight: 1,
      arbitrary: fc.record({
        from: clock,
        to: clock,
        days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 7 }),
      }),
    },
  )

const sideOf = (condition: fc.Arbitrary<Condition>): fc.Arbitrary<Side> =>
  fc.record({
    join: fc.constantFrom('all' as const, 'any' as const),
    conditions: fc.array(condition, { minLength: 0, maxLength: 4, size: 'max' }),
  })

const rulesOf = (condition: fc.Arbitrary<Condition>, durationSeconds: number): fc.Arbitrary<RuleBody> =>
  fc
    .record({ buy: sideOf(condition), sell: sideOf(condition) })
    .filter((rule) => ruleProblems(rule, durationSeconds).length === 0)

/** Valid rules that name no price as a number, so that they mean the same in every unit. */
export const unitlessRule = (durationSeconds = 60): fc.Arbitrary<RuleBody> =>
  rulesOf(conditionOf(pair), durationSeconds)

/** Any valid rule. */
export const validRule = (durationSeconds = 60): fc.Arbitrary<RuleBody> =>
  rulesOf(conditionOf(fc.oneof({ weight: 3, arbitrary: pair }, { weight: 1, arbitrary: pricedPair })), durationSeconds)
