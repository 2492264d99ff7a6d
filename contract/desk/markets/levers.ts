import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, oneOf, text } from '../../fields.ts'
import { rowId } from '../../ids.ts'
import { LEVERS } from '../../terms.ts'
import { Person, proposal, Reason, reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { PAGES, PROPOSAL_STATUSES, QUEUES } from '../terms.ts'

/** Most characters of a maintenance notice. */
export const NOTICE_LENGTH = 160

const Lever = {
  kind: z.enum(LEVERS),
  /** The symbol that is stopped; null for other levers. */
  symbol: z.nullable(z.string()),
  /** What every screen shows; null for other levers. */
  notice: z.nullable(z.string()),
  pulled_by: Person,
  pulled_at: isoTime,
  /** Why it was pulled. Traders don't see it. */
  why: z.string(),
}

/** An emergency lever that is pulled. */
export const DeskLever = z.strictObject({
  id: z.string(),
  ...Lever,
  /** The pending proposal to release it. */
  release: z.nullable(z.strictObject({ id: z.string(), proposed_by: Person })),
})
export type DeskLever = z.infer<typeof DeskLever>

/** A proposal to release a lever. */
export const DeskLeverRelease = z.strictObject({
  id: z.string(),
  lever_id: z.string(),
  ...Lever,
  ...proposal(PROPOSAL_STATUSES),
  /** Proposed by this operator: another operator decides. */
  own: z.boolean(),
})
export type DeskLeverRelease = z.infer<typeof DeskLeverRelease>

/** Emergency levers: one operator pulls one, two release it. */
export const leverCalls = {
  'GET /desk/levers': {
    summary: 'Returns the emergency levers that are pulled: by whom, when, why, and who proposed to release them.',
    access: 'operator',
    reply: replyOf(z.array(DeskLever)),
    problems: [],
  },
  'POST /desk/levers': {
    summary:
      'Pulls an emergency lever, at once and on every node. Open trades run on and settle. Releasing it takes two operators.',
    access: 'operator',
    roles: PAGES.emergency.acts,
    body: z.strictObject({
      kind: oneOf(LEVERS),
      /** Required for `symbol`. */
      symbol: z.optional(text(20)),
      /** Required for `maintenance`. */
      notice: z.optional(text(NOTICE_LENGTH)),
      reason,
    }),
    reply: replyOf(z.array(DeskLever)),
    problems: ['wrong_state'],
  },
  ...queueCalls('lever-releases', {
    item: DeskLeverRelease,
    summary: 'Lists pending and decided releases of emergency levers, newest first.',
    filter: {},
    actions: {
      approve: { summary: 'Approves the release of an emergency lever, at once.' },
      reject: { summary: 'Rejects the release of an emergency lever, which stays pulled.', body: Reason },
    },
  }),
  'POST /desk/lever-releases': {
    summary: 'Proposes to release an emergency lever; a second operator decides.',
    access: 'operator',
    roles: QUEUES['lever-releases'].acts,
    body: z.strictObject({ lever_id: rowId, reason }),
    reply: replyOf(DeskLeverRelease),
    problems: ['wrong_state', 'not_found'],
  },
} as const satisfies Record<string, Endpoint>
