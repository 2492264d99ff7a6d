import * as z from 'zod/mini'
import { INDICATORS } from '#kernel/indicators/list.ts'
import { timeZone } from '../account/time-zone.ts'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { isName, isoTime, MESSAGE, oneOf, text, whole } from '../fields.ts'
import { rowId } from '../ids.ts'
import { SIGNAL_DURATIONS } from '../terms.ts'

/** Strategies that an account can have at once, with archived ones, and versions of each. */
export const OWN_STRATEGIES = {
  /** The database has room for one more version: the one that withdraws a strategy. */
  ...{ active: 20, ever: 200, versions: 199, name: 40, symbols: 10 },
  /** Whose signals are recorded at once, and that were ever published. */
  ...{ recorded: 3, published: 20 },
} as const

/** Conditions of a rule, Buy and Sell together. */
export const CONDITIONS_MAX = 8
/** How many candles earlier a condition can look. */
export const BEFORE_MAX = 20

const OWN_KINDS = ['rule', 'webhook'] as const

export const RULE_PRICES = ['open', 'high', 'low', 'close'] as const
const RULE_JOINS = ['all', 'any'] as const
export const RULE_SIDES = ['buy', 'sell'] as const
export type RuleSide = (typeof RULE_SIDES)[number]
const DIRECTIONS = ['above', 'below'] as const

/**
 * The indicators that a rule can use. The tape has no volume. Pivots need the whole day before, and the engine has the
 * last 23 hours in memory.
 */
export const RULE_INDICATORS = INDICATORS.filter(({ needsVolume, id }) => !needsVolume && id !== 'pivots')
const INDICATOR_IDS = RULE_INDICATORS.map(({ id }) => id) as [string, ...string[]]
const OUTPUTS = [...new Set(RULE_INDICATORS.flatMap(({ outputs }) => outputs.map(({ key }) => key)))] as [
  string,
  ...string[],
]

/** Plain decimal text, so that no digit is lost. */
const NUMBER = /^-?(0|[1-9]\d{0,11})(\.\d{1,10})?$/
export const isRuleNumber = (text: string): boolean => NUMBER.test(text)

const before = z.optional(whole(0, BEFORE_MAX))

const PriceOperand = z.strictObject({ price: oneOf(RULE_PRICES), before })
const NumberOperand = z.strictObject({
  number: z
    .string({ error: 'must be a number as text' })
    .check(
      z.regex(
        /^-?(0|[1-9]\d{0,11})(\.\d{1,10})?$/,
        'must be a number with at most 12 digits and ten decimals, like 30',
      ),
    ),
})
const IndicatorOperand = z.strictObject({
  /** One of `kernel/indicators/list.ts`. */
  indicator: oneOf(INDICATOR_IDS),
  /** Its parameters, in the order of the list. */
  inputs: z
    .array(z.number({ error: 'must be a number' }).check(z.minimum(0), z.maximum(1_000)), { error: 'must be a list' })
    .check(z.maxLength(8)),
  /** Which of its lines. */
  output: oneOf(OUTPUTS),
  before,
})

export type IndicatorOperand = z.infer<typeof IndicatorOperand>
const Operand = z.union([PriceOperand, NumberOperand, IndicatorOperand], {
  error: 'must be a price, a number or an indicator',
})
export type Operand = z.infer<typeof Operand>

/** A time of the day, in the zone of the rule. */
const clock = z
  .string({ error: 'must be a time like 08:00' })
  .check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time like 08:00'))

const Comparison = z.strictObject({ left: Operand, is: oneOf(DIRECTIONS), right: Operand })
const Crossing = z.strictObject({ left: Operand, crosses: oneOf(DIRECTIONS), right: Operand })
/** From a time until before another one, after midnight if that is earlier; all day if both are the same. */
const Times = z.strictObject({
  from: clock,
  to: clock,
  /** Days of the week, 0 is Sunday: those on which it begins. */
  days: z.array(whole(0, 6), { error: 'must be a list' }).check(z.minLength(1, MESSAGE.empty), z.maxLength(7)),
})
export type Times = z.infer<typeof Times>

const Condition = z.union([Comparison, Crossing, Times], { error: 'must be a comparison, a crossing or a time' })
export type Condition = z.infer<typeof Condition>

const Side = z.strictObject({
  join: oneOf(RULE_JOINS),
  conditions: z
    .array(Condition, { error: 'must be a list' })
    .check(z.maxLength(CONDITIONS_MAX, { error: `must have at most ${CONDITIONS_MAX} conditions`, abort: true })),
})
export type Side = z.infer<typeof Side>

/** When to buy and when to sell. `ruleProblems` checks what the shapes can't. */
export const RuleBody = z.strictObject({ buy: Side, sell: Side })
export type RuleBody = z.infer<typeof RuleBody>

/** Seconds: the length of the candles, and of the trades. */
export const ownDuration = z
  .number({ error: 'must be a number' })
  .check(
    z.refine(
      (value) => (SIGNAL_DURATIONS as readonly number[]).includes(value),
      `must be one of ${SIGNAL_DURATIONS.join(', ')}`,
    ),
  )

export const ownSymbols = z
  .array(text(20), { error: 'must be a list' })
  .check(
    z.minLength(1, { error: MESSAGE.empty, abort: true }),
    z.maxLength(OWN_STRATEGIES.symbols, { error: `must be at most ${OWN_STRATEGIES.symbols}`, abort: true }),
  )

const terms = {
  rule: RuleBody,
  duration: ownDuration,
  symbols: ownSymbols,
  /** The zone of the times in the rule. */
  zone: timeZone,
}

export const OwnStrategyBody = z.strictObject({
  name: text(OWN_STRATEGIES.name).check(z.refine(isName, MESSAGE.invalid)),
  ...terms,
})
export type OwnStrategyBody = z.input<typeof OwnStrategyBody>

export const OwnStrategy = z.strictObject({
  id: z.string(),
  /** Its name elsewhere: `own-12`. */
  key: z.templateLiteral(['own-', z.number()]),
  name: z.string(),
  kind: z.enum(OWN_KINDS),
  version: z.number(),
  created_at: isoTime,
  /** When this version was written. */
  changed_at: isoTime,
  /** Null: its signals come from outside. */
  rule: z.nullable(RuleBody),
  duration: z.number(),
  symbols: z.array(z.string()),
  zone: z.string(),
  /** Whether its signals are recorded, in the public chain but sealed unless it's published. */
  signals_on: z.boolean(),
  /** Under which name anyone can read its signals and follow it, and until when. */
  published: z.optional(z.strictObject({ name: z.string(), at: isoTime, withdrawn_at: z.optional(isoTime) })),
  /** What it does, in plain English. */
  sentence: z.string(),
})
export type OwnStrategy = z.infer<typeof OwnStrategy>

const params = z.strictObject({ id: rowId })
const saved = z.strictObject({ status: z.literal(true), message: z.string(), data: OwnStrategy })

export const ownStrategiesCalls = {
  'GET /strategies': {
    summary: "Lists the trader's own strategies, newest first, each with a sentence that says what it does.",
    access: 'user',
    reply: replyOf(z.array(OwnStrategy)),
    problems: [],
  },
  'POST /strategies': {
    summary: `Saves a strategy: up to ${CONDITIONS_MAX} conditions for Buy and Sell. Nobody else sees it. At most ${OWN_STRATEGIES.active} an account.`,
    access: 'user',
    limit: { max: 60, per: 'hour', message: 'You saved many strategies in a short time. Try again later.' },
    body: OwnStrategyBody,
    reply: saved,
    problems: ['already_exists', 'limit_reached'],
  },
  'PUT /strategies/:id': {
    summary: `Changes a strategy. A changed rule is a new version, of at most ${OWN_STRATEGIES.versions}; earlier versions stay as they were.`,
    access: 'user',
    limit: { max: 120, per: 'hour', message: 'You changed strategies many times in a short time. Try again later.' },
    params,
    body: z.strictObject({
      ...OwnStrategyBody.shape,
      /** The version that was changed: if there is a newer one, nothing is saved. */
      version: whole(1, OWN_STRATEGIES.versions),
    }),
    reply: saved,
    problems: ['not_found', 'wrong_state', 'already_exists', 'limit_reached'],
  },
  'PUT /strategies/:id/signals': {
    summary: `Switches the recording of a strategy's signals on or off. At most ${OWN_STRATEGIES.recorded} at once.`,
    access: 'user',
    params,
    body: z.strictObject({ on: z.boolean({ error: 'must be true or false' }) }),
    reply: messageReply,
    problems: ['not_found', 'wrong_state', 'limit_reached', 'email_not_confirmed'],
  },
  'POST /strategies/:id/publish': {
    summary:
      'Publishes a strategy under a name: anyone can read its signals from now on, and follow it. Its public record begins at zero.',
    access: 'user',
    limit: { max: 20, per: 'hour', message: 'You published many strategies in a short time. Try again later.' },
    params,
    body: z.strictObject({ name: text(OWN_STRATEGIES.name).check(z.refine(isName, MESSAGE.invalid)) }),
    reply: messageReply,
    problems: ['not_found', 'wrong_state', 'already_exists', 'limit_reached', 'email_not_confirmed'],
  },
  'DELETE /strategies/:id/publish': {
    summary: 'Withdraws a published strategy. Its public record stays, and its name is never used again.',
    access: 'user',
    params,
    reply: messageReply,
    problems: ['not_found', 'wrong_state'],
  },
  'DELETE /strategies/:id': {
    summary: 'Archives a strategy: it leaves the list and can no longer be followed. Its versions stay.',
    access: 'user',
    params,
    reply: messageReply,
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
