import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, oneOf, usdNumber } from '../../fields.ts'
import { SYMBOL_STATUSES } from '../../prices/prices.ts'
import { MODES, TRADING_TYPES } from '../../terms.ts'
import { format } from '../parts.ts'
import { PAGES } from '../terms.ts'

const Sides = z.strictObject({ trades: z.number(), stake: usdNumber, pays: usdNumber })

export const DeskExposure = z.strictObject({
  symbol: z.string(),
  trading_type: z.enum(TRADING_TYPES),
  /** Latest price, decimal text, and its source time; absent before the first price. */
  price: z.optional(z.string()),
  price_time: z.optional(isoTime),
  status: z.enum(SYMBOL_STATUSES),
  /** Open trades of each side, their stakes, and their payout including stakes if they ended now. */
  buy: Sides,
  sell: Sides,
  /** The house's profit (below 0: its loss) if all trades ended now. */
  house_now: usdNumber,
  /** The loss of the house, 0 or below, if all trades ended on the side that costs it more. */
  house_worst: usdNumber,
  /** The limit on open stakes, if there is one (real mode). */
  open_max: z.nullable(usdNumber),
})
export type DeskExposure = z.infer<typeof DeskExposure>

/** Open stakes and their potential payout. */
export const exposureCalls = {
  'GET /desk/exposure': {
    summary: 'Returns open stakes and potential payout by symbol and side.',
    access: 'operator',
    roles: PAGES.exposure.sees,
    query: z.strictObject({ mode: z.optional(oneOf(MODES)), format }),
    reply: replyOf(z.array(DeskExposure)),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
