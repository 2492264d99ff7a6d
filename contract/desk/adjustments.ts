import * as z from 'zod/mini'
import { parseUsd } from '#kernel/money.ts'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { isoTime, MESSAGE, oneOf, optionalText, usdNumber } from '../fields.ts'
import { MODES } from '../terms.ts'
import { actionRow, byId, finance, Person, queue, Reason, reason } from './parts.ts'
import { PROPOSAL_STATUSES } from './terms.ts'

/** A signed, non-zero number of dollars with at most two decimals. */
const signedUsd = z
  .number({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be a number') })
  .check(
    z.refine((value) => value !== 0 && parseUsd(Math.abs(value)) !== undefined, {
      error: 'must be an amount with at most two decimals, above or below 0',
    }),
  )

export const AdjustmentBody = z.strictObject({ book: oneOf(MODES), amount: signedUsd, reason })

export const DeskAdjustment = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  book: z.enum(MODES),
  /** Above 0: a credit to the trader. */
  amount: usdNumber,
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
export type DeskAdjustment = z.infer<typeof DeskAdjustment>

/** Balance adjustments. */
export const adjustmentCalls = {
  'GET /desk/adjustments': {
    summary: 'Proposed and decided adjustments, newest first.',
    access: 'operator',
    roles: ['finance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(PROPOSAL_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskAdjustment),
    problems: [],
  },
  'POST /desk/users/:id/adjustments': {
    summary: 'Propose to add to, or take from, a balance; a second finance person decides.',
    access: 'operator',
    roles: finance,
    params: byId,
    body: AdjustmentBody,
    reply: replyOf(DeskAdjustment),
    problems: ['not_found', 'own_item', 'idempotency_mismatch', 'wrong_state'],
    idempotent: true,
  },
  'POST /desk/adjustments/:id/approve': {
    ...actionRow('Approve an adjustment, which moves the money.', finance, replyOf(DeskAdjustment)),
    problems: [
      'not_found',
      'wrong_state',
      'own_item',
      'second_person_required',
      'insufficient_balance',
      'idempotency_mismatch',
    ],
    idempotent: true,
  },
  'POST /desk/adjustments/:id/reject': {
    ...actionRow('Reject an adjustment.', finance, replyOf(DeskAdjustment)),
    body: Reason,
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
} as const satisfies Record<string, Endpoint>
