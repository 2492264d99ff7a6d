import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, oneOf, usdAmount, whole } from '../fields.ts'
import { rowId } from '../ids.ts'

/** What a trader can limit: US dollars, and minutes for `time`. */
export const GUARDED = ['deposits', 'losses', 'stakes', 'time'] as const
export type Guarded = (typeof GUARDED)[number]

/** Calendar periods in UTC. Weeks begin on Monday. */
export const PERIODS = ['day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

/** Minutes between reality checks. */
const CHECK_MINUTES = [15, 30, 60, 120] as const

/** The longest limit of time, in minutes: as long as the longest such period. */
export const TIME_MAX: Record<Period, number> = { day: 1_440, week: 10_080, month: 44_640 }
export const TIME_MIN = 15

/** Hours until a looser limit can be confirmed, and days in which it can. */
export const LOOSEN_AFTER_HOURS = 24
export const CONFIRM_WITHIN_DAYS = 7

/** Days of a time-out, and months of a self-exclusion; null is permanent. */
export const TIME_OUT_DAYS = [1, 7, 14, 28, 42] as const
export const EXCLUSION_MONTHS = [6, 12, 24, 60] as const

/** A looser limit that waits. `to` null removes it. */
const Pending = z.strictObject({
  id: z.string(),
  to: z.nullable(z.number()),
  requested_at: isoTime,
  /** From when until when it can be confirmed. */
  due_at: isoTime,
  expires_at: isoTime,
})
export type PendingChange = z.infer<typeof Pending>

export const GuardLimit = z.strictObject({
  guarded: z.enum(GUARDED),
  period: z.enum(PERIODS),
  /** Null: no limit. */
  max: z.nullable(z.number()),
  /** What counts in the current period. A gain makes losses negative. */
  used: z.number(),
  /** What is left under the limit, with open stakes counted as losses; null without a limit. */
  left: z.nullable(z.number()),
  resets_at: isoTime,
  pending: z.optional(Pending),
})
export type GuardLimit = z.infer<typeof GuardLimit>

export const RealityCheck = z.strictObject({
  /** Confirms this one. */
  number: z.number(),
  since: isoTime,
  minutes: z.number(),
  trades: z.number(),
  /** US dollars won less dollars lost in trades that settled in this session. */
  result: z.number(),
})
export type RealityCheck = z.infer<typeof RealityCheck>

export const Block = z.strictObject({
  kind: z.enum(['time_out', 'exclusion']),
  since: isoTime,
  /** Null: permanent. */
  until: z.nullable(isoTime),
  /** When it ends, once the trader has asked to come back. */
  return_at: z.optional(isoTime),
  /** Whether the trader can ask to come back now. */
  can_return: z.boolean(),
  /** Carried over from another account of the same person. */
  carried_over: z.boolean(),
})
export type Block = z.infer<typeof Block>

export const Guardrails = z.strictObject({
  limits: z.array(GuardLimit),
  /** US dollars in open trades, which count as losses until they settle. */
  open_stakes: z.number(),
  /** Minutes between reality checks; null for none. */
  check_minutes: z.nullable(z.number()),
  check_pending: z.optional(Pending),
  /** The reality check that must be confirmed before the next trade. */
  check_due: z.nullable(RealityCheck),
  /** The time-out or exclusion in force. */
  block: z.nullable(Block),
})
export type Guardrails = z.infer<typeof Guardrails>

const guarded = oneOf(GUARDED)
const period = oneOf(PERIODS)
/** One of a fixed list of numbers. */
export const oneOfNumbers = (values: readonly number[]) =>
  z
    .number({ error: 'must be a number' })
    .check(z.refine((value) => values.includes(value), `must be one of ${values.join(', ')}`))

export const guardrailsCalls = {
  'GET /guardrails': {
    summary: "Returns the trader's own limits with their use, the reality check that is due, and any time-out.",
    access: 'user',
    reply: replyOf(Guardrails),
    problems: [],
  },
  'PUT /guardrails/limits': {
    summary: 'Sets a limit. A tighter one applies at once; a looser one can be confirmed after 24 hours.',
    access: 'user',
    body: z.strictObject({
      guarded,
      period,
      /** US dollars, or minutes for `time`; null removes the limit. */
      max: z.nullable(usdAmount()),
    }),
    reply: replyOf(Guardrails),
    problems: ['validation_failed'],
  },
  'PUT /guardrails/reality-check': {
    summary:
      'Sets the minutes between reality checks. More often applies at once; less often can be confirmed after 24 hours.',
    access: 'user',
    body: z.strictObject({ minutes: z.nullable(oneOfNumbers(CHECK_MINUTES)) }),
    reply: replyOf(Guardrails),
    problems: [],
  },
  'POST /guardrails/changes/:id/confirm': {
    summary: 'Confirms a looser limit, from 24 hours after its request and within the next 7 days.',
    access: 'user',
    params: z.strictObject({ id: rowId }),
    reply: replyOf(Guardrails),
    problems: ['not_found', 'wrong_state'],
  },
  'POST /guardrails/changes/:id/cancel': {
    summary: 'Cancels a looser limit that was not confirmed yet.',
    access: 'user',
    params: z.strictObject({ id: rowId }),
    reply: replyOf(Guardrails),
    problems: ['not_found', 'wrong_state'],
  },
  'POST /guardrails/reality-check/confirm': {
    summary: 'Confirms that the trader saw the reality check that is due. Confirming it again changes nothing.',
    access: 'user',
    body: z.strictObject({ number: whole(1, 1_000_000_000) }),
    reply: replyOf(Guardrails),
    problems: ['wrong_state'],
  },
  'POST /guardrails/time-out': {
    summary: 'Starts a time-out: no deposits, plans or real trades for this long. It cannot be shortened.',
    access: 'user',
    body: z.strictObject({ days: oneOfNumbers(TIME_OUT_DAYS) }),
    reply: replyOf(Guardrails),
    problems: [],
  },
  'POST /guardrails/exclusion': {
    summary:
      'Excludes the trader from real trading. Ends all sessions and automatic trades with real money, and suspends the plan. It cannot be shortened.',
    access: 'user',
    /** Null: permanently. */
    body: z.strictObject({ months: z.nullable(oneOfNumbers(EXCLUSION_MONTHS)) }),
    reply: replyOf(Guardrails),
    problems: [],
  },
  'POST /guardrails/return': {
    summary: 'Asks to return after a self-exclusion is over. Real trading is possible again 24 hours later.',
    access: 'user',
    reply: replyOf(Guardrails),
    problems: ['wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
