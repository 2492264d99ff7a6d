import * as z from 'zod/mini'
import type { Deposit, Withdraw } from './cashier.ts'
import { type ChatNews, ChatSaying } from './chat.ts'
import type { Notice } from './notices.ts'
import type { Trade } from './trading.ts'
import type { User } from './user.ts'

/** What a client may say on `GET /api/stream`. At most 4 KiB a message, 20 messages a second. */
export const ClientMessage = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('auth'), token: z.string() }),
  z.strictObject({ op: z.literal('subscribe'), symbols: z.array(z.string()).check(z.maxLength(200)) }),
  z.strictObject({ op: z.literal('unsubscribe'), symbols: z.array(z.string()).check(z.maxLength(200)) }),
  z.strictObject({ op: z.literal('ping') }),
  ChatSaying,
])
export type ClientMessage = z.infer<typeof ClientMessage>

/** `[symbol, price, sourceTimeMs]`. */
export type FrameEntry = [symbol: string, price: string, sourceTimeMs: number]

/** The part of a frame that was subscribed. `t`: publication time, Unix ms. */
export interface FrameMessage {
  op: 'frame'
  n: number
  t: number
  p: FrameEntry[]
}

export interface Balances {
  balance: number
  demo_balance: number
}

/** What concerns the signed-in user. `seq` has no gaps; on a gap the client reads its lists again. */
export type UserMessage =
  | { op: 'trade'; seq: number; data: Trade }
  | { op: 'balance'; seq: number; data: Balances }
  | { op: 'verification'; seq: number; data: { status: string } }
  | { op: 'deposit'; seq: number; data: Deposit }
  | { op: 'withdraw'; seq: number; data: Withdraw }
  | { op: 'notice'; seq: number; data: Notice }
  | { op: 'plan'; seq: number; data: Pick<User, 'trading_plan' | 'plan_request'> }
  | { op: 'chat'; seq: number; data: ChatNews }

export type ServerMessage =
  | FrameMessage
  | UserMessage
  /** Answer to `auth`; `seq` is the number of the newest message the user was sent before. */
  | { op: 'ready'; seq: number }
  | { op: 'pong' }
  /** The answer to what was said in the chat, and all news of a visitor's; a trader's news are numbered. */
  | { op: 'chat'; seq?: undefined; data: ChatNews }
  /** `of` names what was refused, where that was the chat. */
  | { op: 'error'; code: string; message: string; of?: 'chat' }

/** Codes that a socket is closed with. */
export const CLOSE = { sessionEnded: 4401, flooding: 4429, slow: 4408, tooLarge: 1009, restarting: 1012 } as const
export const MAX_MESSAGE_BYTES = 4096
export const MAX_MESSAGES_PER_SECOND = 20
