import * as z from 'zod/mini'
import { ADDRESS_METHODS, ID_METHODS } from '../../account/auth.ts'
import type { Endpoint } from '../../endpoint.ts'
import { isoTime, oneOf, optionalText } from '../../fields.ts'
import { VERIFICATION_STATUSES } from '../../terms.ts'
import { byId, item, Reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { CHECK_KINDS, QUEUES } from '../terms.ts'

export const DeskIdentityCheck = z.strictObject({
  ...item,
  /** A government ID or a proof of address. */
  kind: z.enum(CHECK_KINDS),
  method: z.enum([...ID_METHODS, ...ADDRESS_METHODS]),
  status: z.enum(VERIFICATION_STATUSES),
  /** Fields that the trader changed after an earlier approval, with their previous values. */
  changed_from: z.nullable(z.record(z.string(), z.string())),
  reason: z.optional(z.string()),
  decided_at: z.optional(isoTime),
  /** Whether a newer check replaced it. */
  superseded: z.boolean(),
  /** API path of the image; null once it was deleted. Each view is audited. */
  file_url: z.nullable(z.string()),
  /** What the ID is compared with. */
  date_of_birth: z.string(),
  address: z.string(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
})
export type DeskIdentityCheck = z.infer<typeof DeskIdentityCheck>

/** Identity checks and proofs of address. */
export const identityCheckCalls = {
  ...queueCalls('identity-checks', {
    item: DeskIdentityCheck,
    summary: 'Lists identity checks and proofs of address, newest first.',
    filter: { kind: z.optional(oneOf(CHECK_KINDS)), user: optionalText(20) },
    actions: {
      approve: { summary: 'Approves an identity check.' },
      reject: {
        summary: 'Rejects an identity check. The trader sees the reason and can upload another document.',
        body: Reason,
      },
    },
  }),
  'GET /desk/identity-checks/:id/file': {
    summary: 'Returns the uploaded document. Each view is audited.',
    access: 'operator',
    roles: QUEUES['identity-checks'].acts,
    params: byId,
    reply: 'text',
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
