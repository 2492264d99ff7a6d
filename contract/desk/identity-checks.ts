import * as z from 'zod/mini'
import { ADDRESS_METHODS, ID_METHODS } from '../auth.ts'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { isoTime, oneOf, optionalText } from '../fields.ts'
import { VERIFICATION_STATUSES } from '../kyc.ts'
import { actionRow, byId, claimRow, compliance, item, queue, Reason } from './parts.ts'
import { CHECK_KINDS } from './terms.ts'

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
  'GET /desk/identity-checks': {
    summary: 'Identity checks and proofs of address, newest first.',
    access: 'operator',
    roles: ['compliance', 'auditor'],
    query: z.strictObject({
      status: z.optional(oneOf(VERIFICATION_STATUSES)),
      kind: z.optional(oneOf(CHECK_KINDS)),
      user: optionalText(20),
      ...queue,
    }),
    reply: listOf(DeskIdentityCheck),
    problems: [],
  },
  'GET /desk/identity-checks/:id/file': {
    summary: 'The picture that was handed in; each view is written into the audit log.',
    access: 'operator',
    roles: compliance,
    params: byId,
    reply: 'text',
    problems: ['not_found'],
  },
  'POST /desk/identity-checks/:id/claim': claimRow('identity-checks', 'Take an identity check to work on.'),
  'POST /desk/identity-checks/:id/release': claimRow('identity-checks', 'Give an identity check back.'),
  'POST /desk/identity-checks/:id/approve': actionRow(
    'Approve an identity check.',
    compliance,
    replyOf(DeskIdentityCheck),
  ),
  'POST /desk/identity-checks/:id/reject': {
    ...actionRow(
      'Reject an identity check; the trader reads the reason and may hand in another.',
      compliance,
      replyOf(DeskIdentityCheck),
    ),
    body: Reason,
  },
} as const satisfies Record<string, Endpoint>
