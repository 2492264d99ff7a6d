import * as z from 'zod/mini'
import { type Endpoint, messageReply } from '../endpoint.ts'
import { cursor, isoTime, LENGTH, limit, oneOf, text, usdNumber } from '../fields.ts'
import type { Queue } from './terms.ts'

export const reason = text(LENGTH.reason)

export const Reason = z.strictObject({ reason })

export const byId = z.strictObject({ id: text(20) })

export const flag = z.optional(z.boolean({ error: 'must be true or false' }))

/** Lists are available as a JSON page, or in full as a CSV file. */
export const format = z.optional(oneOf(['json', 'csv']))

export const list = { limit, cursor, format }

/** With `order=oldest` a queue starts at its oldest item; the default is newest first, as for every list. */
export const queue = { ...list, order: z.optional(oneOf(['oldest'])) }

/** An operator. */
export const Person = z.strictObject({ operator_id: z.string(), email: z.string() })

/** Fields that items of every queue have. */
export const item = {
  id: z.string(),
  /** Null when the item belongs to no account (a message from the public site). */
  user_id: z.nullable(z.string()),
  email: z.string(),
  name: z.string(),
  created_at: isoTime,
  /** Who works on it. Expires after 30 minutes without an action. */
  claimed_by: z.nullable(z.strictObject({ ...Person.shape, since: isoTime, mine: z.boolean() })),
  /** The operator's own item: another operator must handle it. */
  own: z.boolean(),
  /** Warnings, as text. */
  flags: z.array(z.string()),
}

export const Approval = z.strictObject({ ...Person.shape, amount: z.optional(usdNumber), at: isoTime })

const WORKS_ON = {
  'identity-checks': ['compliance'],
  deposits: ['finance'],
  withdrawals: ['finance'],
  'plan-requests': ['finance'],
  messages: ['support'],
  chats: ['support'],
} as const

export const compliance = ['compliance'] as const

export const finance = ['finance'] as const

export const risk = ['risk'] as const

export const admin = ['admin'] as const

export const actProblems = ['not_found', 'wrong_state', 'claimed', 'own_item'] as const

export const claimRow = <Q extends Queue>(queue: Q, summary: string) =>
  ({
    summary,
    access: 'operator',
    roles: WORKS_ON[queue],
    params: byId,
    reply: messageReply,
    problems: actProblems,
  }) as const

export const actionRow = <const R extends Endpoint['roles'], D extends Endpoint['reply']>(
  summary: string,
  roles: R,
  reply: D,
) => ({ summary, access: 'operator', roles, params: byId, reply, problems: actProblems }) as const
