import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, MESSAGE, text } from '../fields.ts'
import { CANDLE_INTERVALS, type CandleInterval, TRADING_TYPES } from '../terms.ts'

export { CANDLE_INTERVALS, type CandleInterval, type TradingType } from '../terms.ts'

export const SOURCES = ['live', 'replay', 'simulation'] as const
export type PriceSource = (typeof SOURCES)[number]

export const SYMBOL_STATUSES = ['open', 'stale', 'closed', 'unavailable'] as const

/** A price in the API: decimal text. */
const priceText = z.string()

export const Instrument = z.strictObject({
  symbol: z.string(),
  base: z.string(),
  quote: z.string(),
  /** Null for display-only symbols (EURUSD of the strip, the indices). */
  trading_type: z.nullable(z.enum(TRADING_TYPES)),
  status: z.enum(SYMBOL_STATUSES),
  reason: z.optional(z.string()),
  /** When a closed market reopens. */
  reopens: z.optional(isoTime),
  /** Decimal places of its prices. */
  scale: z.number(),
  price: z.optional(priceText),
  time: z.optional(isoTime),
  /** How many live sources agreed on the newest price. */
  sources: z.optional(z.number()),
  /** Price a day ago, to compute the change; absent before the first price. */
  price_before: z.optional(priceText),
})
export type Instrument = z.infer<typeof Instrument>

/** `[timeMs, open, high, low, close]`. */
export const Candle = z.tuple([z.number(), priceText, priceText, priceText, priceText])
export type Candle = z.infer<typeof Candle>
/** `[sequence, sourceTimeMs, price]`. */
const TickRow = z.tuple([z.number(), z.number(), priceText])

const symbol = text(20)
const instant = z.string().check(z.maxLength(40, MESSAGE.invalid))

export const pricesCalls = {
  'GET /prices/instruments': {
    summary: 'Lists all instruments, or the named ones (comma separated), with state and latest price.',
    access: 'visitor',
    query: z.strictObject({
      symbols: z.optional(z.string().check(z.regex(/^[A-Z0-9]{1,20}(,[A-Z0-9]{1,20}){0,99}$/, MESSAGE.invalid))),
    }),
    reply: z.strictObject({
      status: z.literal(true),
      data: z.array(Instrument),
      source: z.enum(SOURCES),
      /** A note about the source: for example, why prices are simulated. */
      note: z.optional(z.string()),
      /** Whether this source allows real trades. */
      real_trades: z.boolean(),
    }),
    problems: [],
  },
  'GET /prices/candles': {
    summary: 'Returns candles from the tape, oldest first, ending before `before` (Unix ms or ISO) or now.',
    access: 'visitor',
    mayLag: true,
    query: z.strictObject({
      symbol,
      interval: z.enum(Object.keys(CANDLE_INTERVALS) as [CandleInterval, ...CandleInterval[]], MESSAGE.invalid),
      limit: z.optional(
        z
          .string()
          .check(
            z.refine(
              (value) => /^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= 1000,
              'must be from 1 to 1000',
            ),
          ),
      ),
      before: z.optional(instant),
    }),
    reply: z.strictObject({
      status: z.literal(true),
      data: z.array(Candle),
      /** The kind of source that all candles come from; absent before the first price. */
      source: z.optional(z.enum(SOURCES)),
      /** Candles before this time (Unix ms) are simulated history, not tape. */
      simulated_until: z.optional(z.number()),
      /** Candles before this time (Unix ms) are this venue's own, not tape. */
      venue: z.optional(z.string()),
      venue_until: z.optional(z.number()),
      /** When prices began to come from the current kind of source, if the symbol had another before. */
      since: z.optional(z.number()),
    }),
    problems: ['not_found'],
  },
  'GET /prices/sparklines': {
    summary: 'Returns a small line of the last 24 hours for each symbol with prices.',
    access: 'visitor',
    mayLag: true,
    reply: replyOf(
      z.strictObject({
        /** Start of the first half hour, Unix ms. */
        from: z.number(),
        /** By symbol: closes of half hours from 0 (the lowest) to 100, oldest first, up to now. */
        lines: z.record(z.string(), z.array(z.number())),
      }),
    ),
    problems: [],
  },
  'GET /prices/variances': {
    summary: 'Returns the variances that the tape states for this minute, by which open trades are valued.',
    access: 'visitor',
    reply: replyOf(
      z.strictObject({
        /** They follow from the minutes before this one, Unix ms. */
        minute: z.number(),
        /** By symbol, in billionths squared; without those that aren't known well enough. */
        variances: z.record(z.string(), z.number()),
      }),
    ),
    problems: [],
  },
  'GET /prices/ticks': {
    summary: 'Returns the ticks from `from` to `to` (Unix ms or ISO, inclusive), oldest first, at most 10,000.',
    access: 'visitor',
    mayLag: true,
    query: z.strictObject({ symbol, from: z.optional(instant), to: z.optional(instant) }),
    reply: replyOf(z.array(TickRow)),
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
