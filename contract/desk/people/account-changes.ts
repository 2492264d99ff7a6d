import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { oneOf, optionalText } from '../../fields.ts'
import { rowId } from '../../ids.ts'
import { byId, proposal, Reason, reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { ACCOUNT_CHANGES, LOCKS, PAGES, PROPOSAL_STATUSES } from '../terms.ts'

/** A change of a trader's account that one operator can't make alone. */
export const DeskAccountChange = z.strictObject({
  id: z.string(),
  kind: z.enum(ACCOUNT_CHANGES),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  /** What is to be unlocked. */
  locks: z.array(z.enum(LOCKS)),
  ...proposal(PROPOSAL_STATUSES),
  /** Proposed by this operator, or about them: another operator decides. */
  own: z.boolean(),
})
export type DeskAccountChange = z.infer<typeof DeskAccountChange>

/** Changes of accounts that take two operators. */
export const accountChangeCalls = {
  ...queueCalls('account-changes', {
    item: DeskAccountChange,
    summary: 'Lists pending and decided changes of accounts, newest first.',
    filter: { user: optionalText(20) },
    actions: {
      approve: { summary: 'Approves a change of an account and makes it.', problems: ['forbidden'] },
      reject: { summary: 'Rejects a change of an account.', body: Reason, problems: ['forbidden'] },
    },
  }),
  'POST /desk/users/:id/unlocks': {
    summary: 'Proposes to lift locks that another role set; a second operator decides.',
    access: 'operator',
    roles: PAGES.users.locks,
    params: byId,
    body: z.strictObject({ locks: z.array(oneOf(LOCKS)).check(z.minLength(1), z.maxLength(LOCKS.length)), reason }),
    reply: replyOf(DeskAccountChange),
    problems: ['not_found', 'own_item', 'wrong_state'],
  },
  'POST /desk/users/:id/match-lifts': {
    summary: "Proposes to lift another person's self-exclusion from an account; a second compliance operator decides.",
    access: 'operator',
    roles: PAGES.users.liftsMatches,
    params: byId,
    /** `exclusion`: the id of the carried exclusion. */
    body: z.strictObject({ exclusion: rowId, reason }),
    reply: replyOf(DeskAccountChange),
    problems: ['not_found', 'own_item', 'wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
