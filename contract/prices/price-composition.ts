import * as z from 'zod/mini'
import type { Endpoint } from '../endpoint.ts'
import { isoTime, MESSAGE, text } from '../fields.ts'
import { STANDINGS } from '../terms.ts'
import { SOURCES, SYMBOL_STATUSES } from './prices.ts'

/** One exchange's quote of a pair, and whether it counts. Prices are decimal text. */
export const PriceMember = z.strictObject({
  venue: z.string(),
  name: z.string(),
  market: z.string(),
  standing: z.enum(STANDINGS),
  price: z.optional(z.string()),
  bid: z.optional(z.string()),
  ask: z.optional(z.string()),
  /** When its newest quote arrived, in tape time. */
  received: z.optional(isoTime),
  /** Whether the exchange's sizes prove that depth. */
  is_deep: z.boolean(),
  /** Distance from the median in hundredths of a percent; negative: below. */
  distance_bps: z.optional(z.number()),
  quarantined_until: z.optional(isoTime),
})
export type PriceMember = z.infer<typeof PriceMember>

/** How the price of a symbol is made at this moment. */
export const PriceComposition = z.strictObject({
  symbol: z.string(),
  source: z.enum(SOURCES),
  status: z.enum(SYMBOL_STATUSES),
  reason: z.optional(z.string()),
  /** The newest published price. */
  price: z.optional(z.string()),
  time: z.optional(isoTime),
  sequence: z.optional(z.number()),
  /** The newest frame of the tape; its hash includes all frames before it. */
  frame: z.strictObject({ number: z.number(), time: isoTime, hash: z.string() }),
  /** What a live price must satisfy. */
  terms: z.strictObject({
    min_sources: z.number(),
    /** Each exchange's price is the middle of what this many USD would be sold and bought for there. */
    depth_usd: z.number(),
    largest_spread_bps: z.number(),
    largest_deviation_bps: z.number(),
    stale_after_ms: z.number(),
  }),
  /** For a price that is derived from two pairs: the currency between them. */
  via: z.optional(z.string()),
  /** One pair, or the two that the price is derived from; none unless prices are live. */
  pairs: z.array(
    z.strictObject({
      pair: z.string(),
      price: z.optional(z.string()),
      /** Why the pair has no price: too few exchanges, or exchanges that don't agree. */
      without: z.optional(z.enum(['sources', 'disagree'])),
      members: z.array(PriceMember),
    }),
  ),
})
export type PriceComposition = z.infer<typeof PriceComposition>

/** An exchange that operators took out of all prices, or put back. */
export const VenueSwitch = z.strictObject({
  exchange: z.string(),
  /** For people: `Kraken`. */
  name: z.string(),
  out: z.boolean(),
  /** Tape time from which it counts, or will. */
  from: isoTime,
})
export type VenueSwitch = z.infer<typeof VenueSwitch>

const symbol = text(20)
const instant = z.string().check(z.maxLength(40, MESSAGE.invalid))

export const priceCompositionCalls = {
  'GET /prices/composition': {
    summary: 'Returns how the price of a symbol is made now: the quote of each exchange, and whether it counts.',
    access: 'visitor',
    query: z.strictObject({ symbol }),
    reply: z.strictObject({ status: z.literal(true), data: PriceComposition }),
    problems: ['not_found'],
  },
  'GET /prices/switches': {
    summary:
      'Lists the newest 100 times that operators took an exchange out of all prices or put it back, newest first. `from` and `to` (Unix ms or ISO) limit the time, `symbol` the exchanges to those that its price is made from now; with a symbol, also when operators changed how its price is made otherwise.',
    access: 'visitor',
    mayLag: true,
    query: z.strictObject({ symbol: z.optional(symbol), from: z.optional(instant), to: z.optional(instant) }),
    reply: z.strictObject({
      status: z.literal(true),
      data: z.array(VenueSwitch),
      /** Tape times from which changed terms of the symbol's price count, newest first. */
      terms_changed: z.optional(z.array(isoTime)),
    }),
    problems: ['not_found', 'unavailable'],
  },
  'GET /prices/tape': {
    summary:
      'Returns all ticks of a symbol on one day (UTC) as CSV: sequence, source time (Unix ms), price, kind of source and frame.',
    access: 'visitor',
    query: z.strictObject({
      symbol,
      day: z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, MESSAGE.invalid)),
    }),
    reply: 'text',
    problems: ['not_found', 'unavailable'],
  },
} as const satisfies Record<string, Endpoint>
