import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { isoTime, LENGTH, oneOf, text } from '../fields.ts'
import { actionRow, claimRow, item, Person, queue } from './parts.ts'
import { MESSAGE_STATUSES } from './terms.ts'

export const DeskMessage = z.strictObject({
  ...item,
  message: z.string(),
  status: z.enum(MESSAGE_STATUSES),
  replies: z.array(z.strictObject({ ...Person.shape, text: z.string(), at: isoTime })),
})
export type DeskMessage = z.infer<typeof DeskMessage>

/** Messages from the contact form. */
export const messageCalls = {
  'GET /desk/messages': {
    summary: 'Messages from the contact form, newest first.',
    access: 'operator',
    roles: ['support', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(MESSAGE_STATUSES)), ...queue }),
    reply: listOf(DeskMessage),
    problems: [],
  },
  'POST /desk/messages/:id/claim': claimRow('messages', 'Take a message to work on.'),
  'POST /desk/messages/:id/release': claimRow('messages', 'Give a message back.'),
  'POST /desk/messages/:id/reply': {
    ...actionRow('Answer a message by mail.', ['support'], replyOf(DeskMessage)),
    body: z.strictObject({ text: text(LENGTH.message) }),
  },
  'POST /desk/messages/:id/close': actionRow('Close a message.', ['support'], replyOf(DeskMessage)),
} as const satisfies Record<string, Endpoint>
