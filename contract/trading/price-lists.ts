import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, MESSAGE, oneOf, shownStrikeRate, strikeRate, text, whole } from '../fields.ts'
import { DURATIONS, TRADE_SIDES, TRADING_TYPES } from '../terms.ts'
import { EVERY_DAY, LIST_NAME_LENGTH, LISTS_MAX, PAIRS_MAX, RULES_MAX } from './offers.ts'

const DRY_RUN_SOURCES = ['tape', 'recordings'] as const

const list = (max: number) => z.maxLength(max, { error: `must have at most ${max} entries`, abort: true })
const once = z.refine<readonly unknown[]>(
  (values) => new Set(values).size === values.length,
  'must not repeat an entry',
)
const notEmpty = z.minLength(1, { error: MESSAGE.empty, abort: true })
const array = <T extends z.ZodMiniType>(item: T) => z.array(item, { error: 'must be a list' })

const Rule = z
  .strictObject({
    /** Empty: any. */
    symbols: array(text(20)).check(list(100), once),
    /** Null: any. */
    group: z.nullable(oneOf(TRADING_TYPES)),
    /** Seconds. Empty: any. */
    durations: array(
      z
        .number({ error: 'must be a number' })
        .check(
          z.refine(
            (value) => (DURATIONS as readonly number[]).includes(value),
            `must be one of ${DURATIONS.join(', ')}`,
          ),
        ),
    ).check(list(DURATIONS.length), once),
    /** Days of the week on which it begins, 0 is Sunday (UTC). */
    days: array(whole(0, 6)).check(notEmpty, list(EVERY_DAY.length), once),
    /** Hours (UTC): from this one, up to that one. Over midnight if the first isn't the smaller one. */
    from_hour: whole(0, 23),
    to_hour: whole(1, 24),
    /** The number of the list, from 1. */
    list: whole(1, LISTS_MAX),
  })
  .check(
    z.refine(({ symbols, group }) => symbols.length === 0 || group === null, {
      error: 'must name symbols or a group, not both',
      path: ['group'],
    }),
    z.refine(({ from_hour, to_hour }) => from_hour !== to_hour, {
      error: 'must differ from the first hour',
      path: ['to_hour'],
    }),
  )

/** The lists and the rules that say which one applies. */
export const PriceListDocument = z
  .strictObject({
    lists: array(
      z.strictObject({
        name: text(LIST_NAME_LENGTH),
        pairs: array(strikeRate()).check(notEmpty, list(PAIRS_MAX), once),
      }),
    ).check(notEmpty, list(LISTS_MAX)),
    /** The first that fits decides; else list 1 applies. */
    rules: array(Rule).check(list(RULES_MAX)),
  })
  .check(
    z.refine(({ lists, rules }) => rules.every((rule) => rule.list <= lists.length), {
      error: 'must name a list that exists',
      path: ['rules'],
    }),
  )

/** The same in replies. */
export const ShownDocument = z.strictObject({
  lists: z.array(z.strictObject({ name: z.string(), pairs: z.array(shownStrikeRate) })),
  rules: z.array(
    z.strictObject({
      symbols: z.array(z.string()),
      group: z.nullable(z.enum(TRADING_TYPES)),
      durations: z.array(z.number()),
      days: z.array(z.number()),
      from_hour: z.number(),
      to_hour: z.number(),
      list: z.number(),
    }),
  ),
})

const PriceListVersion = z.strictObject({
  version: z.number(),
  /** From when it applies; null: from the beginning. */
  from: z.nullable(isoTime),
  document: ShownDocument,
})
export type PriceListVersion = z.infer<typeof PriceListVersion>

export const PriceLists = z.strictObject({
  /** The version that applies, and one that will, with their documents; or the one that was asked for. */
  versions: z.array(PriceListVersion),
  /** The newest 50 versions, newest first. Each but the first was proposed by one operator and approved by another. */
  history: z.array(z.strictObject({ version: z.number(), from: z.nullable(isoTime) })),
})
export type PriceLists = z.infer<typeof PriceLists>

/** What price lists would have done on past minutes. */
export const DryRun = z.strictObject({
  at: isoTime,
  /** Somewhere a trader would have had an edge, or a side pays as much as it costs. */
  edge: z.boolean(),
  /** Sides that pay 100%: a coin toss breaks even. */
  no_hold: z.array(z.strictObject({ list: z.number(), pair: shownStrikeRate, side: z.enum(TRADE_SIDES) })),
  /** Where a trader would have gained more than luck explains, the surest first: at most 50 of them. */
  edges: z.array(
    z.strictObject({
      source: z.enum(DRY_RUN_SOURCES),
      symbol: z.string(),
      duration: z.number(),
      list: z.number(),
      pair: shownStrikeRate,
      side: z.enum(TRADE_SIDES),
      /** What a trader would have gained, in percent of the stake, and at least with 95% confidence. */
      percent: z.number(),
      low: z.number(),
    }),
  ),
  edges_in_all: z.number(),
  /** Open trades, which keep their terms. */
  open_trades: z.number(),
  sources: z.array(
    z.strictObject({ name: z.enum(DRY_RUN_SOURCES), from: z.string(), to: z.string(), symbols: z.number() }),
  ),
  rows: z.array(
    z.strictObject({
      source: z.enum(DRY_RUN_SOURCES),
      list: z.number(),
      pair: shownStrikeRate,
      side: z.enum(TRADE_SIDES),
      /** The win rate from which a trader gains, percent. */
      break_even: z.number(),
      /** The share of stakes that the house would have held, percent, and its 95% interval by days; null without prices. */
      hold: z.nullable(
        z.strictObject({ percent: z.number(), low: z.nullable(z.number()), high: z.nullable(z.number()) }),
      ),
      /** How many minutes were tried. */
      minutes: z.number(),
    }),
  ),
})
export type DryRun = z.infer<typeof DryRun>

export const priceListCalls = {
  'GET /public/price-lists': {
    summary: 'Returns the price lists: which pairs of percentages are offered, for which symbols, durations and hours.',
    access: 'visitor',
    query: z.strictObject({ version: z.optional(z.string().check(z.regex(/^[1-9]\d{0,8}$/, MESSAGE.invalid))) }),
    reply: replyOf(PriceLists),
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
