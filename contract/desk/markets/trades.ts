import * as z from 'zod/mini'
import { type Endpoint, listOf, replyOf } from '../../endpoint.ts'
import { isoTime, oneOf, optionalText } from '../../fields.ts'
import { MODES, TRADE_STATUSES } from '../../terms.ts'
import { Trade } from '../../trading/trading.ts'
import { byPublicId, days, list, Person, Reason } from '../parts.ts'
import { PAGES } from '../terms.ts'

export const DeskTrade = z.strictObject({
  ...Trade.shape,
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  own: z.boolean(),
  /** Set once a risk operator proposed voiding it. */
  void: z.nullable(
    z.strictObject({ proposed_by: Person, reason: z.string(), at: isoTime, completed_by: z.nullable(Person) }),
  ),
})
export type DeskTrade = z.infer<typeof DeskTrade>

/** Trades and their voids. */
export const tradeCalls = {
  'GET /desk/trades': {
    summary: "Lists all traders' trades, newest first.",
    access: 'operator',
    mayLag: true,
    roles: PAGES.trades.sees,
    query: z.strictObject({
      status: z.optional(oneOf(TRADE_STATUSES)),
      mode: z.optional(oneOf(MODES)),
      symbol: optionalText(20),
      user: optionalText(20),
      /** Settled in the period. */
      settled: days,
      ...list,
    }),
    reply: listOf(DeskTrade),
    problems: [],
  },
  'POST /desk/trades/:id/void': {
    summary:
      'Voids a Pending trade before its end and returns the stake. One risk operator proposes, a second one completes.',
    access: 'operator',
    roles: PAGES.trades.acts,
    params: byPublicId,
    body: Reason,
    reply: replyOf(DeskTrade),
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
} as const satisfies Record<string, Endpoint>
