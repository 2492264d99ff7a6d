import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, oneOf, optionalText, usdAmount, usdNumber } from '../../fields.ts'
import {
  COMPLAINT_FINDINGS,
  COMPLAINT_ITEMS,
  COMPLAINT_REASONS,
  COMPLAINT_STATUSES,
  COMPLAINT_TICKS,
} from '../../terms.ts'
import { ComplaintEvidence } from '../../trading/complaints.ts'
import { byId, item, Person, Reason, reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { QUEUES } from '../terms.ts'

/** A ruling that one operator proposed and another decides or has approved. */
export const DeskRuling = z.strictObject({
  finding: z.enum(COMPLAINT_FINDINGS),
  /** The price that was wrong: the stakes of these lost trades are returned, US dollars in both modes together. */
  tick: z.nullable(z.strictObject({ of: z.enum(COMPLAINT_TICKS), trades: z.number(), total: usdNumber })),
  /** US dollars credited for a deposit or withdrawal. */
  credit: z.nullable(usdNumber),
  reason: z.string(),
  proposed_by: Person,
  proposed_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  /** Why a proposal was sent back. */
  decision_reason: z.optional(z.string()),
  /** When all of its money had moved. */
  paid_at: z.optional(isoTime),
})
export type DeskRuling = z.infer<typeof DeskRuling>

export const DeskComplaint = z.strictObject({
  ...item,
  /** What it is about, and its public number. */
  about: z.enum(COMPLAINT_ITEMS),
  about_id: z.string(),
  complaint: z.enum(COMPLAINT_REASONS),
  text: z.string(),
  status: z.enum(COMPLAINT_STATUSES),
  due_by: isoTime,
  /** Null while the records are checked. */
  evidence: z.nullable(ComplaintEvidence),
  /** The prices that a ruling about a trade can find wrong. */
  ticks: z.array(z.enum(COMPLAINT_TICKS)),
  /** The newest ruling: proposed, approved, or sent back. */
  ruling: z.nullable(DeskRuling),
})
export type DeskComplaint = z.infer<typeof DeskComplaint>

const ProposeRulingBody = z.strictObject({
  finding: oneOf(COMPLAINT_FINDINGS),
  tick: z.optional(oneOf(COMPLAINT_TICKS)),
  credit: z.optional(usdAmount()),
  reason,
})

/** The cost of returning the stakes that were lost on a price. */
export const RemedyPreview = z.strictObject({
  /** Lost trades whose stake was not returned yet, and their stakes in both modes together. */
  trades: z.number(),
  total: usdNumber,
  /** Open trades that may use the price: the ruling waits until they have settled. */
  open: z.number(),
})
export type RemedyPreview = z.infer<typeof RemedyPreview>

/** Complaints of traders. */
export const deskComplaintCalls = {
  ...queueCalls('complaints', {
    item: DeskComplaint,
    summary: 'Lists complaints of traders, newest first.',
    filter: { user: optionalText(20) },
    actions: {
      propose: {
        summary: 'Proposes a ruling about a complaint; no money moves.',
        body: ProposeRulingBody,
      },
      approve: {
        summary: "Approves another operator's ruling. It is published without names, and its money is returned.",
        idempotent: true,
        problems: ['second_person_required'],
      },
      'send-back': { summary: 'Sends a proposed ruling back. The complaint is open again.', body: Reason },
    },
  }),
  'GET /desk/complaints/:id/remedy': {
    summary: 'Counts the trades that lost on the entry or exit price of the trade of a complaint.',
    access: 'operator',
    roles: QUEUES.complaints.acts,
    params: byId,
    query: z.strictObject({ tick: oneOf(COMPLAINT_TICKS) }),
    reply: replyOf(RemedyPreview),
    problems: ['not_found', 'wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
