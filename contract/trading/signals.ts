import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../endpoint.ts'
import { cursor, isoTime, limit, MESSAGE, oneOf, text } from '../fields.ts'
import { SOURCES } from '../prices/prices.ts'
import {
  isStrategyKey,
  SIGNAL_DURATIONS,
  STRATEGY_IDS,
  type StrategyKey,
  TRADE_SIDES,
  TRADE_STATUSES,
} from '../terms.ts'

/** The periods of the statistics. */
const SIGNAL_PERIODS = ['24h', '7d', '30d', 'all'] as const
export type SignalPeriod = (typeof SIGNAL_PERIODS)[number]

/** Maximum rows of one download of the chain. */
export const CHAIN_ROWS = 10_000

/** A strategy of the platform, or `own-N`: one of a trader's. In requests and in replies. */
export const strategyKey = z
  .string({ error: MESSAGE.empty })
  .check(z.refine(isStrategyKey, MESSAGE.invalid)) as z.ZodMiniType<StrategyKey, StrategyKey>

const durationText = () =>
  oneOf(SIGNAL_DURATIONS.map(String) as [`${(typeof SIGNAL_DURATIONS)[number]}`, ...`${number}`[]])

/**
 * Outcomes of the signals whose candle closed in one part of the period: its start (Unix ms), then Buy signals won and
 * lost, Sell signals won and lost, draws, voids.
 */
export const SignalBucket = z.tuple([
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
])
export type SignalBucket = z.infer<typeof SignalBucket>

/** How the decided signals are spread over candle closes (`OutcomeSpread` in `measured.ts`); over hours for all durations together. */
const SignalSpread = z.strictObject({ closes: z.number(), ww: z.number(), wl: z.number(), ll: z.number() })

const versionFields = {
  id: z.enum(STRATEGY_IDS),
  version: z.number(),
  name: z.string(),
  /** Oldest first; parts without signals are left out. */
  buckets: z.array(SignalBucket),
  spread: SignalSpread,
}

export const StrategyStatistics = z.strictObject({
  ...versionFields,
  /** The rule in plain English. */
  rule: z.string(),
  parameters: z.record(z.string(), z.number()),
  /** Closed candles that a decision needs. */
  needs: z.number(),
})
export type StrategyStatistics = z.infer<typeof StrategyStatistics>

/** A version of a strategy that a newer one has replaced. */
export const RetiredVersion = z.strictObject(versionFields)
export type RetiredVersion = z.infer<typeof RetiredVersion>

/** A trader's strategy, as its author has published it: its newest version. */
export const PublishedStrategy = z.strictObject({
  ...versionFields,
  id: strategyKey,
  /** What it does, in plain English. */
  rule: z.string(),
  /** Of its signals, in seconds. */
  duration: z.number(),
  /** When it was published: nothing before counts. */
  since: isoTime,
})
export type PublishedStrategy = z.infer<typeof PublishedStrategy>

export const Signal = z.strictObject({
  /** Its number in the chain. */
  number: z.string(),
  strategy: strategyKey,
  version: z.number(),
  symbol: z.string(),
  side: z.enum(TRADE_SIDES),
  /** Seconds. */
  duration: z.number(),
  /** End of the candle that it was computed from. */
  candle_close: isoTime,
  /** When it was written, before its entry price existed. */
  at: isoTime,
  end_time: isoTime,
  status: z.enum(TRADE_STATUSES),
  entry_price: z.optional(z.number()),
  exit_price: z.optional(z.number()),
  outcome_reason: z.optional(z.string()),
  /** SHA-256 of the previous hash and the signal's text, in hexadecimal. */
  hash: z.string(),
  /** The random value of a sealed signal, in hexadecimal: only its owner gets it. */
  seal: z.optional(z.string()),
})
export type Signal = z.infer<typeof Signal>

export const signalsCalls = {
  'GET /public/signals/statistics': {
    summary: 'Returns each strategy with its rule and the outcomes of its signals, on the current price source.',
    access: 'visitor',
    mayLag: true,
    query: z.strictObject({ period: oneOf(SIGNAL_PERIODS), duration: z.optional(durationText()) }),
    reply: replyOf(
      z.strictObject({
        /** The price source of these signals. */
        source: z.enum(SOURCES),
        from: isoTime,
        to: isoTime,
        /** Length of a bucket, in ms. */
        bucket_ms: z.number(),
        strategies: z.array(StrategyStatistics),
        /** Older versions with signals in the period, the newest first. */
        retired: z.array(RetiredVersion),
        /** Published by traders, by the lower end of the interval from 100 decided signals on. */
        published: z.array(PublishedStrategy),
      }),
    ),
    problems: [],
  },
  'GET /public/signals': {
    summary: 'Lists signals with their outcomes, newest first.',
    access: 'visitor',
    mayLag: true,
    query: z.strictObject({
      strategy: z.optional(strategyKey),
      symbol: z.optional(text(20)),
      duration: z.optional(durationText()),
      limit,
      cursor,
    }),
    reply: listOf(Signal),
    problems: ['unavailable'],
  },
  'GET /public/signals/chain': {
    summary:
      'Returns part of the chain of signals as CSV: at most 10,000 rows from a number on. Each hash is the SHA-256 of the previous hash (32 bytes) followed by the text of the fields n to frame, separated by commas.',
    access: 'visitor',
    mayLag: true,
    query: z.strictObject({
      /** Number of the first row. */
      from: z.optional(z.string().check(z.regex(/^[1-9]\d{0,14}$/, { error: MESSAGE.invalid }))),
    }),
    reply: 'text',
    problems: ['unavailable'],
  },
} as const satisfies Record<string, Endpoint>
