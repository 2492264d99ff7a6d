import * as z from 'zod/mini'
import type { User } from '../account/user.ts'
import type { Deposit, Withdrawal } from '../money/cashier.ts'
import type { PriceSource } from '../prices/prices.ts'
import type { Mode } from '../terms.ts'
import type { Trade } from '../trading/trading.ts'
import { type ChatNews, type ChatSaid, ChatSaying } from './chat.ts'
import type { Notice } from './notices.ts'

/** Messages that a client may send on `GET /api/stream`: up to 4 KiB each, 20 per second. */
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

/** The subscribed part of a frame. `t`: publication time, Unix ms. `s`: the source of its prices, if it has any. */
export interface FrameMessage {
  op: 'frame'
  n: number
  t: number
  s?: PriceSource
  p: FrameEntry[]
}

interface Balances {
  balance: number
  demo_balance: number
}

/** Messages for the signed-in user. `seq` has no gaps; after a gap the client reloads its lists. */
export type UserMessage =
  | { op: 'trade'; seq: number; data: Trade }
  | { op: 'balance'; seq: number; data: Balances }
  | { op: 'verification'; seq: number; data: { kind: 'identity' | 'address'; status: string } }
  | { op: 'deposit'; seq: number; data: Deposit }
  | { op: 'withdraw'; seq: number; data: Withdrawal }
  | { op: 'notice'; seq: number; data: Notice }
  | { op: 'plan'; seq: number; data: Pick<User, 'trading_plan' | 'plan_request'> }
  /** Automatic trades of this account have changed: reload them. */
  | { op: 'automatic'; seq: number; data: { mode: Mode } }
  /** The trader's limits have changed, or a reality check is due: reload them. */
  | { op: 'guardrails'; seq: number; data: null }
  | { op: 'chat'; seq: number; data: ChatNews }

export type ServerMessage =
  | FrameMessage
  | UserMessage
  /**
   * Response to `auth`, and sent again when lists must be read again. `seq`: the number of the last message sent to the
   * user. `quiet_ms`: for how long nothing was sent to them, at least. `maintenance`: what every screen shows.
   */
  | { op: 'ready'; seq: number; quiet_ms: number; maintenance?: string }
  | { op: 'pong' }
  /** Response to a chat message, and every update for a visitor; a trader's updates are numbered. */
  | { op: 'chat'; seq?: undefined; data: ChatNews }
  /** `said` is set when a chat message was rejected: what it said, so that its field can be marked and nothing is lost. */
  | { op: 'error'; code: string; message: string; said?: ChatSaid }

/** Close codes of the socket. */
export const CLOSE = { sessionEnded: 4401, flooding: 4429, slow: 4408, tooLarge: 1009, restarting: 1012 } as const
export const MAX_MESSAGES_PER_SECOND = 20
