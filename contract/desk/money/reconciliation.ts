import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from '../../endpoint.ts'
import { isoTime } from '../../fields.ts'
import { SolvencyStatement } from '../../prices/proof.ts'
import { proposal, Reason, reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { PAGES, PROPOSAL_STATUSES, QUEUES } from '../terms.ts'

/** Something that doesn't add up in the books. */
const Difference = z.strictObject({
  /** The invariant's name, and what should hold. */
  name: z.string(),
  says: z.string(),
  /** Rows that break it, as JSON, at most five. */
  rows: z.array(z.string()),
})

export const DeskReconciliation = z.strictObject({
  /** The newest one that compared everything; null before the first. While nothing changes, there is no new one. */
  last: z.nullable(z.strictObject({ finished_at: isoTime, took_ms: z.number(), differences: z.number() })),
  /** Null while payouts run. */
  halt: z.nullable(
    z.strictObject({
      started_at: isoTime,
      /** When the differences below were last found. */
      found_at: isoTime,
      differences: z.array(Difference),
      /** Since when the books agree again. */
      clean_at: z.optional(isoTime),
      /** The pending proposal to resume payouts. */
      resumption: z.optional(z.strictObject({ id: z.string(), proposed_by: z.string() })),
    }),
  ),
  /** The newest statement of solvency; null before the first. */
  statement: z.nullable(SolvencyStatement),
})
export type DeskReconciliation = z.infer<typeof DeskReconciliation>

/** Resuming payouts after a halt. */
export const DeskPayoutResumption = z.strictObject({
  id: z.string(),
  /** When the halt began. */
  halted_at: isoTime,
  ...proposal(PROPOSAL_STATUSES),
  /** Proposed by this operator: another operator decides. */
  own: z.boolean(),
})
export type DeskPayoutResumption = z.infer<typeof DeskPayoutResumption>

/** The comparison of ledger, lists and holds, and the halt of payouts when they differ. */
export const reconciliationCalls = {
  'GET /desk/reconciliation': {
    summary: 'Returns the newest reconciliation, and the halt of payouts with the rows that differ.',
    access: 'operator',
    mayLag: true,
    roles: PAGES.reconciliation.sees,
    reply: replyOf(DeskReconciliation),
    problems: [],
  },
  'POST /desk/solvency': {
    summary: 'Requests a statement of solvency now, in addition to the nightly one.',
    access: 'operator',
    roles: PAGES.reconciliation.acts,
    reply: messageReply,
    problems: [],
  },
  ...queueCalls('payout-resumptions', {
    item: DeskPayoutResumption,
    summary: 'Lists proposals to resume payouts, newest first.',
    filter: {},
    actions: {
      approve: { summary: 'Resumes payouts, if the books agree.' },
      reject: { summary: 'Rejects a proposal: payouts stay halted.', body: Reason },
    },
  }),
  'POST /desk/payout-resumptions': {
    summary: 'Proposes to resume payouts once the books agree again; a second finance operator decides.',
    access: 'operator',
    roles: QUEUES['payout-resumptions'].acts,
    body: z.strictObject({ reason }),
    reply: replyOf(DeskPayoutResumption),
    problems: ['wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
