import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { isoTime, oneOf, optionalText } from '../fields.ts'
import { actionRow, byId, compliance, Person, queue, Reason } from './parts.ts'
import { FACTOR_RESET_STATUSES } from './terms.ts'

/** Removal of a lost second factor. Once approved, it takes effect at `due_at` unless the trader stops it. */
export const DeskFactorReset = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  reason: z.string(),
  status: z.enum(FACTOR_RESET_STATUSES),
  proposed_by: Person,
  created_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  decision_reason: z.optional(z.string()),
  due_at: z.optional(isoTime),
  ended_at: z.optional(isoTime),
  /** Proposed by this operator, or about them: another operator decides. */
  own: z.boolean(),
})
export type DeskFactorReset = z.infer<typeof DeskFactorReset>

/** Removal of lost second factors. */
export const factorResetCalls = {
  'GET /desk/factor-resets': {
    summary: 'Proposed and decided second factor resets, newest first.',
    access: 'operator',
    roles: ['compliance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(FACTOR_RESET_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskFactorReset),
    problems: [],
  },
  'POST /desk/users/:id/factor-resets': {
    summary: "Propose to remove a trader's second factor; a second compliance operator decides.",
    access: 'operator',
    roles: compliance,
    params: byId,
    body: Reason,
    reply: replyOf(DeskFactorReset),
    problems: ['not_found', 'own_item', 'wrong_state'],
  },
  'POST /desk/factor-resets/:id/approve': {
    ...actionRow(
      'Approve a second factor reset. The trader is e-mailed and can stop it; it takes effect after 24 hours.',
      compliance,
      replyOf(DeskFactorReset),
    ),
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required'],
  },
  'POST /desk/factor-resets/:id/reject': {
    ...actionRow('Reject a second factor reset.', compliance, replyOf(DeskFactorReset)),
    body: Reason,
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required'],
  },
} as const satisfies Record<string, Endpoint>
