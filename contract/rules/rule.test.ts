import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validRule } from '#tests/support/prices/rules.ts'
import { property } from '#tests/support/property.ts'
import { type Condition, OwnStrategyBody, RULE_INDICATORS, RuleBody } from '../trading/own-strategies.ts'
import { ruleProblems } from './problems.ts'
import { ruleSentence } from './sentence.ts'
import { mostCandles, neededByRule, warmUpOf } from './windows.ts'

const SCOPE = { duration: 300, symbols: ['BTCUSDT', 'ETHUSDT'], zone: 'Europe/Berlin' }
const RSI = { indicator: 'rsi', inputs: [14], output: 'value' }
const EMA = { indicator: 'ema', inputs: [50], output: 'value' }
const close = { price: 'close' } as const

const rule = (buy: Condition[], sell: Condition[] = [], join: 'all' | 'any' = 'all'): RuleBody => ({
  buy: { join, conditions: buy },
  sell: { join, conditions: sell },
})

describe('the sentence of a rule', () => {
  property(
    'exists for every rule, and differs where a condition differs',
    200,
    [validRule(300), validRule(300)],
    (one, other) => {
      const [said, saidOther] = [one, other].map((body) => ruleSentence(RuleBody.parse(body), SCOPE))
      expect(said).toMatch(/^(Buys|Sells) .+, on 5-minute candles of BTCUSDT and ETHUSDT\./)
      expect(said).not.toMatch(/undefined|NaN|\[object|,,| {2}/)
      expect(said === saidOther).toBe(JSON.stringify(plain(one)) === JSON.stringify(plain(other)))
    },
  )

  test('reads it back', () => {
    const body = rule(
      [
        { left: RSI, crosses: 'above', right: { number: '30' } },
        { left: close, is: 'above', right: EMA },
      ],
      [
        { left: { ...RSI, before: 1 }, is: 'above', right: { number: '70.5' } },
        { from: '08:00', to: '20:00', days: [1, 2, 3, 4, 5] },
      ],
    )
    expect(ruleSentence(body, SCOPE)).toBe(
      'Buys when RSI(14) crosses above 30 and the close is above EMA(50), on 5-minute candles of BTCUSDT and ETHUSDT. ' +
        'Sells when RSI(14) 1 candle earlier is above 70.5, Monday to Friday from 08:00 to 20:00 (Europe/Berlin).',
    )
  })

  test('names lines of indicators, and groups the digits of prices', () => {
    const signal = { indicator: 'macd', inputs: [12, 26, 9], output: 'signal', before: 3 }
    const body = rule(
      [],
      [
        { left: { indicator: 'macd', inputs: [12, 26, 9], output: 'line' }, crosses: 'below', right: signal },
        { left: close, is: 'below', right: { number: '70000.25' } },
      ],
      'any',
    )
    expect(ruleSentence(body, { ...SCOPE, duration: 3600, symbols: ['BTCUSDT'] })).toBe(
      'Sells when MACD(12, 26, 9) MACD crosses below MACD(12, 26, 9) Signal 3 candles earlier or the close is below 70,000.25, on 1-hour candles of BTCUSDT.',
    )
  })

  test.each([
    [[0, 1, 2, 3, 4, 5, 6], '00:00', '00:00', 'every day all day'],
    [[6, 0], '08:00', '00:00', 'Saturday and Sunday from 08:00 to 24:00'],
    [[1, 2, 3, 6], '22:00', '06:00', 'Monday to Wednesday and Saturday from 22:00 to 06:00 the next day'],
    [[1, 3], '00:00', '12:00', 'Monday and Wednesday from 00:00 to 12:00'],
  ])('says when: %j from %s to %s', (days, from, to, says) => {
    expect(ruleSentence(rule([{ from, to, days }]), SCOPE)).toBe(
      `Buys at every close, ${says} (Europe/Berlin), on 5-minute candles of BTCUSDT and ETHUSDT.`,
    )
    expect(ruleSentence(rule([{ from, to, days }], [], 'any'), SCOPE)).toContain(
      `Buys when it's ${says} (Europe/Berlin),`,
    )
  })
})

/** What the sentence can't tell apart: how a single condition is joined, the order of times, `before: 0`. */
function plain({ buy, sell }: RuleBody) {
  const side = ({ join, conditions }: RuleBody['buy']) => {
    const sorted = conditions.map((one) => ('days' in one ? { ...one, days: one.days.toSorted() } : one))
    const ordered = join === 'any' ? sorted : sorted.toSorted((a, b) => Number('days' in a) - Number('days' in b))
    return { join: conditions.length < 2 && !('days' in (conditions[0] ?? {})) ? 'all' : join, ordered }
  }
  return [side(buy), side(sell)]
}

describe('what is wrong with a rule', () => {
  const number = (text: string) => ({ number: text })
  test.each<[string, RuleBody, number, string, string]>([
    ['no condition', rule([]), 60, 'buy', 'Add a condition for Buy or for Sell.'],
    [
      'nine conditions',
      rule(
        Array.from({ length: 5 }, (): Condition => ({ left: close, is: 'above', right: number('1') })),
        Array.from({ length: 4 }, (): Condition => ({ left: close, is: 'above', right: number('1') })),
      ),
      60,
      'sell',
      'A rule has at most 8 conditions, Buy and Sell together. Remove one.',
    ],
    [
      'too many candles of an hour',
      rule([{ left: close, crosses: 'above', right: EMA }]),
      3_600,
      'buy.conditions.0.right',
      'EMA(50) needs 51 candles to cross, and a rule on 1-hour candles can look at 23. Choose smaller parameters, fewer candles back or a shorter duration.',
    ],
    [
      'far too many candles',
      rule([{ left: { ...EMA, inputs: [500] }, is: 'above', right: close }]),
      60,
      'buy.conditions.0.left',
      'EMA(500) needs more than 200 candles, and a rule on 1-minute candles can look at 200. Choose smaller parameters, fewer candles back or a shorter duration.',
    ],
    [
      'a parameter that is no whole number',
      rule([{ left: { ...RSI, inputs: [1.5] }, is: 'above', right: number('1') }]),
      60,
      'buy.conditions.0.left',
      'RSI: Length must be a whole number from 1 to 500.',
    ],
    [
      'parameters that do not fit together',
      rule([], [{ left: { indicator: 'macd', inputs: [26, 12, 9], output: 'line' }, is: 'above', right: number('1') }]),
      60,
      'sell.conditions.0.left',
      'MACD: Fast must be less than Slow.',
    ],
    [
      'a line of another indicator',
      rule([{ left: { ...RSI, output: 'signal' }, is: 'above', right: number('1') }]),
      60,
      'buy.conditions.0.left',
      'Choose one of the lines of this indicator.',
    ],
    [
      'a price and an index',
      rule([{ left: RSI, is: 'above', right: close }]),
      60,
      'buy.conditions.0.right',
      "RSI(14) isn't in the unit of prices, so it can't be compared with the close. Compare it with a number.",
    ],
    [
      'two numbers',
      rule([{ left: number('1'), is: 'above', right: number('2') }]),
      60,
      'buy.conditions.0.right',
      'Both are numbers. Compare a price or an indicator with one.',
    ],
    [
      'the same twice',
      rule([{ left: close, is: 'above', right: { ...close, before: 0 } }]),
      60,
      'buy.conditions.0.right',
      'The close is above the close is never true. Choose another value on one side.',
    ],
    [
      'a day twice',
      rule([{ from: '08:00', to: '09:00', days: [1, 1] }]),
      60,
      'buy.conditions.0.days',
      'Name each day once.',
    ],
  ])('%s', (_, body, duration, field, message) => {
    expect(RuleBody.safeParse(body).success).toBe(true)
    expect(ruleProblems(body, duration)).toEqual([{ field, message }])
  })

  property('a valid rule needs no more candles than there are', 100, [validRule(900)], (body) => {
    expect(neededByRule(body, 900)).toBeLessThanOrEqual(mostCandles(900))
  })
})

test.each(RULE_INDICATORS)('$name has a value of each line within 200 candles', (indicator) => {
  const inputs = indicator.inputs.map(({ initial }) => initial)
  for (const { key } of indicator.outputs) expect(warmUpOf(indicator, inputs, key)).toBeLessThanOrEqual(200)
})

test('a body with something that is no condition is refused with what it must be', () => {
  const body = { name: 'Dips', duration: 60, symbols: ['BTCUSDT'], zone: 'UTC' }
  const messages = (condition: unknown) =>
    OwnStrategyBody.safeParse({ ...body, rule: rule([condition as Condition]) }).error?.issues.map((issue) => [
      issue.path.join('.'),
      issue.message,
    ])
  expect(messages({ left: close, is: 'over', right: RSI })).toEqual([
    ['rule.buy.conditions.0', 'must be a comparison, a crossing or a time'],
  ])
  expect(messages({ left: 'close', is: 'above', right: RSI })).toEqual([
    ['rule.buy.conditions.0', 'must be a comparison, a crossing or a time'],
  ])
  expect(messages({ from: '8:00', to: '20:00', days: [1] })).toEqual([
    ['rule.buy.conditions.0.from', 'must be a time like 08:00'],
  ])
})

property(
  'an account cannot store a rule that is larger than its column',
  50,
  [fc.array(validRule(), { minLength: 8, maxLength: 8 })],
  (rules) => {
    const conditions = rules.flatMap(({ buy, sell }) => [...buy.conditions, ...sell.conditions]).slice(0, 8)
    expect(JSON.stringify(rule(conditions)).length).toBeLessThan(4_000)
  },
)
