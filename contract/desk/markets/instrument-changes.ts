import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, MESSAGE, oneOf, text, whole } from '../../fields.ts'
import { TRADING_TYPES } from '../../terms.ts'
import { proposal, Reason, reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { INSTRUMENT_CHANGES, PROPOSAL_STATUSES, QUEUES } from '../terms.ts'

/** What a live price must satisfy, in every list. Differences are in hundredths of a percent. */
export const InstrumentTerms = z.strictObject({
  min_sources: z.number(),
  /** Each exchange's price is the middle of what this many USD would be sold and bought for there. */
  depth_usd: z.number(),
  largest_spread_bps: z.number(),
  largest_deviation_bps: z.number(),
  stale_after_ms: z.number(),
  /** Ids of the exchanges that prices are taken from; null for all that list it. */
  venues: z.nullable(z.array(z.string())),
  /** Real trades are refused, whatever its prices are made from. */
  demo_only: z.boolean(),
})
export type InstrumentTerms = z.infer<typeof InstrumentTerms>

/** A change of the list of instruments. */
export const DeskInstrumentChange = z.strictObject({
  id: z.string(),
  kind: z.enum(INSTRUMENT_CHANGES),
  symbol: z.string(),
  /** What is proposed, as text: `Close BTCUSDT`. */
  name: z.string(),
  /** Of an instrument that is added; null otherwise. */
  base: z.nullable(z.string()),
  quote: z.nullable(z.string()),
  trading_type: z.nullable(z.enum(TRADING_TYPES)),
  scale: z.nullable(z.number()),
  /** The terms of an instrument that is added or whose terms change; null otherwise. */
  terms: z.nullable(InstrumentTerms),
  /** The terms that a pending change replaces, with the pair and scale that they apply to; null otherwise. */
  now: z.nullable(z.strictObject({ base: z.string(), quote: z.string(), scale: z.number(), terms: InstrumentTerms })),
  /** Why it is closed, as traders will see it; null otherwise. */
  closed_reason: z.nullable(z.string()),
  /** Tape time from which approved terms count: after the real trades that were open and ended soon. */
  counts_from: z.optional(isoTime),
  ...proposal(PROPOSAL_STATUSES),
  /** Proposed by this operator: another operator decides. */
  own: z.boolean(),
})
export type DeskInstrumentChange = z.infer<typeof DeskInstrumentChange>

/** The largest length of the reason that traders see. */
export const CLOSED_REASON_LENGTH = 200

/** A currency's code: part of a symbol. */
export const currencyCode = text(18).check(z.regex(/^[A-Z0-9]+$/, 'must be A to Z in upper case, and digits'))
const symbol = text(20).check(z.regex(/^[A-Z0-9]{2,20}$/, MESSAGE.invalid))

/** The limits of the terms, smallest and largest. */
export const TERM_LIMITS = {
  scale: [0, 15],
  min_sources: [1, 10],
  depth_usd: [100, 1_000_000],
  largest_spread_bps: [1, 5000],
  largest_deviation_bps: [1, 5000],
  stale_after_ms: [1000, 600_000],
} as const
const VENUES_MAX = 20
export const DEFAULT_STALE_AFTER_MS = 10_000
export const DEFAULT_DEPTH_USD = 1_000

const NAME_EXCHANGES = `must name 1 to ${VENUES_MAX} exchanges by their ids, each once, such as kraken`
const venueIds = z
  .array(z.string(NAME_EXCHANGES).check(z.regex(/^[a-z][a-z0-9]{0,31}$/, NAME_EXCHANGES)), NAME_EXCHANGES)
  .check(
    z.refine((ids) => ids.length >= 1 && ids.length <= VENUES_MAX && new Set(ids).size === ids.length, NAME_EXCHANGES),
  )

const terms = {
  min_sources: whole(...TERM_LIMITS.min_sources),
  largest_spread_bps: whole(...TERM_LIMITS.largest_spread_bps),
  largest_deviation_bps: whole(...TERM_LIMITS.largest_deviation_bps),
}
const staleAfterMs = whole(...TERM_LIMITS.stale_after_ms)
const depthUsd = whole(...TERM_LIMITS.depth_usd)
const demoOnly = z.optional(z.boolean(MESSAGE.invalid))

const proposes = {
  access: 'operator',
  roles: QUEUES['instrument-changes'].acts,
  reply: replyOf(DeskInstrumentChange),
} as const

/** Changing instruments without code or restart. */
export const instrumentChangeCalls = {
  ...queueCalls('instrument-changes', {
    item: DeskInstrumentChange,
    summary: 'Lists pending and decided instrument changes, newest first.',
    filter: {},
    actions: {
      approve: {
        summary:
          'Approves an instrument change. It takes effect within seconds; terms of prices once the open real trades that end within five minutes have ended.',
      },
      reject: { summary: 'Rejects an instrument change.', body: Reason },
    },
  }),
  'POST /desk/instruments': {
    summary: 'Proposes an instrument; a second admin decides. Its symbol is the base followed by the quote.',
    ...proposes,
    body: z.strictObject({
      base: currencyCode,
      quote: currencyCode,
      trading_type: oneOf(TRADING_TYPES),
      scale: whole(...TERM_LIMITS.scale),
      ...terms,
      /** 1,000 by default. */
      depth_usd: z.optional(depthUsd),
      /** 10 seconds by default. */
      stale_after_ms: z.optional(staleAfterMs),
      /** All that list it by default. */
      venues: z.optional(venueIds),
      /** False by default. */
      demo_only: demoOnly,
      reason,
    }),
    problems: ['wrong_state'],
  },
  'POST /desk/instruments/change': {
    summary: 'Proposes new terms of an instrument; a second admin decides. Open trades settle as usual.',
    ...proposes,
    body: z.strictObject({
      symbol,
      ...terms,
      depth_usd: depthUsd,
      stale_after_ms: staleAfterMs,
      venues: z.optional(venueIds),
      demo_only: demoOnly,
      reason,
    }),
    problems: ['not_found', 'wrong_state'],
  },
  'POST /desk/instruments/withdraw': {
    summary:
      'Proposes to withdraw an instrument that was added by mistake; a second admin decides. One that has had a price can only be closed.',
    ...proposes,
    body: z.strictObject({ symbol, reason }),
    problems: ['not_found', 'wrong_state'],
  },
  'POST /desk/instruments/close': {
    summary: 'Proposes to close an instrument for new trades; a second admin decides. Open trades settle as usual.',
    ...proposes,
    body: z.strictObject({ symbol, closed_reason: text(CLOSED_REASON_LENGTH), reason }),
    problems: ['not_found', 'wrong_state'],
  },
  'POST /desk/instruments/reopen': {
    summary: 'Proposes to reopen a closed instrument; a second admin decides.',
    ...proposes,
    body: z.strictObject({ symbol, reason }),
    problems: ['not_found', 'wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
