import * as z from 'zod/mini'
import { timeZone } from '../account/time-zone.ts'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, shownStrikeRate, text, usdAmount, usdNumber, utcDay } from '../fields.ts'
import { BACKTEST_SKIPS, BACKTEST_STOPS, TRADE_SIDES, TRADE_STATUSES } from '../terms.ts'
import { automaticFields, followedFields } from './automatic.ts'
import { RuleBody } from './own-strategies.ts'
import { strategyKey } from './signals.ts'

/** Limits of a back-test and its reply: days, symbols times days, trades, points of the curve. */
export const BACKTEST = { days: 31, symbolDays: 310, trades: 200, points: 400 } as const

const fields = {
  /** The balance to begin with, US dollars. */
  balance: usdAmount(),
  /** `tape`, or a recorded day of `GET /automatic/backtest/sources`. */
  source: text(10),
  /** First and last day on the tape, both included; absent for a recorded day. */
  from: z.optional(utcDay),
  to: z.optional(utcDay),
}

/** As for automatic trades; no symbols means all that the source has. */
export const BacktestBody = z.strictObject({ ...automaticFields, ...fields })
export type BacktestBody = z.input<typeof BacktestBody>

/** How trades did. Draws and voids return the stake and don't count in the hit rate. */
const Measured = z.strictObject({
  won: z.number(),
  lost: z.number(),
  draws: z.number(),
  voids: z.number(),
  /** Percent, with its 95% interval, and how many independent trades would be as sure; null without a decided trade. */
  hit_rate: z.nullable(z.strictObject({ rate: z.number(), low: z.number(), high: z.number(), effective: z.number() })),
  /** The hit rate that loses nothing at these strike rates, percent. */
  break_even: z.number(),
  /** Both as a sentence: 'Measured 50.4% ± 2.8 over 8,120 signals (as sure as 1,240 independent ones); you need 57.1% to break even'. */
  sentence: z.string(),
})

const BacktestTrade = z.strictObject({
  symbol: z.string(),
  trade_mode: z.enum(TRADE_SIDES),
  strike_rate: shownStrikeRate,
  percent: z.number(),
  trade_time: isoTime,
  end_time: isoTime,
  /** Absent if the minute had no ticks; the trade is then void. */
  start_price: z.optional(z.number()),
  end_price: z.optional(z.number()),
  status: z.enum(TRADE_STATUSES),
  /** The stake, the payout and the balance after the trade, US dollars. */
  amount: usdNumber,
  payout: usdNumber,
  balance: usdNumber,
})

const { strategies: _, ...limits } = automaticFields
/** The same with one rule, which need not be saved, in place of published strategies. */
const RuleBacktestBody = z.strictObject({
  ...followedFields,
  ...limits,
  ...fields,
  /** The rule and the zone of its times. */
  strategy: z.strictObject({ rule: RuleBody, zone: timeZone }),
})

const BacktestFigures = z.strictObject({
  /** The tested time: trades were placed from `from` on and had ended by `to`. */
  from: isoTime,
  to: isoTime,
  /** The zone of `hours`. */
  time_zone: z.string(),
  /** One-minute candles in that time, all symbols together. */
  minutes: z.number(),
  /** The trades that were placed. */
  trades: Measured,
  /** Every signal for the chosen symbols and sides, at any hour, as if each had been traded. */
  signals: Measured,
  /** Signals that were not traded, by reason. */
  skipped: z.strictObject(
    Object.fromEntries(BACKTEST_SKIPS.map((reason) => [reason, z.number()])) as Record<
      (typeof BACKTEST_SKIPS)[number],
      z.ZodMiniNumber
    >,
  ),
  /** The stop that ended trading early. */
  stopped: z.nullable(z.strictObject({ stop: z.enum(BACKTEST_STOPS), time: isoTime })),
  /** US dollars; the profit may be negative. */
  balance: usdNumber,
  profit: usdNumber,
  /** The largest fall of the balance from a peak; null if it never fell. */
  drawdown: z.nullable(
    z.strictObject({
      amount: usdNumber,
      /** Of the balance at the peak. */
      percent: z.number(),
      from: isoTime,
      to: isoTime,
    }),
  ),
  /** The balance at the start and after trades: `[Unix ms, US dollars]`. Long curves are thinned; peaks and lows stay. */
  equity: z.array(z.tuple([z.number(), z.number()])),
  /** Trades by the hour, in the settings' time zone, in which they were placed: `[won, lost]` for 0 to 23. */
  hours: z.array(z.tuple([z.number(), z.number()])),
  /** The newest trades, newest first, at most 200. */
  newest: z.array(BacktestTrade),
})
export type BacktestFigures = z.infer<typeof BacktestFigures>

export const BacktestReply = z.strictObject({
  strategies: z.array(z.strictObject({ strategy: strategyKey, version: z.number(), duration: z.number() })),
  ...BacktestFigures.shape,
})
export type BacktestReply = z.infer<typeof BacktestReply>

export const backtestCalls = {
  'GET /automatic/backtest/sources': {
    summary: 'Returns what a back-test can run over: the time that the tape covers, and recorded days.',
    access: 'user',
    reply: replyOf(
      z.strictObject({
        /** Null before the tape's first full minute. */
        tape: z.nullable(z.strictObject({ from: isoTime, to: isoTime })),
        /** Newest first. */
        recordings: z.array(z.strictObject({ day: z.string(), symbols: z.array(z.string()) })),
      }),
    ),
    problems: [],
  },
  'POST /automatic/backtest': {
    summary:
      'Tries the settings of automatic trades on the past: at most 31 days, and 310 days of symbols (10 symbols for 31 days). Trades nothing.',
    access: 'user',
    limit: { max: 30, per: 'minute', message: 'You ran many back-tests in a short time. Wait a minute.' },
    body: BacktestBody,
    reply: replyOf(BacktestReply),
    problems: ['unavailable'],
  },
  'POST /strategies/backtest': {
    summary:
      'Tries a rule on the past, saved or not, with the settings of automatic trades. The same limits as for `POST /automatic/backtest`. Stores and trades nothing.',
    access: 'user',
    limit: { max: 30, per: 'minute', message: 'You ran many back-tests in a short time. Wait a minute.' },
    body: RuleBacktestBody,
    reply: replyOf(BacktestFigures),
    problems: ['unavailable'],
  },
} as const satisfies Record<string, Endpoint>
