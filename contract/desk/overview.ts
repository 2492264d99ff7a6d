import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, usdNumber } from '../fields.ts'
import { SOURCES } from '../prices/prices.ts'
import { OPERATOR_ROLES } from '../terms.ts'
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
  /** The people at the desk, invited ones too: the operators that are one person by their address, and their roles. */
  people: z.array(z.strictObject({ operators: z.array(z.string()), roles: z.array(z.enum(OPERATOR_ROLES)) })),
  feeds: z.strictObject({ source: z.enum(SOURCES), health: z.string(), stale: z.number() }),
})
export type DeskOverview = z.infer<typeof DeskOverview>

export const overviewCalls = {
  'GET /desk/overview': {
    summary:
      'Returns the number, age and total amount of pending items in each queue, the last step done, and which roles how many people have.',
    access: 'operator',
    reply: replyOf(DeskOverview),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
