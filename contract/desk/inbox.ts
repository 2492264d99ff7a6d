import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, oneOf, text, usdNumber } from '../fields.ts'
import { format, Person } from './parts.ts'

/** The most items of an inbox. */
export const INBOX_MAX = 200
export const INBOX_FILTERS = ['mine', 'second', 'overdue'] as const

/** Something that waits for an operator. */
export const DeskInboxItem = z.strictObject({
  /** The queue of the item, or `voids`, `settings` or `operator-changes`. */
  queue: z.string(),
  id: z.string(),
  due_at: isoTime,
  overdue: z.boolean(),
  /** Since when it waits. */
  since: isoTime,
  what: z.string(),
  /** US dollars; 0 where no money is involved. */
  amount: usdNumber,
  user_id: z.nullable(z.string()),
  /** The trader whom it concerns. */
  email: z.nullable(z.string()),
  /** A second person completes it. */
  second: z.boolean(),
  claimed_by: z.nullable(z.strictObject({ ...Person.shape, mine: z.boolean() })),
})
export type DeskInboxItem = z.infer<typeof DeskInboxItem>

export const inboxCalls = {
  'GET /desk/inbox': {
    summary: `Lists pending work of all queues that the operator sees, by due time, at most ${INBOX_MAX} items.`,
    access: 'operator',
    query: z.strictObject({
      queue: z.optional(text(40)),
      /** Only what this operator has claimed, what a second person completes, or what is overdue. */
      only: z.optional(oneOf(INBOX_FILTERS)),
      format,
    }),
    reply: replyOf(z.array(DeskInboxItem)),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
