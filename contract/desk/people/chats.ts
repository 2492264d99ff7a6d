import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from '../../endpoint.ts'
import { isoTime, LENGTH, text } from '../../fields.ts'
import { ChatMessage } from '../../messages/chat.ts'
import { byId, item } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { MESSAGE_STATUSES, QUEUES } from '../terms.ts'

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

/** The queue of live chats. */
export const chatQueueCalls = queueCalls('chats', {
  item: DeskChat,
  summary: 'Lists live chats, newest first.',
  filter: {},
  actions: {
    reply: {
      summary: 'Replies in a live chat and keeps the claim. The reply is e-mailed if the visitor is offline.',
      body: z.strictObject({ text: text(LENGTH.message) }),
      reply: replyOf(DeskConversation),
    },
    close: { summary: 'Closes a live chat.', reply: replyOf(DeskConversation) },
  },
})

/** Live chats. */
export const chatCalls = {
  ...chatQueueCalls,
  'GET /desk/chats/:id': {
    summary: 'Returns a live chat with its messages.',
    access: 'operator',
    roles: QUEUES.chats.sees,
    params: byId,
    reply: replyOf(DeskConversation),
    problems: ['not_found'],
  },
  'POST /desk/chats/:id/typing': {
    summary: 'Shows the visitor that an operator is typing. Nothing is stored.',
    access: 'operator',
    roles: QUEUES.chats.acts,
    params: byId,
    reply: messageReply,
    problems: ['not_found', 'wrong_state', 'claimed', 'own_item'],
  },
} as const satisfies Record<string, Endpoint>
