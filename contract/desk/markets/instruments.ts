import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { MESSAGE, text } from '../../fields.ts'
import { SOURCES, SYMBOL_STATUSES } from '../../prices/prices.ts'
import { STANDINGS, TRADING_TYPES } from '../../terms.ts'
import { Person } from '../parts.ts'
import { INSTRUMENT_CHANGES, PAGES } from '../terms.ts'
import { currencyCode, InstrumentTerms, TERM_LIMITS } from './instrument-changes.ts'

export const DeskInstrument = z.strictObject({
  symbol: z.string(),
  base: z.string(),
  quote: z.string(),
  /** Null for symbols that are only displayed. */
  trading_type: z.nullable(z.enum(TRADING_TYPES)),
  scale: z.number(),
  ...InstrumentTerms.shape,
  /** Why operators closed it for new trades; null while it is open. */
  closed_reason: z.nullable(z.string()),
  status: z.enum(SYMBOL_STATUSES),
  /** Why it is not open. */
  reason: z.optional(z.string()),
  price: z.optional(z.string()),
  /** The tape has had a price of it, so it can't be withdrawn. */
  has_had_price: z.boolean(),
  /** The pending proposal to change it. */
  change: z.nullable(z.strictObject({ id: z.string(), kind: z.enum(INSTRUMENT_CHANGES), proposed_by: Person })),
})
export type DeskInstrument = z.infer<typeof DeskInstrument>

/** The price that an instrument would have now if it were added, or had these terms. */
export const DeskInstrumentPreview = z.strictObject({
  symbol: z.string(),
  source: z.enum(SOURCES),
  /** Whether an instrument has the symbol already. */
  exists: z.boolean(),
  price: z.optional(z.string()),
  /** Why there is no price. */
  why: z.optional(z.string()),
  /** The currency that it is derived through. */
  via: z.optional(z.string()),
  /** On live prices: the pair, or the two legs. */
  pairs: z.array(
    z.strictObject({
      pair: z.string(),
      price: z.optional(z.string()),
      members: z.array(
        z.strictObject({
          venue: z.string(),
          market: z.string(),
          standing: z.enum(STANDINGS),
          price: z.optional(z.string()),
          /** A quote of a market that is watched already, or the close of the exchange's newest minute. */
          from: z.optional(z.enum(['quote', 'minute'])),
        }),
      ),
    }),
  ),
})
export type DeskInstrumentPreview = z.infer<typeof DeskInstrumentPreview>

const wholeText = (min: number, max: number) =>
  z.optional(
    z
      .string()
      .check(
        z.refine(
          (value) => /^\d{1,7}$/.test(value) && Number(value) >= min && Number(value) <= max,
          `must be from ${min} to ${max}`,
        ),
      ),
  )

/** All instruments with their terms. */
export const instrumentCalls = {
  'GET /desk/instruments': {
    summary: 'Lists all instruments with their terms, status and price, by symbol.',
    access: 'operator',
    roles: PAGES.instruments.sees,
    reply: replyOf(z.array(DeskInstrument)),
    problems: [],
  },
  'GET /desk/instruments/preview': {
    summary: 'Returns the price that an instrument would have now, and how it would be made. Changes nothing.',
    access: 'operator',
    roles: PAGES.instruments.acts,
    query: z.strictObject({
      base: currencyCode,
      quote: currencyCode,
      scale: wholeText(...TERM_LIMITS.scale),
      min_sources: wholeText(...TERM_LIMITS.min_sources),
      depth_usd: wholeText(...TERM_LIMITS.depth_usd),
      largest_spread_bps: wholeText(...TERM_LIMITS.largest_spread_bps),
      largest_deviation_bps: wholeText(...TERM_LIMITS.largest_deviation_bps),
      stale_after_ms: wholeText(...TERM_LIMITS.stale_after_ms),
      /** Ids of exchanges, separated by commas; all by default. */
      venues: z.optional(text(660).check(z.regex(/^[a-z][a-z0-9]*(,[a-z][a-z0-9]*)*$/, MESSAGE.invalid))),
    }),
    reply: replyOf(DeskInstrumentPreview),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
