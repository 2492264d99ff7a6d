import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { email, isoTime, MESSAGE, oneOf } from '../fields.ts'
import { OPERATOR_ROLES } from '../terms.ts'
import { actionRow, admin, byId, list, Person, Reason, reason } from './parts.ts'
import { PROPOSAL_STATUSES } from './terms.ts'

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

/** An invitation or role change that one admin proposed and another decides. */
export const DeskOperatorChange = z.strictObject({
  id: z.string(),
  kind: z.enum(['invite', 'roles']),
  email: z.string(),
  roles: z.array(z.enum(OPERATOR_ROLES)),
  reason: z.string(),
  status: z.enum(PROPOSAL_STATUSES),
  proposed_by: Person,
  created_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  decision_reason: z.optional(z.string()),
  own: z.boolean(),
})
export type DeskOperatorChange = z.infer<typeof DeskOperatorChange>

/** Operators, invitations and role changes. */
export const operatorCalls = {
  'GET /desk/operators': {
    summary: 'Everyone of the desk, invited, active and ended.',
    access: 'operator',
    roles: ['admin', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(['Invited', 'Active', 'Ended'])), ...list }),
    reply: listOf(DeskOperator),
    problems: [],
  },
  'POST /desk/operators': {
    summary: 'Proposes to invite an operator. Once a second admin approves, the link is e-mailed to the invitee.',
    access: 'operator',
    roles: admin,
    body: z.strictObject({ email, roles }),
    reply: replyOf(DeskOperatorChange),
    problems: ['already_exists', 'wrong_state'],
  },
  'POST /desk/operators/:id/roles': {
    summary:
      "Proposes other roles for an operator. A second admin's approval applies them and ends the operator's sessions.",
    access: 'operator',
    roles: admin,
    params: byId,
    body: z.strictObject({ roles, reason }),
    reply: replyOf(DeskOperatorChange),
    problems: ['not_found', 'wrong_state', 'own_item'],
  },
  'GET /desk/operator-changes': {
    summary: 'Lists proposed invitations and role changes, newest first.',
    access: 'operator',
    roles: ['admin', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(PROPOSAL_STATUSES)), ...list }),
    reply: listOf(DeskOperatorChange),
    problems: [],
  },
  'POST /desk/operator-changes/:id/approve': {
    ...actionRow('Approves an invitation or a role change of another admin.', admin, replyOf(DeskOperatorChange)),
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required', 'already_exists'],
  },
  'POST /desk/operator-changes/:id/reject': {
    ...actionRow('Rejects an invitation or a role change of another admin.', admin, replyOf(DeskOperatorChange)),
    body: Reason,
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required'],
  },
  'POST /desk/operators/:id/end': {
    summary: "Ends an operator's access, sessions and claims at once. They come back only as a new operator.",
    access: 'operator',
    roles: admin,
    params: byId,
    body: Reason,
    reply: replyOf(DeskOperator),
    problems: ['not_found', 'wrong_state', 'own_item'],
  },
} as const satisfies Record<string, Endpoint>
