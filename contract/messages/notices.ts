import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { cursor, isoTime, limit, oneOf } from '../fields.ts'
import { rowId } from '../ids.ts'

export const NOTICE_KINDS = [
  'deposit',
  'withdraw',
  'verification',
  'plan',
  'security',
  'account',
  'trade',
  'automatic',
  'alert',
  'trade-ending',
  'trade-settled',
  'order',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** Where a notification goes: the list in the app, by e-mail, to the devices that take push messages. */
export const NOTICE_CHANNELS = ['in_app', 'email', 'push'] as const
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number]
type Channels = Record<NoticeChannel, boolean>

const EVERYWHERE: Channels = { in_app: true, email: true, push: true }
const NOWHERE: Channels = { in_app: false, email: false, push: false }

/** Where notifications go until a trader decides. */
export const NOTICE_DEFAULTS: Record<NoticeKind, Channels> = {
  deposit: EVERYWHERE,
  withdraw: EVERYWHERE,
  verification: EVERYWHERE,
  plan: EVERYWHERE,
  security: EVERYWHERE,
  account: EVERYWHERE,
  trade: EVERYWHERE,
  automatic: EVERYWHERE,
  alert: { in_app: true, email: false, push: true },
  'trade-ending': NOWHERE,
  'trade-settled': NOWHERE,
  order: { in_app: true, email: false, push: true },
}

/**
 * Whether a trader can switch a channel off. The list in the app is the record; e-mails about sign-in and money that leaves
 * reach the owner even after someone else has taken over a session.
 */
export const canSwitchOff = (kind: NoticeKind, channel: NoticeChannel): boolean => {
  if (channel === 'in_app') return kind === 'trade-ending' || kind === 'trade-settled'
  return channel === 'push' || (kind !== 'security' && kind !== 'withdraw')
}

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

export const NoticePreference = z.strictObject({
  kind: z.enum(NOTICE_KINDS),
  in_app: z.boolean(),
  email: z.boolean(),
  push: z.boolean(),
})
export type NoticePreference = z.infer<typeof NoticePreference>

const preferences = replyOf(z.array(NoticePreference))

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
  'GET /notices/preferences': {
    summary: 'Returns where notifications of each kind go: in the app, by e-mail, as push messages.',
    access: 'user',
    guests: true,
    reply: preferences,
    problems: [],
  },
  'PATCH /notices/preferences': {
    summary:
      "Switches a kind of notifications on or off in one channel. E-mails about security and withdrawals can't be switched off.",
    access: 'user',
    guests: true,
    body: z.strictObject({
      kind: oneOf(NOTICE_KINDS),
      channel: oneOf(NOTICE_CHANNELS),
      on: z.boolean({ error: 'must be true or false' }),
    }),
    reply: preferences,
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
