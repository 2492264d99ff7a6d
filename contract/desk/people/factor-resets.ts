import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, optionalText } from '../../fields.ts'
import { byId, proposal, Reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { FACTOR_RESET_STATUSES, QUEUES } from '../terms.ts'

/** Removal of a lost second factor. Once approved, it takes effect at `due_at` unless the trader stops it. */
export const DeskFactorReset = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  ...proposal(FACTOR_RESET_STATUSES),
  due_at: z.optional(isoTime),
  ended_at: z.optional(isoTime),
  /** Proposed by this operator, or about them: another operator decides. */
  own: z.boolean(),
})
export type DeskFactorReset = z.infer<typeof DeskFactorReset>

/** Removal of lost second factors. */
export const factorResetCalls = {
  ...queueCalls('factor-resets', {
    item: DeskFactorReset,
    summary: 'Lists pending and decided second factor resets, newest first.',
    filter: { user: optionalText(20) },
    actions: {
      approve: {
        summary:
          'Approves a second factor reset. The trader is e-mailed and can stop it; it takes effect after 24 hours.',
      },
      reject: { summary: 'Rejects a second factor reset.', body: Reason },
    },
  }),
  'POST /desk/users/:id/factor-resets': {
    summary: "Proposes to remove a trader's second factor; a second compliance operator decides.",
    access: 'operator',
    roles: QUEUES['factor-resets'].acts,
    params: byId,
    body: Reason,
    reply: replyOf(DeskFactorReset),
    problems: ['not_found', 'own_item', 'wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
