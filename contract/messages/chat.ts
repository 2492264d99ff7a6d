import * as z from 'zod/mini'
import { email, LENGTH, text, token } from '../fields.ts'

/** A message from a visitor or trader to the desk on the stream. With `op` alone it requests the current state. */
export const ChatSaying = z.strictObject({
  op: z.literal('chat'),
  /** A visitor's token, from the response to their first message. Traders are identified by their session. */
  token: z.optional(token()),
  text: z.optional(text(LENGTH.message)),
  /** Where to send replies while a visitor is offline. */
  email: z.optional(email),
  /** The visitor or trader is typing. Sent repeatedly while it lasts. */
  typing: z.optional(z.literal(true)),
})
export type ChatSaying = z.infer<typeof ChatSaying>

/** What a rejected message said. */
export type ChatSaid = Pick<ChatSaying, 'text' | 'email'>

export const ChatMessage = z.strictObject({
  id: z.string(),
  /** `you`: the recipient of the stream; `desk`: the operator. */
  from: z.enum(['you', 'desk']),
  text: z.string(),
  at: z.string(),
})
export type ChatMessage = z.infer<typeof ChatMessage>

const CHAT_STATUSES = ['None', 'Open', 'Closed'] as const

/**
 * The state of the conversation with its new messages. A message can arrive more than once; clients deduplicate by id.
 */
export const ChatNews = z.strictObject({
  /** Sent once, in response to a visitor's first message. */
  token: z.optional(z.string()),
  status: z.enum(CHAT_STATUSES),
  /** Whether an operator is online. */
  desk: z.enum(['here', 'away']),
  /** The desk's display name from the settings; null until the desk has answered. */
  operator: z.nullable(z.string()),
  /** The operator is typing. */
  typing: z.boolean(),
  /** Where replies are e-mailed; null when unknown. */
  email: z.nullable(z.string()),
  messages: z.array(ChatMessage),
})
export type ChatNews = z.infer<typeof ChatNews>

/** How long the typing indicator lasts after the last report, in milliseconds. */
export const TYPING_MS = 4_000
