import type { Deposit, Withdrawal } from '#contract/money/cashier.ts'
import { assert } from '#kernel/assert.ts'
import { publicId } from '#kernel/id.ts'
import { usd, usdToNumber, ZERO_USD } from '#kernel/money.ts'
import { toIso } from '#kernel/time.ts'
import { rateUntil, type Standing, standingOfDeposit } from './deposits/deposit.ts'
import type { DepositRow } from './deposits/store.ts'
import type { WithdrawalRow } from './withdrawals/store.ts'
import { maskedBank, standingOfWithdrawal } from './withdrawals/withdrawal.ts'

/** Returns a deposit as its owner sees it. */
export function toDeposit(row: DepositRow): Deposit {
  return {
    deposit_id: publicId(row.id),
    method: row.method,
    currency: row.coin,
    amount: usdToNumber(row.credited ?? row.submitted),
    usd_amount: usdToNumber(row.submitted),
    coin_amount: row.coin_amount === null ? null : Number(row.coin_amount),
    rate: row.rate,
    rate_source: row.rate_source,
    address: row.address,
    ...(row.coin === null || row.requested_at === null
      ? {}
      : { rate_until: rateUntil(row.requested_at), requested_at: row.requested_at.toISOString() }),
    ...(row.arrival === null
      ? {}
      : {
          arrival: {
            transaction_id: row.arrival.transaction_id,
            coin_amount: row.arrival.coins,
            time: new Date(row.arrival.arrived_at).toISOString(),
            rate: row.arrival.rate,
            amount: usdToNumber(usd(BigInt(row.arrival.cents))),
          },
        }),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.receipt === null ? {} : { receipt_url: `/api/deposit/${publicId(row.id)}/receipt` }),
    ...standing(
      standingOfDeposit({
        status: row.status,
        method: row.method,
        createdAt: row.created_at.getTime(),
        approvals: row.approvals,
        approvedAt: row.approved_at?.getTime(),
        decidedAt: row.decided_at?.getTime(),
      }),
    ),
    ...(row.reversed === 0n ? {} : { reversed: usdToNumber(row.reversed) }),
    createdAt: row.created_at.toISOString(),
  }
}

/** Returns a deposit as it was when submitted: the response to the original request and to every retry. */
export const toSubmittedDeposit = (row: DepositRow): Deposit =>
  toDeposit({
    ...row,
    status: 'Pending',
    credited: null,
    arrival: null,
    reversed: ZERO_USD,
    reason: null,
    decided_at: null,
    approvals: 0,
    approved_at: null,
  })

/** Returns a withdrawal as its owner sees it. */
export function toWithdrawal(row: WithdrawalRow): Withdrawal {
  return {
    withdraw_id: publicId(row.id),
    method: row.method,
    currency: row.coin,
    wallet: walletOf(row),
    amount: usdToNumber(row.amount),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.reference === null ? {} : { reference: row.reference }),
    ...(row.coin === null ? {} : { fee: 0 }),
    ...(row.rate === null || row.rate_at === null
      ? {}
      : {
          coin_amount: Number(row.coin_amount),
          rate: row.rate,
          rate_time: row.rate_at.toISOString(),
          rate_source: row.rate_source,
        }),
    ...(row.processing_at === null ? {} : { approved_at: row.processing_at.toISOString() }),
    ...standing(
      standingOfWithdrawal({
        status: row.status,
        createdAt: row.created_at.getTime(),
        approvals: row.approvals,
        approvedAt: row.approved_at?.getTime(),
        processingAt: row.processing_at?.getTime(),
        endedAt: row.ended_at?.getTime(),
        haltedAt: row.halted_at?.getTime(),
      }),
    ),
    createdAt: row.created_at.toISOString(),
  }
}

/** Returns a withdrawal as it was when requested. */
export const toRequestedWithdrawal = (row: WithdrawalRow): Withdrawal =>
  toWithdrawal({
    ...row,
    status: 'Pending',
    reason: null,
    reference: null,
    coin_amount: null,
    rate: null,
    rate_at: null,
    rate_source: null,
    payout_id: null,
    batch_id: null,
    processing_at: null,
    ended_at: null,
    approvals: 0,
    approved_at: null,
    halted_at: null,
  })

/** Returns the address, or the masked bank account. */
export function walletOf({ wallet, bank_ending }: Pick<WithdrawalRow, 'wallet' | 'bank_ending'>): string {
  if (wallet !== null) return wallet
  assert(bank_ending !== null, 'a withdrawal goes to a wallet or to a bank')
  return maskedBank(bank_ending)
}

const standing = ({ heldBy, since, dueBy }: Standing) => ({
  held_by: heldBy,
  since: toIso(since),
  ...(dueBy === undefined ? {} : { due_by: toIso(dueBy) }),
})
