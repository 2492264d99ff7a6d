import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { isoTime, LENGTH, oneOf, optionalText, text, usdAmount, usdNumber } from '../fields.ts'
import { actionRow, byId, finance, Person, queue, Reason, reason } from './parts.ts'
import { PROPOSAL_STATUSES } from './terms.ts'

/** Reversal of a credited deposit after a refund or dispute that the card provider doesn't report. */
export const DeskReversal = z.strictObject({
  id: z.string(),
  deposit_id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  method: z.enum(['crypto', 'card']),
  /** Amount of the deposit, US dollars. */
  credited: usdNumber,
  reversed: usdNumber,
  amount: usdNumber,
  /** The refund's or dispute's reference at its source. */
  reference: z.string(),
  reason: z.string(),
  status: z.enum(PROPOSAL_STATUSES),
  proposed_by: Person,
  created_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  decision_reason: z.optional(z.string()),
  /** Proposed by this operator, or about them: another operator decides. */
  own: z.boolean(),
})
export type DeskReversal = z.infer<typeof DeskReversal>

/** Reversals of credited deposits. */
export const reversalCalls = {
  'POST /desk/deposits/:id/reverse': {
    summary:
      'Propose to reverse a credited deposit after a refund or dispute; a second finance operator decides. The balance pays as far as it can; the rest is owed.',
    access: 'operator',
    roles: finance,
    params: byId,
    /** `reference`: the refund's or dispute's reference at its source; each can be reversed once. */
    body: z.strictObject({ amount: usdAmount(), reference: text(LENGTH.bank), reason }),
    reply: replyOf(DeskReversal),
    problems: ['not_found', 'own_item', 'wrong_state', 'idempotency_mismatch'],
    idempotent: true,
  },
  'GET /desk/reversals': {
    summary: 'Proposed and decided reversals of deposits, newest first.',
    access: 'operator',
    roles: ['finance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(PROPOSAL_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskReversal),
    problems: [],
  },
  'POST /desk/reversals/:id/approve': {
    ...actionRow('Approve the reversal of a deposit, which moves the money.', finance, replyOf(DeskReversal)),
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/reversals/:id/reject': {
    ...actionRow('Reject the reversal of a deposit.', finance, replyOf(DeskReversal)),
    body: Reason,
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
} as const satisfies Record<string, Endpoint>
