import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { oneOf, optionalText, usdNumber } from '../../fields.ts'
import { MODES } from '../../terms.ts'
import { byId, proposal, Reason, reason, signedUsd } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { PROPOSAL_STATUSES, QUEUES } from '../terms.ts'

export const AdjustmentBody = z.strictObject({ book: oneOf(MODES), amount: signedUsd, reason })

export const DeskAdjustment = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  book: z.enum(MODES),
  /** Above 0: a credit to the trader. */
  amount: usdNumber,
  ...proposal(PROPOSAL_STATUSES),
  /** Proposed by this operator, or about them: another operator decides. */
  own: z.boolean(),
})
export type DeskAdjustment = z.infer<typeof DeskAdjustment>

/** Balance adjustments. */
export const adjustmentCalls = {
  ...queueCalls('adjustments', {
    item: DeskAdjustment,
    summary: 'Lists pending and decided adjustments, newest first.',
    filter: { user: optionalText(20) },
    actions: {
      approve: {
        summary: 'Approves an adjustment and moves the money.',
        idempotent: true,
        problems: ['insufficient_balance'],
      },
      reject: { summary: 'Rejects an adjustment.', body: Reason, idempotent: true },
    },
  }),
  'POST /desk/users/:id/adjustments': {
    summary: 'Proposes to credit or debit a balance; a second finance operator decides.',
    access: 'operator',
    roles: QUEUES.adjustments.acts,
    params: byId,
    body: AdjustmentBody,
    reply: replyOf(DeskAdjustment),
    problems: ['not_found', 'own_item', 'idempotency_mismatch', 'wrong_state'],
    idempotent: true,
  },
} as const satisfies Record<string, Endpoint>
