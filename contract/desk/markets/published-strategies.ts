import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../../endpoint.ts'
import { isoTime, LENGTH, text } from '../../fields.ts'
import { byId, list, Reason } from '../parts.ts'
import { PAGES } from '../terms.ts'

/** A strategy that a trader has published and not withdrawn. */
export const DeskPublishedStrategy = z.strictObject({
  id: z.string(),
  /** Its public name. */
  name: z.string(),
  /** What it does, in plain English. */
  sentence: z.string(),
  version: z.number(),
  user_id: z.string(),
  email: z.string(),
  published_at: isoTime,
  /** Accounts whose automatic trades follow it now, its author's included. */
  followers_real: z.number(),
  followers_demo: z.number(),
})
export type DeskPublishedStrategy = z.infer<typeof DeskPublishedStrategy>

/** What traders have published. */
export const publishedStrategyCalls = {
  'GET /desk/published-strategies': {
    summary: 'Lists the strategies that traders have published, newest first.',
    access: 'operator',
    mayLag: true,
    roles: PAGES.automatic.sees,
    query: z.strictObject({ name: z.optional(text(LENGTH.name)), ...list }),
    reply: listOf(DeskPublishedStrategy),
    problems: [],
  },
  'POST /desk/published-strategies/:id/withdraw': {
    summary: 'Withdraws a strategy that a trader has published. Its followers stop, and its author reads the reason.',
    access: 'operator',
    roles: PAGES.automatic.acts,
    params: byId,
    body: Reason,
    reply: replyOf(z.strictObject({ id: z.string() })),
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
