import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, LENGTH, oneOf, text, usdNumber } from '../../fields.ts'
import { COINS } from '../../terms.ts'
import { arrivalFields, item, Person, Reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { QUEUES, UNKNOWN_DEPOSIT_STATUSES } from '../terms.ts'

/** A payment that belongs to no known deposit. */
export const DeskUnknownDeposit = z.strictObject({
  ...item,
  status: z.enum(UNKNOWN_DEPOSIT_STATUSES),
  /** Null: by card. */
  currency: z.nullable(z.enum(COINS)),
  /** The payment at the card provider, or the transaction. */
  reference: z.string(),
  /** What it was worth when it arrived, US dollars. */
  amount: usdNumber,
  coin_amount: z.nullable(z.number()),
  rate: z.nullable(z.string()),
  /** Where the coins arrived. */
  address: z.nullable(z.string()),
  arrived_at: isoTime,
  /** Who found the coins; null for an event of the card provider. */
  recorded_by: z.nullable(Person),
  /** The deposit that it was last assigned to, and by whom. */
  assigned: z.nullable(
    z.strictObject({ ...Person.shape, deposit_id: z.string(), user_id: z.string(), trader: z.string() }),
  ),
  /** Proposed to be sent back, or sent back: how, in the words of who proposed it. */
  returned: z.nullable(z.strictObject({ ...Person.shape, reason: z.string(), at: isoTime })),
})
export type DeskUnknownDeposit = z.infer<typeof DeskUnknownDeposit>

/** Payments without a deposit. */
export const unknownDepositCalls = {
  ...queueCalls('unknown-deposits', {
    item: DeskUnknownDeposit,
    summary: 'Lists payments that belong to no known deposit, newest first.',
    filter: {},
    actions: {
      assign: {
        summary:
          'Assigns a payment to a trader, by their number or address: a pending deposit that a second operator approves.',
        body: z.strictObject({ user: text(LENGTH.email) }),
        problems: ['second_person_required'],
      },
      'send-back': {
        summary: 'Records that a payment was sent back, and how. One operator proposes it, a second one completes it.',
        body: Reason,
        idempotent: true,
        problems: ['second_person_required'],
      },
    },
  }),
  'POST /desk/unknown-deposits': {
    summary: 'Records coins that arrived without a request, with what they were worth by the tape.',
    access: 'operator',
    roles: QUEUES['unknown-deposits'].acts,
    body: z.strictObject({
      currency: oneOf(COINS),
      ...arrivalFields,
      address: text(LENGTH.wallet),
    }),
    reply: replyOf(DeskUnknownDeposit),
    problems: ['already_exists'],
  },
} as const satisfies Record<string, Endpoint>
