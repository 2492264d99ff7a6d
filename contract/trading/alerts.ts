import * as z from 'zod/mini'
import { indicatorOf, takesInputs } from '#kernel/indicators/list.ts'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { isoTime, MESSAGE, oneOf, text } from '../fields.ts'
import { rowId } from '../ids.ts'
import { ALERT_INTERVALS } from '../terms.ts'

/** Alerts that an account can have, fired ones included; a guest's fewer. */
export const ALERTS_MAX = 200
export const GUEST_ALERTS_MAX = 20
const ALERT_KINDS = ['price', 'move', 'indicator'] as const
export type AlertKind = (typeof ALERT_KINDS)[number]
/** `either`: a price that is crossed from where it is now, a move up or down, an indicator that crosses either way. */
const ALERT_DIRECTIONS = ['up', 'down', 'either'] as const
export type AlertDirection = (typeof ALERT_DIRECTIONS)[number]
/** Within how many minutes a move has to happen. */
export const MOVE_MINUTES = [5, 15, 60, 240, 1_440] as const
export type AlertInterval = keyof typeof ALERT_INTERVALS
/** Percent. */
export const MOVE_LIMITS = { min: 0.1, max: 50 } as const
const LEVEL_MAX = 1e12

const number = z.number({ error: 'must be a number' })
const between = (min: number, max: number) =>
  number.check(z.refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`))

const percent = between(MOVE_LIMITS.min, MOVE_LIMITS.max).check(
  z.refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, 'must have at most two decimals'),
)
const minutes = number.check(
  z.refine((value) => (MOVE_MINUTES as readonly number[]).includes(value), `must be one of ${MOVE_MINUTES.join(', ')}`),
)

/** An indicator on closed candles, and the value that it has to cross. */
const AlertIndicator = z
  .strictObject({
    /** One of `kernel/indicators/list.ts`. */
    id: text(20),
    inputs: z.array(between(-1e6, 1e6), { error: 'must be a list' }).check(z.maxLength(8)),
    /** Which of its lines. */
    output: text(20),
    interval: oneOf(Object.keys(ALERT_INTERVALS) as [AlertInterval, ...AlertInterval[]]),
    level: between(-LEVEL_MAX, LEVEL_MAX),
  })
  .check(
    z.refine(({ id, inputs, output }) => {
      const known = indicatorOf(id)
      return (
        known !== undefined &&
        !known.needsVolume &&
        takesInputs(known, inputs) &&
        known.outputs.some(({ key }) => key === output)
      )
    }, MESSAGE.invalid),
  )
export type AlertIndicator = z.infer<typeof AlertIndicator>

/** Of each kind, what it needs besides symbol and direction. */
const NEEDS = { price: ['level'], move: ['percent', 'minutes'], indicator: ['indicator'] } as const
const PARTS = ['level', 'percent', 'minutes', 'indicator'] as const

const AlertTerms = z.strictObject({
  kind: oneOf(ALERT_KINDS),
  symbol: text(20),
  direction: oneOf(ALERT_DIRECTIONS),
  /** A price as plain decimal text, with at most the symbol's decimals. */
  level: z.optional(text(30)),
  percent: z.optional(percent),
  minutes: z.optional(minutes),
  indicator: z.optional(AlertIndicator),
})

/** Checks that a part is there if the kind needs it, and only then. */
const fits = (part: (typeof PARTS)[number]) =>
  z.refine<z.infer<typeof AlertTerms>>(
    (body) => (NEEDS[body.kind] as readonly string[]).includes(part) === (body[part] !== undefined),
    { path: [part], error: MESSAGE.invalid },
  )

export const AlertBody = AlertTerms.check(...PARTS.map(fits))
export type AlertBody = z.input<typeof AlertBody>

/** What fired it: a price of the tape, and of an indicator its value at the candle's close. */
const FiredBy = z.strictObject({
  price: z.string(),
  /** The time of the price. */
  at: isoTime,
  value: z.optional(z.number()),
})

export const Alert = z.strictObject({
  id: z.string(),
  kind: z.enum(ALERT_KINDS),
  symbol: z.string(),
  direction: z.enum(ALERT_DIRECTIONS),
  level: z.optional(z.string()),
  /** Of a price: whether it has to rise to the level. */
  rises: z.optional(z.boolean()),
  percent: z.optional(z.number()),
  minutes: z.optional(z.number()),
  indicator: z.optional(AlertIndicator),
  /** The price when it was armed. */
  base: z.string(),
  armed_at: isoTime,
  fired: z.optional(FiredBy),
  /** Prices between these times were not checked. */
  unchecked: z.optional(z.strictObject({ from: isoTime, until: isoTime })),
})
export type Alert = z.infer<typeof Alert>

const params = z.strictObject({ id: rowId })

export const alertsCalls = {
  'GET /alerts': {
    summary: 'Lists all alerts of the trader: armed ones and those that fired, newest first.',
    access: 'user',
    guests: true,
    reply: replyOf(z.array(Alert)),
    problems: [],
  },
  'POST /alerts': {
    summary: `Makes an alert: it fires once, when the price, move or indicator is reached. At most ${ALERTS_MAX} an account. The same alert twice is one.`,
    access: 'user',
    guests: true,
    body: AlertBody,
    reply: replyOf(Alert),
    problems: ['limit_reached', 'price_unavailable'],
  },
  'PUT /alerts/:id': {
    summary: 'Changes an alert and arms it from the current price.',
    access: 'user',
    guests: true,
    limit: { max: 120, per: 'minute' },
    params,
    body: AlertBody,
    reply: replyOf(Alert),
    problems: ['not_found', 'price_unavailable'],
  },
  'POST /alerts/:id/arm': {
    summary: 'Arms an alert again, from the current price.',
    access: 'user',
    guests: true,
    params,
    reply: replyOf(Alert),
    problems: ['not_found', 'price_unavailable'],
  },
  'DELETE /alerts/:id': {
    summary: 'Deletes an alert.',
    access: 'user',
    guests: true,
    params,
    reply: messageReply,
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
