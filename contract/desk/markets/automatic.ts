import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, oneOf, usdNumber } from '../../fields.ts'
import { STRATEGY_IDS } from '../../terms.ts'
import { Person, reason } from '../parts.ts'
import { PAGES } from '../terms.ts'

const Followers = z.strictObject({
  running: z.number(),
  paused: z.number(),
  /** Automatic trades of the UTC day, and the stops that they or its signals triggered. */
  trades_today: z.number(),
  stops_today: z.number(),
  /** Automatic trades that haven't ended, and their stakes. */
  open_trades: z.number(),
  open_stake: usdNumber,
})

export const DeskStrategy = z.strictObject({
  strategy: z.enum(STRATEGY_IDS),
  name: z.string(),
  real: Followers,
  demo: Followers,
  /** Since when and why operators have switched it off; null while traders can follow it. */
  switched_off: z.nullable(
    z.strictObject({
      at: isoTime,
      reason: z.string(),
      /** The pending proposal to switch it on again. */
      restart: z.nullable(z.strictObject({ id: z.string(), proposed_by: Person })),
    }),
  ),
})
export type DeskStrategy = z.infer<typeof DeskStrategy>

/** Automatic trades of all traders. */
export const automaticTradesCalls = {
  'GET /desk/automatic': {
    summary: 'Returns followers, trades, open stakes and stops of each strategy.',
    access: 'operator',
    mayLag: true,
    roles: PAGES.automatic.sees,
    reply: replyOf(z.array(DeskStrategy)),
    problems: [],
  },
  'POST /desk/automatic/switch-off': {
    summary:
      'Switches off one strategy or all, at once. Nobody follows their signals until two operators switch them on.',
    access: 'operator',
    roles: PAGES.automatic.acts,
    body: z.strictObject({ strategy: oneOf([...STRATEGY_IDS, 'all']), reason }),
    reply: replyOf(z.array(DeskStrategy)),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
