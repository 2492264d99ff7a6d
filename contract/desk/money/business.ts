import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, usdNumber } from '../../fields.ts'
import { days, format } from '../parts.ts'
import { PAGES, PAYOUTS_DUE } from '../terms.ts'

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
  /** The median from request to payment, seconds; null if none was paid. */
  payout_seconds: z.nullable(z.number()),
}

export const DeskBusinessDay = z.strictObject({ day: z.string(), ...Figures })
export type DeskBusinessDay = z.infer<typeof DeskBusinessDay>

export const DeskBusiness = z.strictObject({
  ...Figures,
  /** Oldest first. */
  days: z.array(DeskBusinessDay),
  /** Open trades now: their stakes, and the loss of the house if each of them won. */
  open: z.strictObject({ trades: z.number(), stake: usdNumber, worst_loss: usdNumber }),
  /** Withdrawals that are pending or approved now, by when they're due: each time once. */
  payouts_due: z.array(
    z.strictObject({ due: z.enum(PAYOUTS_DUE), withdrawals: z.number(), approved: z.number(), amount: usdNumber }),
  ),
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
    query: z.strictObject({ days, format }),
    reply: replyOf(DeskBusiness),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
