import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, oneOf, usdNumber } from '../../fields.ts'
import { format } from '../parts.ts'
import { PAGES } from '../terms.ts'

/** The periods, in UTC days with today. */
export const BUSINESS_DAYS = ['1', '7', '30'] as const

/** Figures of one UTC day, or of a period. Real money only. */
const Figures = {
  /** Credited deposits and reinstatements, less reversals; paid withdrawals. US dollars. */
  deposits: usdNumber,
  withdrawals: usdNumber,
  /** Trades that settled, their stakes, and what they paid. */
  trades: z.number(),
  staked: usdNumber,
  paid_out: usdNumber,
  /** Accounts with a trade that settled. */
  traders: z.number(),
  /** Withdrawals that were paid, and those paid in the promised time. */
  payouts: z.number(),
  payouts_in_time: z.number(),
}

export const DeskBusinessDay = z.strictObject({ day: z.string(), ...Figures })
export type DeskBusinessDay = z.infer<typeof DeskBusinessDay>

export const DeskBusiness = z.strictObject({
  ...Figures,
  /** Oldest first. */
  days: z.array(DeskBusinessDay),
  /** Open trades now: their stakes, and the loss of the house if each of them won. */
  open: z.strictObject({ trades: z.number(), stake: usdNumber, worst_loss: usdNumber }),
  /** What the house can lose in one shock, at the engine's last count; null before the first. US dollars. */
  risk: z.nullable(
    z.strictObject({
      counted_at: isoTime,
      /** Capital and result in real mode. */
      equity: usdNumber,
      /** The capital is play money. */
      play: z.boolean(),
      /** The most that a shock may cost; null: not limited, until `grace_until`. */
      bound: z.nullable(usdNumber),
      /** Until when real trading continues without capital; null: it needs none, or has some. */
      grace_until: z.nullable(isoTime),
      worst_loss: usdNumber,
      /** Each factor and limited symbol with a loss, the largest first. */
      moves: z.array(z.strictObject({ name: z.string(), up: usdNumber, down: usdNumber, most: z.nullable(usdNumber) })),
    }),
  ),
})
export type DeskBusiness = z.infer<typeof DeskBusiness>

export const businessCalls = {
  'GET /desk/business': {
    summary: 'Returns deposits, withdrawals, the result of settled trades, active traders and open stakes of a period.',
    access: 'operator',
    roles: PAGES.business.sees,
    query: z.strictObject({ days: z.optional(oneOf(BUSINESS_DAYS)), format }),
    reply: replyOf(DeskBusiness),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
