import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { text, usdNumber } from '../../fields.ts'
import { proposal, Reason, reason, signedUsd } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { PROPOSAL_STATUSES, QUEUES } from '../terms.ts'

/** A payment by the house's owners, or to them. */
export const DeskCapitalMove = z.strictObject({
  id: z.string(),
  /** Above 0: paid in. */
  amount: usdNumber,
  /** The payment outside, as the bank or the chain names it. */
  reference: z.string(),
  ...proposal(PROPOSAL_STATUSES),
  /** Proposed by this operator: another operator decides. */
  own: z.boolean(),
})
export type DeskCapitalMove = z.infer<typeof DeskCapitalMove>

/** The house's capital: one admin proposes a movement, another decides. */
export const capitalCalls = {
  ...queueCalls('capital-moves', {
    item: DeskCapitalMove,
    summary: "Lists pending and decided movements of the house's capital, newest first.",
    filter: {},
    actions: {
      approve: { summary: "Approves a movement of the house's capital.", idempotent: true },
      reject: { summary: "Rejects a movement of the house's capital.", body: Reason, idempotent: true },
    },
  }),
  'POST /desk/capital-moves': {
    summary: "Proposes to record a payment into the house's capital, or out of it; a second admin decides.",
    access: 'operator',
    roles: QUEUES['capital-moves'].acts,
    body: z.strictObject({ amount: signedUsd, reference: text(100), reason }),
    reply: replyOf(DeskCapitalMove),
    problems: ['wrong_state', 'idempotency_mismatch'],
    idempotent: true,
  },
} as const satisfies Record<string, Endpoint>
