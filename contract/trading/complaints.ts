import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { cursor, isoTime, LENGTH, limit, MESSAGE, oneOf, optionalText, usdNumber } from '../fields.ts'
import { publicId } from '../ids.ts'
import {
  COMPLAINT_FINDINGS,
  COMPLAINT_ITEMS,
  COMPLAINT_REASONS,
  COMPLAINT_STATUSES,
  COMPLAINT_TICKS,
  REASONS_OF,
} from '../terms.ts'

/** How long after its result (or its request) a trader can complain about an item, in days. */
export const COMPLAINT_DAYS = 30
/** Complaints that a trader can file within 24 hours, and about one item. */
export const COMPLAINTS_A_DAY = 5
export const COMPLAINTS_AN_ITEM = 2

/** The records that the server attached to a complaint, and the results of its checks. */
export const ComplaintEvidence = z.strictObject({
  /** Whether every check agreed. */
  verified: z.boolean(),
  checked_at: isoTime,
  facts: z.array(z.strictObject({ label: z.string(), value: z.string() })),
  steps: z.array(z.strictObject({ name: z.string(), ok: z.boolean(), says: z.string() })),
})
export type ComplaintEvidence = z.infer<typeof ComplaintEvidence>

/** The ruling of two operators. */
const ComplaintRuling = z.strictObject({
  finding: z.enum(COMPLAINT_FINDINGS),
  decided_at: isoTime,
  /** The price that was ruled wrong: stakes of trades that it made lose are returned. */
  tick: z.nullable(z.enum(COMPLAINT_TICKS)),
})

export const Complaint = z.strictObject({
  id: z.string(),
  item: z.enum(COMPLAINT_ITEMS),
  /** The number of the trade, deposit or withdrawal. */
  item_id: z.string(),
  reason: z.enum(COMPLAINT_REASONS),
  text: z.string(),
  status: z.enum(COMPLAINT_STATUSES),
  /** Who is working on it; absent once it is closed. */
  held_by: z.optional(z.string()),
  createdAt: isoTime,
  /** When the decision is due. */
  due_by: isoTime,
  /** Null until the server has checked the records, which takes about a minute. */
  evidence: z.nullable(ComplaintEvidence),
  ruling: z.nullable(ComplaintRuling),
  /** US dollars returned to the trader for this item; absent if none were. */
  remedy: z.optional(usdNumber),
})
export type Complaint = z.infer<typeof Complaint>

const ComplaintBody = z
  .strictObject({
    item: oneOf(COMPLAINT_ITEMS),
    item_id: publicId,
    reason: oneOf(COMPLAINT_REASONS),
    text: optionalText(LENGTH.reason),
  })
  .check(
    z.refine(({ item, reason }) => (REASONS_OF[item] as readonly string[]).includes(reason), {
      path: ['reason'],
      error: MESSAGE.invalid,
    }),
  )

/** What a trader can do about one item, and what was done. */
export const ItemComplaint = z.strictObject({
  /** The newest complaint about it. */
  complaint: z.nullable(Complaint),
  /** Why it can't be complained about (again); null if it can. */
  refused: z.nullable(z.string()),
  /** US dollars returned for it, also after another trader's complaint. */
  remedy: z.optional(usdNumber),
})
export type ItemComplaint = z.infer<typeof ItemComplaint>

const itemQuery = z.strictObject({ item: oneOf(COMPLAINT_ITEMS), item_id: publicId })

/** Complaints of traders. */
export const complaintsCalls = {
  'POST /complaints': {
    summary:
      'Complains about a settled trade, a deposit or a withdrawal. The records are attached and checked again. While a complaint about the item is open, returns that one.',
    access: 'user',
    limit: { max: 20, per: 'hour', message: (wait) => `You've sent too many complaints. Try again in ${wait}.` },
    body: ComplaintBody,
    reply: replyOf(Complaint),
    problems: ['not_found', 'wrong_state', 'limit_reached'],
  },
  'GET /complaints': {
    summary: "Lists the trader's complaints, newest first.",
    access: 'user',
    query: z.strictObject({ limit, cursor }),
    reply: listOf(Complaint),
    problems: [],
  },
  'GET /complaints/of': {
    summary:
      'Returns the newest complaint about one item, what was returned for it, and whether it can be complained about.',
    access: 'user',
    query: itemQuery,
    reply: replyOf(ItemComplaint),
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
