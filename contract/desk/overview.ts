import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, usdNumber } from '../fields.ts'
import { SOURCES } from '../prices/prices.ts'
import { Person } from './parts.ts'
import { DONE_STEPS } from './terms.ts'

const Waiting = z.strictObject({
  /** A queue, or `voids`, `settings` or `operator-changes`. */
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
  /** The newest step of an operator on an item of a queue that this operator sees; null if it's long ago. */
  last_done: z.nullable(
    z.strictObject({
      queue: z.string(),
      id: z.string(),
      user_id: z.nullable(z.string()),
      step: z.enum(DONE_STEPS),
      at: isoTime,
      by: z.strictObject({ ...Person.shape, mine: z.boolean() }),
    }),
  ),
  feeds: z.strictObject({ source: z.enum(SOURCES), health: z.string(), stale: z.number() }),
})
export type DeskOverview = z.infer<typeof DeskOverview>

export const overviewCalls = {
  'GET /desk/overview': {
    summary: 'Returns the number, age and total amount of pending items in each queue, and the last step done.',
    access: 'operator',
    reply: replyOf(DeskOverview),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
