import * as z from 'zod/mini'
import type { ChatNews, ChatSaid } from '#contract/messages/chat.ts'
import { ClientMessage } from '#contract/messages/push.ts'

/** Who sends a chat message: a trader by their session, a visitor by IP and their socket's conversation. */
export interface Speaker {
  userId: bigint | undefined
  chatId: bigint | undefined
  ip: string
}

/** The reply to the sender, and what the conversation's other sockets receive. */
export interface ChatAnswer {
  chatId: bigint | undefined
  data: ChatNews
  others?: ChatNews
}

/** Why a message isn't one, as text for its sender, and what it said if it was for the chat. */
interface Malformed {
  op: 'malformed'
  reason: string
  said?: ChatSaid
}

/** Returns a client's message, or why it's none. */
export function readMessage(text: string | undefined): ClientMessage | Malformed {
  const raw = parse(text)
  const result = z.safeParse(ClientMessage, raw)
  if (result.success) return result.data
  const { op, text: words, email } = (raw ?? {}) as Record<string, unknown>
  if (op !== 'chat') return { op: 'malformed', reason: INVALID }
  const isEmail = result.error.issues.some(({ path }) => path[0] === 'email')
  return {
    op: 'malformed',
    reason: isEmail ? 'Email is invalid' : INVALID,
    said: {
      ...(typeof words === 'string' && { text: words }),
      ...(typeof email === 'string' && { email }),
    },
  }
}

const INVALID = 'The message is invalid.'

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Encodes a text message as a server sends it (RFC 6455, 5.2): final, not masked and not compressed, which the server
 * doesn't offer. The library writes each message whole, so these bytes fit between any two.
 */
export function textMessage(text: string): Buffer {
  const payload = Buffer.from(text)
  const { length } = payload
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const head = Buffer.alloc(2 + size)
  head[0] = 0x81
  head[1] = size === 0 ? length : size === 2 ? 126 : 127
  if (size === 2) head.writeUInt16BE(length, 2)
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, payload])
}
