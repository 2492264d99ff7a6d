import * as z from 'zod/mini'
import { type Endpoint, messageReply } from './endpoint.ts'
import { cursor, isoTime, limit } from './fields.ts'
import { rowId } from './ids.ts'

const NOTICE_KINDS = [
  'deposit',
  'withdraw',
  'verification',
  'plan',
  'security',
  'account',
  'trade',
  'automatic',
  'alert',
] as const

/** A notification about a trader's money, identity or account. */
export const Notice = z.strictObject({
  id: z.string(),
  kind: z.enum(NOTICE_KINDS),
  title: z.string(),
  text: z.string(),
  /** Path of the related screen, or ''. */
  path: z.string(),
  at: isoTime,
  read: z.boolean(),
})
export type Notice = z.infer<typeof Notice>

export const noticesCalls = {
  'GET /notices': {
    summary: 'Lists notifications, newest first, with the unread count.',
    access: 'user',
    guests: true,
    mayLag: true,
    query: z.strictObject({ limit, cursor }),
    reply: z.strictObject({
      status: z.literal(true),
      data: z.array(Notice),
      unread: z.number(),
      next_cursor: z.optional(z.string()),
    }),
    problems: [],
  },
  'POST /notices/read': {
    summary: 'Marks notifications as read, up to and including this one.',
    access: 'user',
    guests: true,
    body: z.strictObject({ up_to: rowId }),
    reply: messageReply,
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
