import * as z from 'zod/mini'
import type { Endpoint } from '../../endpoint.ts'
import { isoTime, optionalText, usdAmount, usdNumber } from '../../fields.ts'
import { DepositArrival } from '../../money/cashier.ts'
import { COINS, DEPOSIT_STATUSES } from '../../terms.ts'
import { Approval, arrivalFields, byPublicId, item, Person, Reason } from '../parts.ts'
import { approvedOnce, queueCalls } from '../queue-calls.ts'
import { QUEUES } from '../terms.ts'

export const DeskDeposit = z.strictObject({
  ...item,
  method: z.enum(['crypto', 'card']),
  currency: z.nullable(z.enum(COINS)),
  /** The submitted amount, US dollars. */
  usd_amount: usdNumber,
  coin_amount: z.nullable(z.number()),
  rate: z.nullable(z.string()),
  /** Where the trader was asked to send the coins; null for a card. */
  address: z.nullable(z.string()),
  /** Until when coins count at the rate above. */
  rate_until: z.optional(isoTime),
  /** What an operator read from the blockchain. */
  arrival: z.nullable(z.strictObject({ ...DepositArrival.shape, by: Person, at: isoTime })),
  /** The credited amount, once it is credited. */
  amount: z.optional(usdNumber),
  status: z.enum(DEPOSIT_STATUSES),
  reason: z.optional(z.string()),
  /** Proposed by an operator; another completes it. */
  rejection: z.nullable(z.strictObject({ ...Person.shape, reason: z.string(), at: isoTime })),
  receipt_url: z.nullable(z.string()),
  /** An operator assigned it from a payment without a deposit, so it has no receipt and takes two. */
  assigned: z.boolean(),
  approvals: z.number(),
  /** For the submitted amount and the operator who asks; the amount that they enter decides. */
  approvals_needed: z.number(),
  approved_by: z.array(Approval),
  /** Whether it takes two operators, and only one person has the finance role. */
  needs_second_operator: z.boolean(),
  due_by: z.optional(isoTime),
  reversed: z.optional(usdNumber),
  /** Card payments for this deposit that couldn't be credited. One that isn't closed still needs an operator. */
  uncredited_payments: z.array(
    z.strictObject({
      payment: z.string(),
      amount: usdNumber,
      at: isoTime,
      closed: z.nullable(z.strictObject({ ...Person.shape, at: isoTime, reason: z.string() })),
    }),
  ),
})
export type DeskDeposit = z.infer<typeof DeskDeposit>

/** Deposits. Their reversals are in `reversals.ts`. */
export const depositCalls = {
  ...queueCalls('deposits', {
    item: DeskDeposit,
    summary: 'Lists deposits, newest first.',
    filter: { user: optionalText(20), approved: approvedOnce },
    actions: {
      approve: {
        summary:
          'Approves a deposit by the US dollars received. Above the limit, a second operator enters the same amount.',
        body: z.strictObject({ amount: usdAmount() }),
        idempotent: true,
        problems: ['second_person_required'],
      },
      arrival: {
        summary:
          'Records what arrived, as read from the blockchain, and returns what it was worth: at the rate of the request if it arrived in time, otherwise at the rate of the tape at that time.',
        body: z.strictObject(arrivalFields),
        problems: ['already_exists'],
      },
      'withdraw-approval': { summary: "Revokes the operator's own approval while a second one is pending." },
      reject: {
        summary:
          "Rejects a deposit and closes a card deposit's open checkout. The trader sees the reason. Above the limit, a second operator completes it.",
        body: Reason,
        idempotent: true,
        problems: ['unavailable', 'not_configured', 'second_person_required'],
      },
      'close-payments': {
        summary:
          "Closes a deposit's uncredited card payments, once they are refunded at the provider. The reason says how.",
        body: Reason,
      },
    },
  }),
  'GET /desk/deposits/:id/receipt': {
    summary: 'Returns the image of a payment proof. Each view is audited.',
    access: 'operator',
    roles: QUEUES.deposits.acts,
    params: byPublicId,
    reply: 'text',
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
