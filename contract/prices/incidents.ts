import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, usdNumber } from '../fields.ts'
import { COMPLAINT_FINDINGS, COMPLAINT_ITEMS, COMPLAINT_TICKS } from '../terms.ts'
import { SOURCES } from './prices.ts'

/** How far back the list goes, and how many it has at most. */
export const INCIDENT_DAYS = 90
export const INCIDENTS_MAX = 300

/** Why trades were void: no price for the entry or the exit, another source of prices, or two operators before the end. */
const VOID_REASONS = ['no_entry', 'no_exit', 'source_changed', 'operators'] as const
export type VoidReason = (typeof VOID_REASONS)[number]

/** Something that went wrong, as recorded when it happened; nobody writes or removes it. */
export const Incident = z.discriminatedUnion('kind', [
  /** Trades of a symbol that were void within an hour, whose stakes were returned. */
  z.strictObject({
    kind: z.literal('voids'),
    from: isoTime,
    to: isoTime,
    symbol: z.string(),
    reason: z.enum(VOID_REASONS),
    real: z.number(),
    demo: z.number(),
  }),
  /** No price was published. `to` is null while it lasts. */
  z.strictObject({ kind: z.literal('no_prices'), from: isoTime, to: z.nullable(isoTime) }),
  /** The prices of some symbols changed from one source to another. */
  z.strictObject({
    kind: z.literal('source_changed'),
    from: isoTime,
    was: z.enum(SOURCES),
    is: z.enum(SOURCES),
    symbols: z.array(z.string()),
  }),
  /** Payouts were halted because the books did not agree. `to` is null while it lasts. */
  z.strictObject({ kind: z.literal('payouts_halted'), from: isoTime, to: z.nullable(isoTime) }),
  /** An exchange was taken out of all prices, or put back. */
  z.strictObject({ kind: z.literal('exchange_switched'), from: isoTime, exchange: z.string(), out: z.boolean() }),
  /** Two operators changed what the price of a symbol must satisfy: which exchanges, how many, how far apart. */
  z.strictObject({ kind: z.literal('terms_changed'), from: isoTime, symbol: z.string() }),
  /** Two operators closed an instrument, with the reason that traders read. `to` is null while it is closed. */
  z.strictObject({
    kind: z.literal('instrument_closed'),
    from: isoTime,
    to: z.nullable(isoTime),
    symbol: z.string(),
    reason: z.string(),
  }),
  /**
   * Two operators ruled about complaints of traders. Rulings of one day with the same finding that return no stakes are
   * one entry. `tick`: the price that was ruled wrong, and the trades that got their stake back; `total` is real money,
   * US dollars.
   */
  z.strictObject({
    kind: z.literal('ruling'),
    from: isoTime,
    item: z.enum(COMPLAINT_ITEMS),
    finding: z.enum(COMPLAINT_FINDINGS),
    complaints: z.number(),
    tick: z.nullable(
      z.strictObject({
        of: z.enum(COMPLAINT_TICKS),
        symbol: z.string(),
        at: isoTime,
        real: z.number(),
        demo: z.number(),
        total: usdNumber,
      }),
    ),
  }),
])
export type Incident = z.infer<typeof Incident>

export const incidentsCalls = {
  'GET /public/incidents': {
    summary:
      'Lists void trades, outages of prices, switched exchanges, changed terms of prices, closed instruments, halts of payouts and rulings about complaints of the last 90 days, anonymously, newest first.',
    access: 'visitor',
    mayLag: true,
    reply: replyOf(z.strictObject({ since: isoTime, incidents: z.array(Incident) })),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
