import * as z from 'zod/mini'
import { email, LENGTH, text, token } from './fields.ts'

/** What a visitor or trader says to the desk on the stream. Without anything but `op` it asks how things stand. */
export const ChatSaying = z.strictObject({
  op: z.literal('chat'),
  /** A visitor's; the answer to his first words gave it. Traders are known by their session. */
  token: z.optional(token()),
  text: z.optional(text(LENGTH.message)),
  /** Where a visitor wants to be answered when he is gone. */
  email: z.optional(email),
  /** He is writing. Told now and then while it lasts. */
  typing: z.optional(z.literal(true)),
})
export type ChatSaying = z.infer<typeof ChatSaying>

export const ChatMessage = z.strictObject({
  id: z.string(),
  /** `you`: who listens on the stream; `desk`: the operator. */
  from: z.enum(['you', 'desk']),
  text: z.string(),
  at: z.string(),
})
export type ChatMessage = z.infer<typeof ChatMessage>

export const CHAT_STATUSES = ['None', 'Open', 'Closed'] as const

/** How the conversation stands, with what is new of it. Messages come once or more; their ids tell. */
export const ChatNews = z.strictObject({
  /** Given once, with the answer to a visitor's first words. */
  token: z.optional(z.string()),
  status: z.enum(CHAT_STATUSES),
  /** Whether somebody is at the desk now. */
  desk: z.enum(['here', 'away']),
  /** How whoever answers is called, as the operator has set; null while nobody does. */
  operator: z.nullable(z.string()),
  /** The operator is writing. */
  typing: z.boolean(),
  /** Where answers go by mail; null where it is not known. */
  email: z.nullable(z.string()),
  messages: z.array(ChatMessage),
})
export type ChatNews = z.infer<typeof ChatNews>

/** How long somebody counts as writing after he was last heard to, milliseconds. */
export const TYPING_MS = 4_000
