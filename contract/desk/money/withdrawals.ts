import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, LENGTH, oneOf, optionalText, text, usdNumber } from '../../fields.ts'
import { SOURCES } from '../../prices/prices.ts'
import { BANK_ACCOUNT_TYPES, COINS, RATE_MINUTES, WITHDRAWAL_STATUSES } from '../../terms.ts'
import { Approval, byPublicId, days, item, Reason } from '../parts.ts'
import { approvedOnce, queueCalls } from '../queue-calls.ts'
import { PAYOUTS_DUE, QUEUES } from '../terms.ts'

export const DeskWithdrawal = z.strictObject({
  ...item,
  method: z.enum(['crypto', 'bank']),
  currency: z.nullable(z.enum(COINS)),
  /** The address, or 'Bank, account ending 1234'. */
  wallet: z.string(),
  /** What the trader stated about the destination for the travel rule, from their address book; null if it isn't there. */
  destination: z.nullable(
    z.strictObject({
      name: z.string(),
      /** Null: their own. */
      beneficiary: z.nullable(z.string()),
      /** Null: the owner keeps the wallet. */
      hosted_by: z.nullable(z.string()),
      saved_at: isoTime,
    }),
  ),
  amount: usdNumber,
  status: z.enum(WITHDRAWAL_STATUSES),
  reason: z.optional(z.string()),
  /** The reference of a bank payment, or the id of the coins' transaction. */
  reference: z.optional(z.string()),
  /** The coins to send, at this rate of the tape, fixed for the payment. Null until then, and for a bank. */
  coin_amount: z.nullable(z.number()),
  rate: z.nullable(z.string()),
  rate_time: z.nullable(isoTime),
  rate_source: z.nullable(z.enum(SOURCES)),
  /** The payout batch that it is to be paid with. */
  batch_id: z.nullable(z.string()),
  approved_at: z.optional(isoTime),
  approvals: z.number(),
  approvals_needed: z.number(),
  approved_by: z.array(Approval),
  /** Whether it takes two operators, and only one person has the finance role. */
  needs_second_operator: z.boolean(),
  due_by: z.optional(isoTime),
})
export type DeskWithdrawal = z.infer<typeof DeskWithdrawal>

/** Where to send a bank payment. */
const BankDetails = z.strictObject({
  bank_name: z.string(),
  type: z.enum(BANK_ACCOUNT_TYPES),
  account_number: z.string(),
  routing_number: z.string(),
})

/** Withdrawals. */
export const withdrawalCalls = {
  ...queueCalls('withdrawals', {
    item: DeskWithdrawal,
    summary: 'Lists withdrawals, newest first.',
    filter: {
      user: optionalText(20),
      approved: approvedOnce,
      /** Paid in the period. */
      paid: days,
      /** Open, and due then. */
      due: z.optional(oneOf(PAYOUTS_DUE)),
    },
    actions: {
      approve: {
        summary: 'Approves a withdrawal, which is then Processing. Above the limit, this takes two operators.',
        idempotent: true,
        problems: ['second_person_required', 'debt_outstanding', 'payouts_halted', 'withdrawals_paused'],
      },
      'withdraw-approval': { summary: "Revokes the operator's own approval while a second one is pending." },
      'fix-coins': {
        summary: `Fixes the coins that an approved withdrawal is paid with, at the tape's rate. It can be renewed after ${RATE_MINUTES} minutes.`,
        idempotent: true,
        problems: ['price_unavailable', 'debt_outstanding', 'payouts_halted', 'withdrawals_paused'],
      },
      paid: {
        summary: "Marks a withdrawal as paid, with the bank's reference or the id of the coins' transaction.",
        body: z.strictObject({ reference: text(LENGTH.bank) }),
        idempotent: true,
        problems: ['already_exists', 'price_unavailable', 'debt_outstanding', 'payouts_halted', 'withdrawals_paused'],
      },
      reject: {
        summary: 'Rejects a withdrawal, or records that its payment bounced. The money returns to the balance.',
        body: Reason,
        idempotent: true,
      },
    },
  }),
  'GET /desk/withdrawals/:id/bank': {
    summary: 'Returns the unmasked bank account of a withdrawal. Each view is audited.',
    access: 'operator',
    roles: QUEUES.withdrawals.acts,
    params: byPublicId,
    reply: replyOf(BankDetails),
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
