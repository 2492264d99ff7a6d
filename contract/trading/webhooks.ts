import * as z from 'zod/mini'
import { type Endpoint, listOf, messageReply, replyOf } from '../endpoint.ts'
import { cursor, isName, isoTime, limit, MESSAGE, text } from '../fields.ts'
import { rowId } from '../ids.ts'
import { TRADE_SIDES } from '../terms.ts'
import { OWN_STRATEGIES, OwnStrategy, ownDuration, ownSymbols } from './own-strategies.ts'
import { Signal } from './signals.ts'

/** A signal from outside counts for so many seconds after and before the time that it names. */
export const WEBHOOK_SECONDS = 30
/** Maximum length of a message, in bytes; messages a minute of one strategy; newest messages that are kept of each. */
export const WEBHOOK_BYTES = 2_000
export const WEBHOOKS_A_MINUTE = 30
export const RECEIVED_KEPT = 500

/**
 * Why a message became no signal: it isn't valid; its time is too far off; it came before; its symbol isn't one of the
 * strategy's; the signals are switched off; the symbol has no fresh price; the strategy has an open signal for the symbol.
 */
export const RECEIVED_VOID = ['malformed', 'late', 'repeated', 'symbol', 'off', 'closed', 'open'] as const

export const ReceivedSignal = z.strictObject({
  id: z.string(),
  at: isoTime,
  symbol: z.optional(z.string()),
  side: z.optional(z.enum(TRADE_SIDES)),
  /** The number of the signal that it became. Neither this nor `void`: it's being written. */
  signal: z.optional(z.string()),
  void: z.optional(z.enum(RECEIVED_VOID)),
  /** What is wrong with a malformed one. */
  reason: z.optional(z.string()),
})
export type ReceivedSignal = z.infer<typeof ReceivedSignal>

/** Where a strategy's signals come in, shown once. */
export const SignalAddress = z.strictObject({
  /** For senders that can't sign. Who knows it can send signals. */
  url: z.string(),
  /** For senders that sign each message with the key. */
  signed_url: z.string(),
  /** The key of HMAC-SHA256, as text. */
  key: z.string(),
})
export type SignalAddress = z.infer<typeof SignalAddress>

const params = z.strictObject({ id: rowId })
const MESSAGE_SHAPE =
  'The body is JSON with `symbol`, `side` (buy or sell) and `time` (ISO 8601, or Unix time), at most 30 seconds old; the same body counts once.'

export const webhooksCalls = {
  'POST /strategies/webhook': {
    summary: 'Makes a strategy whose signals come from outside.',
    access: 'user',
    limit: { max: 60, per: 'hour', message: 'You saved many strategies in a short time. Try again later.' },
    body: z.strictObject({
      name: text(OWN_STRATEGIES.name).check(z.refine(isName, MESSAGE.invalid)),
      duration: ownDuration,
      symbols: ownSymbols,
    }),
    reply: replyOf(OwnStrategy),
    problems: ['already_exists', 'limit_reached'],
  },
  'POST /strategies/:id/address': {
    summary: 'Makes the address and the key for signals from outside, once shown. Those made before stop working.',
    access: 'user',
    limit: { max: 20, per: 'hour', message: 'You made many addresses in a short time. Try again later.' },
    params,
    reply: replyOf(SignalAddress),
    problems: ['not_found', 'wrong_state'],
  },
  'GET /strategies/:id/signals': {
    summary: "Lists a strategy's signals with their outcomes, newest first, sealed ones included.",
    access: 'user',
    params,
    query: z.strictObject({ limit, cursor }),
    reply: listOf(Signal),
    problems: ['not_found'],
  },
  'GET /strategies/:id/received': {
    summary: `Lists the newest messages from outside, newest first, with what each became. The last ${RECEIVED_KEPT} are kept.`,
    access: 'user',
    params,
    query: z.strictObject({ limit, cursor }),
    reply: listOf(ReceivedSignal),
    problems: ['not_found'],
  },
  'POST /webhooks/:secret': {
    summary: `Takes a signal at the secret address of a strategy. ${MESSAGE_SHAPE}`,
    access: 'visitor',
    raw: true,
    params: z.strictObject({ secret: z.string().check(z.regex(/^[\w-]{43}$/, MESSAGE.invalid)) }),
    reply: messageReply,
    problems: ['not_found', 'malformed', 'wrong_state', 'too_many_requests', 'unavailable'],
  },
  'POST /webhooks/:id/signed': {
    summary: `Takes a signed signal of a strategy: the header \`X-Nonce\` has 8 to 64 characters, each used once, and \`X-Signature\` is the HMAC-SHA256 of nonce, a full stop and body, in hexadecimal. ${MESSAGE_SHAPE}`,
    access: 'visitor',
    raw: true,
    params,
    reply: messageReply,
    problems: ['not_found', 'malformed', 'wrong_state', 'too_many_requests', 'unavailable'],
  },
} as const satisfies Record<string, Endpoint>
