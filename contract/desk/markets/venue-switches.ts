import * as z from 'zod/mini'
import type { Endpoint } from '../../endpoint.ts'
import { isoTime } from '../../fields.ts'
import { proposal, Reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { VENUE_SWITCH_STATUSES } from '../terms.ts'

/** Taking an exchange out of all prices, or putting it back. */
export const DeskVenueSwitch = z.strictObject({
  id: z.string(),
  venue: z.string(),
  out: z.boolean(),
  /** What is proposed, as text: `Take kraken out`. */
  name: z.string(),
  /** How many symbols would have no price, when it was proposed. Null if none. */
  symbols_lost: z.nullable(z.number()),
  /** How many open real trades used its prices, when it was proposed. Null if none. */
  open_trades: z.nullable(z.number()),
  /** When it takes effect, if it waits for open trades. */
  counts_from: z.optional(isoTime),
  ...proposal(VENUE_SWITCH_STATUSES),
  /** Proposed by this operator: another operator decides. */
  own: z.boolean(),
})
export type DeskVenueSwitch = z.infer<typeof DeskVenueSwitch>

/**
 * Switching exchanges: `POST /desk/feeds/venues/:venue` proposes a switch that takes two operators, and makes any other
 * at once.
 */
export const venueSwitchCalls = {
  ...queueCalls('venue-switches', {
    item: DeskVenueSwitch,
    summary: 'Lists switches of exchanges, pending, decided and done at once, newest first.',
    filter: {},
    actions: {
      approve: {
        summary:
          'Approves an exchange switch. It takes effect once the real trades that are open now and end within five minutes have ended.',
      },
      reject: { summary: 'Rejects an exchange switch.', body: Reason },
    },
  }),
} as const satisfies Record<string, Endpoint>
