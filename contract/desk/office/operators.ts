import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../../endpoint.ts'
import { email, isoTime, MESSAGE, oneOf } from '../../fields.ts'
import { OPERATOR_ROLES } from '../../terms.ts'
import { byId, list, proposal, Reason, reason } from '../parts.ts'
import { decisionCalls } from '../queue-calls.ts'
import { PAGES, PROPOSAL_STATUSES } from '../terms.ts'

const roles = z
  .array(oneOf(OPERATOR_ROLES), { error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be a list') })
  .check(
    z.minLength(1, { error: MESSAGE.empty, abort: true }),
    z.refine((list) => new Set(list).size === list.length, 'must name each role once'),
  )

export const DeskOperator = z.strictObject({
  id: z.string(),
  email: z.string(),
  roles: z.array(z.enum(OPERATOR_ROLES)),
  /** Invited: has not joined yet. Ended: can no longer sign in. */
  status: z.enum(['Invited', 'Active', 'Ended']),
  created_at: isoTime,
  last_seen_at: z.nullable(isoTime),
  ended_at: z.nullable(isoTime),
  own: z.boolean(),
})
export type DeskOperator = z.infer<typeof DeskOperator>

/** What one admin proposed and another decides: an invitation, other roles, or the end of an admin's access. */
export const DeskOperatorChange = z.strictObject({
  id: z.string(),
  kind: z.enum(['invite', 'roles', 'end']),
  email: z.string(),
  roles: z.array(z.enum(OPERATOR_ROLES)),
  ...proposal(PROPOSAL_STATUSES),
  own: z.boolean(),
})
export type DeskOperatorChange = z.infer<typeof DeskOperatorChange>

/** Operators, invitations and role changes. */
export const operatorCalls = {
  'GET /desk/operators': {
    summary: 'Lists operators: invited, active and ended.',
    access: 'operator',
    roles: PAGES.operators.sees,
    query: z.strictObject({ status: z.optional(oneOf(['Invited', 'Active', 'Ended'])), ...list }),
    reply: listOf(DeskOperator),
    problems: [],
  },
  'POST /desk/operators': {
    summary: 'Proposes to invite an operator. Once a second admin approves, the link is e-mailed to the invitee.',
    access: 'operator',
    roles: PAGES.operators.acts,
    body: z.strictObject({ email, roles }),
    reply: replyOf(DeskOperatorChange),
    problems: ['already_exists', 'wrong_state'],
  },
  'POST /desk/operators/:id/roles': {
    summary:
      "Proposes other roles for an operator. A second admin's approval applies them and ends the operator's sessions.",
    access: 'operator',
    roles: PAGES.operators.acts,
    params: byId,
    body: z.strictObject({ roles, reason }),
    reply: replyOf(DeskOperatorChange),
    problems: ['not_found', 'wrong_state', 'own_item'],
  },
  'GET /desk/operator-changes': {
    summary: 'Lists proposed invitations, role changes and ends of admins, newest first.',
    access: 'operator',
    roles: PAGES.operators.sees,
    query: z.strictObject({ status: z.optional(oneOf(PROPOSAL_STATUSES)), ...list }),
    reply: listOf(DeskOperatorChange),
    problems: [],
  },
  ...decisionCalls(
    'operator-changes',
    { item: DeskOperatorChange, acts: PAGES.operators.acts },
    {
      approve: {
        summary: 'Approves what another admin proposed about an operator.',
        problems: ['already_exists'],
      },
      reject: { summary: 'Rejects what another admin proposed about an operator.', body: Reason },
    },
  ),
  'POST /desk/operators/:id/end': {
    summary:
      "Ends an operator's access, sessions and claims at once. They come back only as a new operator. An admin's end is proposed; a second admin decides.",
    access: 'operator',
    roles: PAGES.operators.acts,
    params: byId,
    body: Reason,
    reply: replyOf(z.strictObject({ ended: z.boolean() })),
    problems: ['not_found', 'wrong_state', 'own_item'],
  },
} as const satisfies Record<string, Endpoint>
