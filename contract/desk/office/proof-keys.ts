import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime } from '../../fields.ts'
import { proposal, Reason, reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { PROPOSAL_STATUSES, QUEUES } from '../terms.ts'

const hexId = z
  .string()
  .check(z.regex(/^[0-9a-f]{32}$/, 'Enter the id of a key: 32 characters from 0 to 9 and a to f.'))

/** Beginning a key of receipts that the key before hasn't signed. */
export const DeskProofKey = z.strictObject({
  id: z.string(),
  /** The key's id. */
  key: z.string(),
  ...proposal(PROPOSAL_STATUSES),
  /** Proposed by this operator: another operator decides. */
  own: z.boolean(),
})
export type DeskProofKey = z.infer<typeof DeskProofKey>

/** A key of an engine that signs nothing yet. */
const WaitingProofKey = z.strictObject({
  key: z.string(),
  /** When the engine began to wait. */
  since: isoTime,
  /** The id of the proposal that is pending; null if there is none. */
  proposal_id: z.nullable(z.string()),
})

/** Keys of receipts that begin without the signature of the one before. */
export const proofKeyCalls = {
  ...queueCalls('proof-keys', {
    item: DeskProofKey,
    summary: 'Lists pending and decided keys of receipts, newest first.',
    filter: {},
    actions: {
      approve: {
        summary: 'Begins a key without the signature of the one before. It is published as unsigned, with the reason.',
      },
      reject: { summary: 'Rejects a key.', body: Reason },
    },
  }),
  'GET /desk/waiting-proof-keys': {
    summary: 'Lists keys of engines that sign nothing, because the key before has not signed them.',
    access: 'operator',
    roles: QUEUES['proof-keys'].sees,
    reply: replyOf(z.array(WaitingProofKey)),
    problems: [],
  },
  'POST /desk/proof-keys': {
    summary: 'Proposes to begin a waiting key without the signature of the one before; a second admin decides.',
    access: 'operator',
    roles: QUEUES['proof-keys'].acts,
    body: z.strictObject({ key: hexId, reason }),
    reply: replyOf(DeskProofKey),
    problems: ['not_found', 'wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
