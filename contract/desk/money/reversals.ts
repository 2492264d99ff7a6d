import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { LENGTH, optionalText, text, usdAmount, usdNumber } from '../../fields.ts'
import { byPublicId, proposal, Reason, reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { PROPOSAL_STATUSES, QUEUES } from '../terms.ts'

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
  ...proposal(PROPOSAL_STATUSES),
  /** Proposed by this operator, or about them: another operator decides. */
  own: z.boolean(),
})
export type DeskReversal = z.infer<typeof DeskReversal>

/** Reversals of credited deposits. */
export const reversalCalls = {
  ...queueCalls('reversals', {
    item: DeskReversal,
    summary: 'Lists pending and decided reversals of deposits, newest first.',
    filter: { user: optionalText(20) },
    actions: {
      approve: { summary: 'Approves a reversal and moves the money.', idempotent: true },
      reject: { summary: 'Rejects a reversal.', body: Reason, idempotent: true },
    },
  }),
  'POST /desk/deposits/:id/reverse': {
    summary:
      'Proposes to reverse a credited deposit after a refund or dispute; a second finance operator decides. The balance pays what it can, and the rest becomes debt.',
    access: 'operator',
    roles: QUEUES.reversals.acts,
    params: byPublicId,
    /** `reference`: the refund's or dispute's reference at its source; each can be reversed once. */
    body: z.strictObject({ amount: usdAmount(), reference: text(LENGTH.bank), reason }),
    reply: replyOf(DeskReversal),
    problems: ['not_found', 'own_item', 'wrong_state', 'idempotency_mismatch'],
    idempotent: true,
  },
} as const satisfies Record<string, Endpoint>
