import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'

/** Bytes as base64url without padding, of one exact length. */
const bytes = (length: number) =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((length * 8) / 6)}}$`), `must be ${length} bytes as base64url`),
    )

/** A browser's address at its push service. */
const endpoint = z
  .string()
  .check(z.maxLength(600, 'is too long'), z.url({ protocol: /^https$/, error: 'must begin with https://' }))

/** What `PushSubscription.toJSON()` returns, without its expiration. */
const Subscription = z.strictObject({
  endpoint,
  keys: z.strictObject({ p256dh: bytes(65), auth: bytes(16) }),
})

/** Browsers of one account that show notifications. The eleventh takes the place of the oldest. */
export const SUBSCRIPTIONS_MAX = 10

export const webPushCalls = {
  'GET /notices/push': {
    summary:
      "Returns the key with which a browser subscribes to push notifications (base64url), and how many of the account's browsers have.",
    access: 'user',
    guests: true,
    reply: replyOf(z.strictObject({ key: z.string(), browsers: z.number() })),
    problems: [],
  },
  'POST /notices/push': {
    summary: `Sends push notifications to this browser too, until its session ends. At most ${SUBSCRIPTIONS_MAX} for each account: another one takes the place of the oldest.`,
    access: 'user',
    guests: true,
    limit: { max: 30, per: 'hour' },
    body: Subscription,
    reply: messageReply,
    problems: ['validation_failed'],
  },
  'POST /notices/push/end': {
    summary: 'Sends no more push notifications to this browser.',
    access: 'user',
    guests: true,
    body: z.strictObject({ endpoint }),
    reply: messageReply,
    problems: [],
  },
  'POST /notices/push/test': {
    summary: "Sends a push notification to the account's browsers, to try them.",
    access: 'user',
    guests: true,
    limit: { max: 5, per: 'hour' },
    reply: messageReply,
    problems: ['wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
