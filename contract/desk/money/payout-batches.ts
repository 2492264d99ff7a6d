import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { isoTime, LENGTH, oneOf, text, usdNumber } from '../../fields.ts'
import { publicId } from '../../ids.ts'
import { COINS } from '../../terms.ts'
import { byPublicId, Person } from '../parts.ts'
import { PAGES, PAYOUT_ITEM_STATUSES } from '../terms.ts'

/** Most withdrawals of a batch. */
export const BATCH_MAX = 100
/** Most batches that the list returns. */
export const BATCHES_SHOWN = 50

/** A withdrawal of a batch, as its file has it. */
const BatchItem = z.strictObject({
  /** The withdrawal's id. */
  id: z.string(),
  email: z.string(),
  wallet: z.string(),
  amount: usdNumber,
  coin_amount: z.number(),
  /** US dollars per coin on the tape, and the time of that price. */
  rate: z.string(),
  rate_time: isoTime,
  status: z.enum(PAYOUT_ITEM_STATUSES),
  /** The transaction that paid it. */
  transaction_id: z.optional(z.string()),
})

/** Coin withdrawals that are paid together. */
export const DeskPayoutBatch = z.strictObject({
  id: z.string(),
  currency: z.enum(COINS),
  created_by: Person,
  created_at: isoTime,
  /** Withdrawals that are still to be paid. */
  unpaid: z.number(),
  /** What it pays, or paid: without what was taken out. */
  withdrawals: z.number(),
  amount: usdNumber,
  coin_amount: z.number(),
  items: z.array(BatchItem),
})
export type DeskPayoutBatch = z.infer<typeof DeskPayoutBatch>

/** What a new batch of a coin would pay: approved withdrawals that are in no batch. */
const Ready = z.strictObject({ currency: z.enum(COINS), withdrawals: z.number(), amount: usdNumber })

const DeskPayouts = z.strictObject({
  ready: z.array(Ready),
  /** The newest batches, those with unpaid withdrawals first. */
  batches: z.array(DeskPayoutBatch),
})
export type DeskPayouts = z.infer<typeof DeskPayouts>

const withdrawals = z.array(publicId).check(z.minLength(1), z.maxLength(BATCH_MAX))

/** Batches of coin withdrawals: one file for a wallet, paid by one transaction or by several. */
export const payoutBatchCalls = {
  'GET /desk/payout-batches': {
    summary: `Returns what can be paid in a batch, and the newest ${BATCHES_SHOWN} batches.`,
    access: 'operator',
    roles: PAGES.payouts.sees,
    reply: replyOf(DeskPayouts),
    problems: [],
  },
  'POST /desk/payout-batches': {
    summary: `Puts the oldest approved withdrawals of a coin, at most ${BATCH_MAX}, into a batch, with their coins fixed at the tape's rate. Leaves out the operator's own, those that another operator works on and those that can't be paid now.`,
    access: 'operator',
    roles: PAGES.payouts.acts,
    body: z.strictObject({ currency: oneOf(COINS) }),
    idempotent: true,
    reply: replyOf(DeskPayoutBatch),
    problems: ['wrong_state', 'payouts_halted', 'price_unavailable', 'idempotency_mismatch'],
  },
  'GET /desk/payout-batches/:id/file': {
    summary: 'Returns the unpaid withdrawals of a batch as a CSV file for a wallet: address, amount, reference.',
    access: 'operator',
    roles: PAGES.payouts.acts,
    params: byPublicId,
    reply: 'text',
    problems: ['not_found', 'wrong_state'],
  },
  'POST /desk/payout-batches/:id/paid': {
    summary: 'Marks withdrawals of a batch as paid, with the id of the transaction that paid them.',
    access: 'operator',
    roles: PAGES.payouts.acts,
    params: byPublicId,
    body: z.strictObject({
      payments: z
        .array(z.strictObject({ withdrawals, transaction_id: text(LENGTH.bank) }))
        .check(z.minLength(1), z.maxLength(BATCH_MAX)),
    }),
    idempotent: true,
    reply: replyOf(DeskPayoutBatch),
    problems: [
      'not_found',
      'wrong_state',
      'claimed',
      'own_item',
      'already_exists',
      'debt_outstanding',
      'payouts_halted',
      'withdrawals_paused',
      'idempotency_mismatch',
    ],
  },
  'POST /desk/payout-batches/:id/take-out': {
    summary: 'Takes unpaid withdrawals out of a batch, whose wallet did not send them. They can be paid again.',
    access: 'operator',
    roles: PAGES.payouts.acts,
    params: byPublicId,
    body: z.strictObject({ withdrawals }),
    idempotent: true,
    reply: replyOf(DeskPayoutBatch),
    problems: ['not_found', 'wrong_state', 'claimed', 'own_item', 'idempotency_mismatch'],
  },
} as const satisfies Record<string, Endpoint>
