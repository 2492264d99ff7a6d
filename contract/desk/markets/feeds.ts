import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, text } from '../../fields.ts'
import { SOURCES, SYMBOL_STATUSES } from '../../prices/prices.ts'
import { TRADING_TYPES } from '../../terms.ts'
import { reason } from '../parts.ts'
import { PAGES } from '../terms.ts'

const VENUE_CONDITIONS = ['out', 'quarantined', 'disconnected', 'silent', 'late', 'outlier', 'good'] as const

/** An exchange that live prices come from. */
export const DeskVenue = z.strictObject({
  venue: z.string(),
  name: z.string(),
  condition: z.enum(VENUE_CONDITIONS),
  /** How many of its markets are watched, and in how many its price counts now. */
  markets: z.number(),
  counted: z.number(),
  connected_since: z.optional(isoTime),
  last_drop: z.optional(z.strictObject({ at: isoTime, why: z.string() })),
  messages_per_second: z.number(),
  rejects_per_second: z.number(),
  /** Quotes that were not used, by reason, since the start. */
  dropped: z.record(z.string(), z.number()),
  /** How far its clock is ahead, transport included; negative: behind, or late. */
  skew_ms: z.number(),
  /** Age of its newest message on arrival, in milliseconds. */
  lag_ms: z.optional(z.number()),
  quarantined_until: z.optional(isoTime),
  /** Symbols that would have no price without it. */
  symbols_lost: z.number(),
  /** The pending proposal to take it out. */
  pending: z.optional(z.strictObject({ id: z.string(), reason: z.string(), operator_id: z.string() })),
  /** The last hour, one entry per minute, oldest first. */
  hour: z.array(
    z.strictObject({
      at: isoTime,
      messages_per_second: z.number(),
      rejects_per_second: z.number(),
      condition: z.enum(VENUE_CONDITIONS),
    }),
  ),
})
export type DeskVenue = z.infer<typeof DeskVenue>

export const DeskFeeds = z.strictObject({
  source: z.enum(SOURCES),
  /** A note about the source: for example, why prices are simulated. */
  note: z.optional(z.string()),
  venues: z.array(DeskVenue),
  /** Empty when healthy, otherwise the problem. */
  health: z.string(),
  clock_agrees: z.boolean(),
  /** The latest frame. */
  frame: z.strictObject({ n: z.number(), time: isoTime }),
  /** Quotes that the gate rejected, by reason, since the start. */
  refused: z.record(z.string(), z.number()),
  symbols: z.array(
    z.strictObject({
      symbol: z.string(),
      trading_type: z.nullable(z.enum(TRADING_TYPES)),
      status: z.enum(SYMBOL_STATUSES),
      reason: z.optional(z.string()),
      price: z.optional(z.string()),
      time: z.optional(isoTime),
      /** Age of that price, in milliseconds. */
      age_ms: z.optional(z.number()),
      stale_after_ms: z.number(),
    }),
  ),
})
export type DeskFeeds = z.infer<typeof DeskFeeds>

/** Health of the price feeds. */
export const feedCalls = {
  'GET /desk/feeds': {
    summary: 'Returns feed health: source and age of each price.',
    access: 'operator',
    reply: replyOf(DeskFeeds),
    problems: [],
  },
  'POST /desk/feeds/venues/:venue': {
    summary:
      'Takes an exchange out of all prices, or puts it back. If symbols would have no price without it, this creates a proposal that a second risk operator decides. Putting the exchange back withdraws your pending proposal.',
    access: 'operator',
    roles: PAGES.feeds.acts,
    params: z.strictObject({ venue: text(32) }),
    body: z.strictObject({ out: z.boolean('must be true or false'), reason }),
    reply: z.strictObject({ status: z.literal(true), message: z.string() }),
    problems: ['not_found', 'wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
