import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime } from '../fields.ts'
import { SOURCES } from '../prices.ts'
import { TRADING_TYPES } from '../terms.ts'

export const DeskFeeds = z.strictObject({
  source: z.enum(SOURCES),
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
      status: z.enum(['open', 'stale', 'unavailable']),
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
} as const satisfies Record<string, Endpoint>
