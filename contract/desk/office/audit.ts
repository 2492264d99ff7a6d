import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../../endpoint.ts'
import { isoTime, optionalText } from '../../fields.ts'
import { list } from '../parts.ts'
import { PAGES } from '../terms.ts'

export const DeskAuditRow = z.strictObject({
  /** Its number in the chain, from 1. */
  id: z.string(),
  at: isoTime,
  /** Null for an action from the host. */
  operator_id: z.nullable(z.string()),
  operator: z.string(),
  action: z.string(),
  item_kind: z.string(),
  item_id: z.string(),
  /** The account that the action concerns. */
  user_id: z.nullable(z.string()),
  before: z.nullable(z.unknown()),
  after: z.nullable(z.unknown()),
  why: z.string(),
  /** Hex. */
  hash: z.string(),
})
export type DeskAuditRow = z.infer<typeof DeskAuditRow>

/** The audit log. */
export const auditCalls = {
  'GET /desk/audit': {
    summary: "Lists operators' actions, newest first.",
    access: 'operator',
    roles: PAGES.audit.sees,
    query: z.strictObject({
      operator: optionalText(20),
      action: optionalText(60),
      item_kind: optionalText(40),
      item_id: optionalText(40),
      user: optionalText(20),
      ...list,
    }),
    reply: listOf(DeskAuditRow),
    problems: [],
  },
  'GET /desk/audit/verify': {
    summary: 'Recomputes the chain of the audit log and names the first row that was changed or removed.',
    access: 'operator',
    roles: PAGES.audit.verifies,
    reply: replyOf(
      z.strictObject({ ok: z.boolean(), rows: z.number(), head: z.string(), broken: z.nullable(z.string()) }),
    ),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
