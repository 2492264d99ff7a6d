import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, usdNumber } from '../fields.ts'
import { SOURCES } from '../prices/prices.ts'

const Waiting = z.strictObject({
  /** A queue, or one of `adjustments`, `reversals`, `payout-resumptions`, `factor-resets`, `strategy-restarts`, `instrument-changes`, `venue-switches`, `settings`, `voids`. */
  queue: z.string(),
  waiting: z.number(),
  unclaimed: z.number(),
  mine: z.number(),
  /** Items that a second person completes. */
  second: z.number(),
  oldest_at: z.nullable(isoTime),
  /** Their total amount, US dollars. */
  amount: usdNumber,
})

export const DeskOverview = z.strictObject({
  queues: z.array(Waiting),
  feeds: z.strictObject({ source: z.enum(SOURCES), health: z.string(), stale: z.number() }),
})
export type DeskOverview = z.infer<typeof DeskOverview>

export const overviewCalls = {
  'GET /desk/overview': {
    summary: 'Returns the number, age and total amount of pending items in each queue.',
    access: 'operator',
    reply: replyOf(DeskOverview),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
