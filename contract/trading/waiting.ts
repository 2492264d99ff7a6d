import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { isoTime, MESSAGE, oneOf, shownStrikeRate, strikeRate, text, usdAmount, usdNumber } from '../fields.ts'
import { rowId } from '../ids.ts'
import { DURATIONS, MODES, TRADE_SIDES } from '../terms.ts'

/** Orders that can wait on an account at once: real and demo each have as many. */
export const WAITING_MAX = 20
/** A trade is placed within this time of the tick that triggered its order, or not at all. An order for a time waits as long for a tick. */
export const WAITING_WITHIN_MS = 60_000
/** How far ahead an order can wait for a time, or be valid. */
export const WAITING_AHEAD_MS = 366 * 86_400_000

/** What the tick that triggers an order must be: at or above a price, at or below it, or at a time or later. */
const WAITING_CONDITIONS = ['at_or_above', 'at_or_below', 'at_time'] as const
export type WaitingCondition = (typeof WAITING_CONDITIONS)[number]
/** `Triggered`: its trade is being placed. `Refused`: it was triggered, and there is no trade. */
const WAITING_STATUSES = ['Waiting', 'Triggered', 'Traded', 'Refused', 'Expired'] as const

/** A time in a body, ISO 8601 in UTC. */
const time = z
  .string({ error: 'must be a time' })
  .check(z.iso.datetime({ error: 'must be a time like 2026-01-31T14:30:00Z', abort: true }))

const Terms = z.strictObject({
  symbol: text(20),
  trade_mode: oneOf(TRADE_SIDES),
  amount: usdAmount(),
  duration: z
    .number({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be a number') })
    .check(
      z.refine((value) => (DURATIONS as readonly number[]).includes(value), `must be one of ${DURATIONS.join(', ')}`),
    ),
  strike_rate: strikeRate(),
  mode: oneOf(MODES),
  condition: oneOf(WAITING_CONDITIONS),
  /** A price as plain decimal text, with at most the symbol's decimals. */
  level: z.optional(text(30)),
  /** For `at_time`. */
  at: z.optional(time),
  /** For a price: until then; without it until it's cancelled. */
  valid_until: z.optional(time),
})

/** Checks that a part is there if the condition needs it, and only where it may be. */
const fits = (part: 'level' | 'at' | 'valid_until') =>
  z.refine<z.infer<typeof Terms>>(
    (body) => {
      const isPart = (part === 'at') === (body.condition === 'at_time')
      return body[part] === undefined ? !isPart || part === 'valid_until' : isPart
    },
    { path: [part], error: MESSAGE.invalid },
  )

export const WaitingOrderBody = Terms.check(fits('level'), fits('at'), fits('valid_until'))
export type WaitingOrderBody = z.input<typeof WaitingOrderBody>

export const WaitingOrder = z.strictObject({
  id: z.string(),
  mode: z.enum(MODES),
  symbol: z.string(),
  trade_mode: z.enum(TRADE_SIDES),
  /** The stake, US dollars. It leaves the balance when the order is triggered. */
  amount: usdNumber,
  strike_rate: shownStrikeRate,
  percent: z.number(),
  /** Seconds. */
  duration: z.number(),
  condition: z.enum(WAITING_CONDITIONS),
  level: z.optional(z.string()),
  at: z.optional(isoTime),
  valid_until: z.optional(isoTime),
  created_at: isoTime,
  status: z.enum(WAITING_STATUSES),
  /** The tick that triggered it: price and source time. */
  triggered: z.optional(z.strictObject({ price: z.string(), at: isoTime })),
  trade_id: z.optional(z.string()),
  /** Why there is no trade. */
  reason: z.optional(z.string()),
  ended_at: z.optional(isoTime),
})
export type WaitingOrder = z.infer<typeof WaitingOrder>

const params = z.strictObject({ id: rowId })

export const waitingCalls = {
  'GET /waiting-orders': {
    summary: 'Lists the orders of one mode that wait, and the newest 20 that ended, newest first.',
    access: 'user',
    guests: true,
    query: z.strictObject({ mode: oneOf(MODES) }),
    reply: replyOf(z.array(WaitingOrder)),
    problems: [],
  },
  'GET /waiting-orders/:id': {
    summary: 'Returns an order of either mode, however long ago it ended.',
    access: 'user',
    guests: true,
    params,
    reply: replyOf(WaitingOrder),
    problems: ['not_found'],
  },
  'POST /waiting-orders': {
    summary: `Places an order that waits for a price or a time. Then a trade is placed like any other, at the first tick after that. The stake is taken only then. At most ${WAITING_MAX} wait on an account.`,
    access: 'user',
    guests: true,
    idempotent: true,
    body: WaitingOrderBody,
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: WaitingOrder }),
    problems: ['limit_reached', 'price_unavailable', 'odds_unavailable', 'idempotency_mismatch'],
  },
  'PUT /waiting-orders/:id': {
    summary: 'Moves an order to another price, from the current one.',
    access: 'user',
    guests: true,
    limit: { max: 120, per: 'minute' },
    params,
    body: z.strictObject({ level: text(30) }),
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: WaitingOrder }),
    problems: ['not_found', 'wrong_state', 'price_unavailable'],
  },
  'DELETE /waiting-orders/:id': {
    summary: 'Cancels an order that waits.',
    access: 'user',
    guests: true,
    params,
    reply: messageReply,
    problems: ['not_found', 'wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
