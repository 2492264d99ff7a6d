import * as z from 'zod/mini'
import { negate, parseUsd, type Usd } from '#kernel/money.ts'
import { cursor, isoTime, LENGTH, limit, MESSAGE, oneOf, text, usdNumber } from '../fields.ts'
import { publicId, rowId } from '../ids.ts'
import { BUSINESS_DAYS } from './terms.ts'

export const reason = text(LENGTH.reason)

/** A signed, non-zero number of dollars with at most two decimals. */
export const signedUsd = z.pipe(
  z.number({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be a number') }),
  z.transform((dollars: number, context): Usd => {
    const amount = dollars === 0 ? undefined : parseUsd(Math.abs(dollars))
    if (amount !== undefined) return dollars < 0 ? negate(amount) : amount
    const message = 'must be an amount with at most two decimals, above or below 0'
    context.issues.push({ code: 'custom', message, input: dollars })
    return z.NEVER
  }),
)

export const Reason = z.strictObject({ reason })

export const byId = z.strictObject({ id: rowId })
export const byPublicId = z.strictObject({ id: publicId })

export const flag = z.optional(z.boolean({ error: 'must be true or false' }))

/** Lists are available as a JSON page, or in full as a CSV file. */
export const format = z.optional(oneOf(['json', 'csv']))

/** Selects rows of the last UTC days, today included. */
export const days = z.optional(oneOf(BUSINESS_DAYS))

export const list = { limit, cursor, format }

/** An operator. */
export const Person = z.strictObject({ operator_id: z.string(), email: z.string() })

/** Fields that claimed items of every queue have. */
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

/** What an operator reads from the blockchain. */
export const arrivalFields = {
  transaction_id: text(LENGTH.bank),
  /** Decimal text with at most 8 places. */
  coin_amount: text(32).check(
    z.refine((value) => /^\d{1,12}(\.\d{1,8})?$/.test(value) && Number(value) > 0, MESSAGE.invalid),
  ),
  /** ISO 8601, UTC. */
  arrived_at: z.iso.datetime({ error: MESSAGE.invalid }),
}

export const Approval = z.strictObject({ ...Person.shape, amount: z.optional(usdNumber), at: isoTime })

/** Fields that every proposal has: one operator proposes, another decides. */
export const proposal = <const S extends readonly string[]>(statuses: S) => ({
  reason: z.string(),
  status: z.enum(statuses),
  proposed_by: Person,
  created_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  decision_reason: z.optional(z.string()),
})
