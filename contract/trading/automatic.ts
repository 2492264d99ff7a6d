import * as z from 'zod/mini'
import { timeZone } from '../account/time-zone.ts'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import {
  cursor,
  isoTime,
  limit,
  oneOf,
  shownStrikeChoice,
  strikeChoice,
  usdAmount,
  usdNumber,
  whole,
} from '../fields.ts'
import { MODES, SIDES, SIGNAL_DURATIONS, TRADE_SIDES } from '../terms.ts'
import { strategyKey } from './signals.ts'
import { Trade } from './trading.ts'

/** Automatic trades a day in demo mode, without a plan. */
export const DEMO_TRADES_A_DAY = 14
export const AUTOMATION_STATES = ['Off', 'Running', 'Paused', 'Stopped'] as const

/**
 * Why a signal was not traded: it was too old; the day's trades were used up; a limit of the platform; too little money;
 * a stop; a take-profit; a pause after losses; a locked account; no fresh price; the automatic trades had just been paused
 * or stopped; its odds weren't offered.
 */
export const SKIP_REASONS = [
  ...(['stale', 'day', 'limit', 'balance', 'stop', 'profit', 'pause'] as const),
  ...(['locked', 'closed', 'ended', 'odds'] as const),
] as const
/** Losses in a row, and minutes, of a pause. */
export const PAUSE = { losses: 50, minutes: { min: 5, max: 1_440 } } as const
export type SkipReason = (typeof SKIP_REASONS)[number]

const duration = z
  .number({ error: 'must be a number' })
  .check(
    z.refine(
      (value) => (SIGNAL_DURATIONS as readonly number[]).includes(value),
      `must be one of ${SIGNAL_DURATIONS.join(', ')}`,
    ),
  )

/** Strategies that an account follows at once, at most. */
export const FOLLOWED_MAX = 5

/** One followed strategy. */
export const followedFields = {
  strategy: strategyKey,
  /** Empty: all symbols. */
  symbols: z.array(z.string().check(z.maxLength(20))).check(z.maxLength(100)),
  /** Seconds. */
  duration,
  sides: oneOf(SIDES),
  strike_rate: strikeChoice(),
  /** US dollars: the stake of each trade, or its cap if `stake_percent` is set. */
  stake: usdAmount(),
  /** Stake in percent of the balance; null for a fixed stake. */
  stake_percent: z.nullable(whole(1, 100)),
}

/** The settings, also of back-tests: limits and stops are common to all strategies. */
export const automaticFields = {
  /** No two with the same strategy and duration. Of signals of one moment, that of the earlier one is traded. */
  strategies: z
    .array(z.strictObject(followedFields))
    .check(z.minLength(1, 'must not be empty'), z.maxLength(FOLLOWED_MAX, `must be at most ${FOLLOWED_MAX}`)),
  /** The zone of days and hours. The day of limits a day is the UTC day. */
  time_zone: timeZone,
  /** Days of the week, 0 is Sunday. */
  days: z.array(whole(0, 6)).check(z.minLength(1, 'must not be empty'), z.maxLength(7)),
  /** Hours of the day: from this hour, up to that hour; of the next day if it's earlier. */
  from_hour: whole(0, 23),
  to_hour: whole(1, 24),
  loss_a_day: usdAmount(),
  loss_in_all: usdAmount(),
  trades_a_day: whole(1, DEMO_TRADES_A_DAY),
  /** Null: no such stop. */
  losses_in_row: z.nullable(whole(1, 50)),
  /** Take-profit: once the UTC day's result has reached it, nothing is traded until the next day. Null: none. */
  profit_a_day: z.nullable(usdAmount()),
  /** Take-profit: once the result since the start has reached it, automatic trades stop. Null: none. */
  profit_in_all: z.nullable(usdAmount()),
  /** After so many losses in a row, signals are skipped for `pause_minutes`; then the count begins again. Null: no pause. */
  pause_losses: z.nullable(whole(1, PAUSE.losses)),
  pause_minutes: z.nullable(whole(PAUSE.minutes.min, PAUSE.minutes.max)),
}

export const AutomationBody = z.strictObject({ mode: oneOf(MODES), ...automaticFields })
export type AutomationBody = z.input<typeof AutomationBody>

/** What a trader starts with. */
export const DEFAULT_FOLLOWED: AutomationBody['strategies'][number] = {
  strategy: 'trend',
  symbols: [],
  duration: 60,
  sides: 'both',
  strike_rate: 'best',
  stake: 10,
  stake_percent: null,
}
export const DEFAULT_AUTOMATION: Omit<AutomationBody, 'mode'> = {
  strategies: [DEFAULT_FOLLOWED],
  time_zone: 'UTC',
  days: [0, 1, 2, 3, 4, 5, 6],
  from_hour: 0,
  to_hour: 24,
  loss_a_day: 50,
  loss_in_all: 200,
  trades_a_day: DEMO_TRADES_A_DAY,
  losses_in_row: 5,
  profit_a_day: null,
  profit_in_all: null,
  pause_losses: null,
  pause_minutes: null,
}

export const FollowedStrategy = z.strictObject({
  strategy: strategyKey,
  symbols: z.array(z.string()),
  duration: z.number(),
  sides: z.enum(SIDES),
  strike_rate: shownStrikeChoice,
  stake: usdNumber,
  stake_percent: z.nullable(z.number()),
})
export type FollowedStrategy = z.infer<typeof FollowedStrategy>

export const AutomationSettings = z.strictObject({
  strategies: z.array(FollowedStrategy),
  time_zone: z.string(),
  days: z.array(z.number()),
  from_hour: z.number(),
  to_hour: z.number(),
  loss_a_day: usdNumber,
  loss_in_all: usdNumber,
  trades_a_day: z.number(),
  losses_in_row: z.nullable(z.number()),
  profit_a_day: z.nullable(usdNumber),
  profit_in_all: z.nullable(usdNumber),
  pause_losses: z.nullable(z.number()),
  pause_minutes: z.nullable(z.number()),
})
export type AutomationSettings = z.infer<typeof AutomationSettings>

/** An account's automatic trades: settings, state and results. */
export const Automation = z.strictObject({
  mode: z.enum(MODES),
  /** `Off` before the first start and after the trader stopped it; `Stopped` after a stop acted. */
  state: z.enum(AUTOMATION_STATES),
  /** Why it stopped by itself. */
  stop_reason: z.optional(z.string()),
  /** The saved settings, or the defaults. */
  settings: AutomationSettings,
  /** Whether settings have been saved. */
  saved: z.boolean(),
  started_at: z.optional(isoTime),
  /** Why it can't be started now, each with what to do; empty if it can. */
  missing: z.array(z.strictObject({ text: z.string(), path: z.string() })),
  /** The followed strategies that operators have switched off, with the reason. */
  switched_off: z.array(z.strictObject({ strategy: strategyKey, why: z.string() })),
  /** Set while operators have stopped what it trades: signals wait, and none is counted. */
  stopped: z.optional(z.string()),
  today: z.strictObject({
    /** Trades placed, and the most that may be placed: the plan's, or fewer by the settings. */
    used: z.number(),
    limit: z.number(),
    won: z.number(),
    lost: z.number(),
    /** Sold before their end: neither won nor lost. */
    sold: z.number(),
    /** US dollars, below 0 after losses. */
    result: usdNumber,
    /** The next UTC midnight. */
    resets_at: isoTime,
  }),
  /** Whether a trade is open; no signal is considered until it has settled. */
  open: z.boolean(),
  /** Since the last start. */
  total: z.strictObject({
    trades: z.number(),
    won: z.number(),
    lost: z.number(),
    /** Sold before their end: neither won nor lost. */
    sold: z.number(),
    result: usdNumber,
    /** Those sold below their stake count. */
    losses_in_row: z.number(),
  }),
  /** Until when signals are skipped, and why. */
  idle: z.optional(z.strictObject({ until: isoTime, reason: z.enum(SKIP_REASONS) })),
  /** What was measured and what is needed to break even, of each strategy: shown before a start in real mode. */
  measured: z.array(z.string()),
})
export type Automation = z.infer<typeof Automation>

/** A signal that the automatic trades considered, and its result. */
export const AutomaticOrder = z.strictObject({
  /** The signal's number. */
  signal: z.string(),
  strategy: strategyKey,
  symbol: z.string(),
  side: z.enum(TRADE_SIDES),
  /** Seconds. */
  duration: z.number(),
  at: isoTime,
  status: z.enum(['Reserved', 'Traded', 'Skipped']),
  reason: z.optional(z.enum(SKIP_REASONS)),
  trade: z.optional(Trade),
})
export type AutomaticOrder = z.infer<typeof AutomaticOrder>

const modeOnly = z.strictObject({ mode: oneOf(MODES) })

export const automaticCalls = {
  'GET /automatic': {
    summary: "Returns the automatic trades of one account: settings, state and today's results.",
    access: 'user',
    query: modeOnly,
    reply: replyOf(Automation),
    problems: [],
  },
  'PUT /automatic': {
    summary: 'Saves the settings of automatic trades, unless they are running.',
    access: 'user',
    body: AutomationBody,
    reply: replyOf(Automation),
    problems: ['wrong_state', 'odds_unavailable'],
  },
  'POST /automatic/start': {
    summary:
      'Starts automatic trades with the saved settings, or resumes paused ones. With real money this needs a plan, an approved identity, and the confirmed sentences about what was measured.',
    access: 'user',
    body: z.strictObject({
      mode: oneOf(MODES),
      /** For real money: the trader has read `measured`. */
      confirmed: z.optional(z.boolean()),
    }),
    reply: replyOf(Automation),
    problems: ['wrong_state'],
  },
  'POST /automatic/pause': {
    summary: 'Pauses automatic trades. Open trades settle; losses stay counted and can still reach a stop.',
    access: 'user',
    body: modeOnly,
    reply: replyOf(Automation),
    problems: ['wrong_state'],
  },
  'POST /automatic/stop': {
    summary: 'Stops automatic trades at once. Open trades settle; the next start counts losses from zero.',
    access: 'user',
    body: modeOnly,
    reply: replyOf(Automation),
    problems: [],
  },
  'GET /automatic/orders': {
    summary: 'Lists the signals that the automatic trades considered, each with its result, newest first.',
    access: 'user',
    mayLag: true,
    query: z.strictObject({ mode: oneOf(MODES), limit, cursor }),
    reply: listOf(AutomaticOrder),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
