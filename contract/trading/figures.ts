import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, usdNumber } from '../fields.ts'
import { SOURCES } from '../prices/prices.ts'
import { MODES, TRADE_SIDES } from '../terms.ts'

/** The win rate is shown only from this many decided trades; fewer are not meaningful. */
export const USEFUL_SAMPLE = 100

/** Win rate of the settled trades of one mode. */
export const WinRate = z.strictObject({
  mode: z.enum(MODES),
  /** Share of decided trades that were won, percent with one decimal. Draws and voids don't count. */
  percent: z.number(),
  won: z.number(),
  lost: z.number(),
  draws: z.number(),
  voids: z.number(),
  /** When the first and the last of these trades ended. */
  from: isoTime,
  to: isoTime,
})
export type WinRate = z.infer<typeof WinRate>

/** An anonymous winning real trade: whole dollars, whole minutes. */
export const Payout = z.strictObject({
  symbol: z.string(),
  trade_mode: z.enum(TRADE_SIDES),
  stake: usdNumber,
  payout: usdNumber,
  at: isoTime,
})
export type Payout = z.infer<typeof Payout>

export const figuresCalls = {
  'GET /public/figures': {
    summary:
      'Returns how many symbols are traded, the win rates of settled real and demo trades, and how soon deposits are credited and withdrawals paid. Omits a mode with fewer than 100 decided trades.',
    access: 'visitor',
    mayLag: true,
    reply: replyOf(
      z.strictObject({
        /** The price source of these trades. */
        source: z.enum(SOURCES),
        /** How many symbols are traded: without those that an operator has closed, and those for display only. */
        symbols: z.number(),
        win_rates: z.array(WinRate),
        /**
         * The median time from receipt to credit of the coin deposits credited within the last 30 days. Null with fewer
         * than 20.
         */
        deposits: z.nullable(z.strictObject({ credited: z.number(), median_ms: z.number() })),
        /**
         * The median time from request to payment of the withdrawals paid within the last 30 days. Null with fewer than
         * 20.
         */
        withdrawals: z.nullable(z.strictObject({ paid: z.number(), median_ms: z.number() })),
      }),
    ),
    problems: [],
  },
  'GET /public/payouts': {
    summary: 'Lists the latest winning real trades anonymously, newest first.',
    access: 'visitor',
    mayLag: true,
    reply: replyOf(z.strictObject({ source: z.enum(SOURCES), payouts: z.array(Payout) })),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
