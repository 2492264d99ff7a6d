import * as z from 'zod/mini'
import { isoTime, LENGTH, text } from '../../fields.ts'
import { item, Person } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { MESSAGE_STATUSES } from '../terms.ts'

export const DeskMessage = z.strictObject({
  ...item,
  message: z.string(),
  status: z.enum(MESSAGE_STATUSES),
  replies: z.array(z.strictObject({ ...Person.shape, text: z.string(), at: isoTime })),
})
export type DeskMessage = z.infer<typeof DeskMessage>

/** Messages from the contact form. */
export const messageCalls = queueCalls('messages', {
  item: DeskMessage,
  summary: 'Lists messages from the contact form, newest first.',
  filter: {},
  actions: {
    reply: { summary: 'Replies to a message by e-mail.', body: z.strictObject({ text: text(LENGTH.message) }) },
    close: { summary: 'Closes a message.' },
  },
})
