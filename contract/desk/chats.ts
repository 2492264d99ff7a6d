import * as z from 'zod/mini'
import { ChatMessage } from '../chat.ts'
import { type Endpoint, listOf, messageReply, replyOf } from '../endpoint.ts'
import { isoTime, LENGTH, oneOf, text } from '../fields.ts'
import { actionRow, byId, claimRow, item, queue } from './parts.ts'
import { MESSAGE_STATUSES } from './terms.ts'

export const DeskChat = z.strictObject({
  ...item,
  status: z.enum(MESSAGE_STATUSES),
  /** The latest message and its sender. */
  last: z.nullable(z.strictObject({ from: z.enum(['visitor', 'desk']), text: z.string(), at: isoTime })),
  /** Since when the visitor or trader has been waiting for an answer. */
  waits_since: z.nullable(isoTime),
  /** Whether the visitor or trader is connected; otherwise replies are e-mailed, if their address is known. */
  here: z.boolean(),
})
export type DeskChat = z.infer<typeof DeskChat>

export const DeskConversation = z.strictObject({
  ...DeskChat.shape,
  /** The newest 100, oldest first. */
  messages: z.array(
    z.strictObject({
      ...z.omit(ChatMessage, { from: true }).shape,
      from: z.enum(['visitor', 'desk']),
      /** The operator who wrote it. */
      operator: z.nullable(z.string()),
    }),
  ),
  /** The visitor or trader is typing. */
  typing: z.boolean(),
})
export type DeskConversation = z.infer<typeof DeskConversation>

/** Live chats. */
export const chatCalls = {
  'GET /desk/chats': {
    summary: 'Live chats, newest first.',
    access: 'operator',
    roles: ['support', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(MESSAGE_STATUSES)), ...queue }),
    reply: listOf(DeskChat),
    problems: [],
  },
  'GET /desk/chats/:id': {
    summary: 'One live chat with what was said.',
    access: 'operator',
    roles: ['support', 'auditor'],
    params: byId,
    reply: replyOf(DeskConversation),
    problems: ['not_found'],
  },
  'POST /desk/chats/:id/claim': claimRow('chats', 'Take a live chat.'),
  'POST /desk/chats/:id/release': claimRow('chats', 'Give a live chat back.'),
  'POST /desk/chats/:id/reply': {
    ...actionRow(
      'Answer in a live chat, and go on having it; by mail where nobody listens any more.',
      ['support'],
      replyOf(DeskConversation),
    ),
    body: z.strictObject({ text: text(LENGTH.message) }),
  },
  'POST /desk/chats/:id/typing': actionRow(
    'Say that an answer is being written; nothing is kept of it.',
    ['support'],
    messageReply,
  ),
  'POST /desk/chats/:id/close': actionRow('Close a live chat.', ['support'], replyOf(DeskConversation)),
} as const satisfies Record<string, Endpoint>
