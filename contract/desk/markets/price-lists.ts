import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { LENGTH, text } from '../../fields.ts'
import { DryRun, PriceListDocument, ShownDocument } from '../../trading/price-lists.ts'
import { proposal, Reason, reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { PROPOSAL_STATUSES, QUEUES } from '../terms.ts'

/** A change of the price lists. */
export const DeskPriceListChange = z.strictObject({
  id: z.string(),
  document: ShownDocument,
  /** What was offered at the time of the proposal. */
  before: ShownDocument,
  /** What it would have done on past minutes, computed for the proposal. */
  dry_run: DryRun,
  /** The version that it became; null until it is approved. */
  version: z.nullable(z.number()),
  /** Why it was approved although traders would have had an edge; null if they wouldn't. */
  acknowledged: z.nullable(z.string()),
  ...proposal(PROPOSAL_STATUSES),
  /** Proposed by this operator: another operator decides. */
  own: z.boolean(),
})
export type DeskPriceListChange = z.infer<typeof DeskPriceListChange>

/** Price lists and their changes. */
export const deskPriceListCalls = {
  ...queueCalls('price-lists', {
    item: DeskPriceListChange,
    summary: 'Lists pending and decided changes of the price lists, newest first.',
    filter: {},
    actions: {
      approve: {
        summary:
          'Approves price lists, which apply five seconds later. If traders would have had an edge, it takes a reason.',
        /** Why it's approved although traders would have an edge; null if they wouldn't. */
        body: z.strictObject({ acknowledged: z.nullable(text(LENGTH.reason)) }),
        problems: ['validation_failed'],
      },
      reject: { summary: 'Rejects a change of the price lists.', body: Reason },
    },
  }),
  'POST /desk/price-lists/dry-run': {
    summary:
      'Tries price lists on the last week of the tape and on recorded days: what the house would have held, and where traders would have had an edge.',
    access: 'operator',
    roles: QUEUES['price-lists'].acts,
    body: z.strictObject({ document: PriceListDocument }),
    reply: replyOf(DryRun),
    problems: ['unavailable'],
  },
  'POST /desk/price-lists': {
    summary: 'Proposes price lists, with their dry run; a second admin decides.',
    access: 'operator',
    roles: QUEUES['price-lists'].acts,
    body: z.strictObject({ document: PriceListDocument, reason }),
    reply: replyOf(DeskPriceListChange),
    problems: ['wrong_state', 'unavailable'],
  },
} as const satisfies Record<string, Endpoint>
