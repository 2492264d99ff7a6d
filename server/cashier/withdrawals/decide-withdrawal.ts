import type { WithdrawalStatus } from '#contract/money/cashier.ts'
import { Problem } from '#contract/problem.ts'
import { type Coin, RATE_MINUTES } from '#contract/terms.ts'
import { assert } from '#kernel/assert.ts'
import { dollars, negate } from '#kernel/money.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import { refuseWithdrawalPause } from '../../identity/index.ts'
import { refuseReopenedIdentity } from '../../kyc/index.ts'
import { lockAccount } from '../../ledger/index.ts'
import type { News } from '../../notices/index.ts'
import type { Tx } from '../../platform/database/db.ts'
import { lockOwner, takesTwo } from '../decisions.ts'
import { coinsNow } from '../deposits/convert.ts'
import type { DecideDeps } from '../deps.ts'
import { withdrawalNews } from '../news.ts'
import { type Operator, refuseOwn } from '../operator.ts'
import { pushWithdrawal } from '../push.ts'
import { toWithdrawal } from '../view.ts'
import { payHold, releaseHold } from './hold.ts'
import { refusePayoutHalt } from './payout-halts.ts'
import {
  approveWithdrawalRow,
  dropWithdrawalApproval,
  fixCoinsOf,
  insertBatchItem,
  lockWithdrawal,
  moveWithdrawal,
  recordTransaction,
  removeBatchItem,
  type WithdrawalRow,
} from './store.ts'
import { transactionIdOf } from './transaction-id.ts'
import { WITHDRAWAL_NEXT } from './withdrawal.ts'

/** The result of an action on a withdrawal in the caller's transaction. */
export interface WithdrawalDone {
  userId: bigint
  /** The row before and after the action. */
  before: WithdrawalRow
  after: WithdrawalRow
}

interface Decision {
  withdrawalId: bigint
  operator: Operator
}

/**
 * Counts an operator's approval; the last one needed makes the withdrawal Processing. Above the threshold, two
 * different operators must approve. What this operator approved alone within 24 hours counts, for this trader and for
 * all. Two must also approve if this operator approved a deposit or the identity of the trader. Throws `not_found`, `own_item`, `wrong_state`, `second_person_required`, `debt_outstanding`,
 * `payouts_halted`, `withdrawals_paused`.
 */
export async function approveWithdrawal(deps: DecideDeps, tx: Tx, decision: Decision): Promise<WithdrawalDone> {
  const { operator } = decision
  const before = await lockForDecision(tx, decision, 'Processing')
  await refusePayoutHalt(tx)
  await refuseDebtor(tx, before.user_id)
  await refuseWithdrawalPause(tx, before.user_id, 'operator')
  await refuseReopenedIdentity(tx, before.user_id, 'operator')
  if (before.approvers.some((approver) => approver.operator_id === String(operator.id))) {
    throw new Problem(
      'second_person_required',
      "You've already approved this withdrawal. A second operator completes it.",
    )
  }
  const approved = await approveWithdrawalRow(tx, before, operator.id)
  if (approved.approvals === 1 && (await takesTwo(tx, operator.id, { withdrawalId: before.id })))
    return done(deps, tx, { before, after: approved })
  const after = await moveWithdrawal(tx, approved, { status: 'Processing' })
  return done(deps, tx, { before, after, news: withdrawalNews.approved(after) })
}

/**
 * Revokes an operator's own approval while the withdrawal needs another. Throws `not_found`, `own_item`, `wrong_state`.
 */
export async function revokeWithdrawalApproval(deps: DecideDeps, tx: Tx, decision: Decision): Promise<WithdrawalDone> {
  const before = await lockForDecision(tx, decision, 'Rejected')
  if (before.status !== 'Pending') {
    throw new Problem('wrong_state', `This withdrawal is already ${before.status}: you can't revoke approvals.`)
  }
  const after = await dropWithdrawalApproval(tx, before, decision.operator.id)
  if (!after) throw new Problem('wrong_state', "You haven't approved this withdrawal.")
  return done(deps, tx, { before, after })
}

/**
 * Fixes the coins that an approved withdrawal is paid with, at the tape's rate of this moment. The rate counts for 15
 * minutes; only then can it be renewed, so that nobody chooses between rates. Throws `not_found`, `own_item`, `wrong_state`,
 * `price_unavailable`, `debt_outstanding`, `payouts_halted`, `withdrawals_paused`.
 */
export async function fixCoins(deps: DecideDeps, tx: Tx, decision: Decision): Promise<WithdrawalDone> {
  const before = await lockForPayment(tx, decision)
  refuseInBatch(before)
  if (before.coin === null) throw new Problem('wrong_state', 'This withdrawal goes to a bank account.')
  if (isRateValid(before))
    throw new Problem('wrong_state', `The coins are fixed. You can renew the rate after ${RATE_MINUTES} minutes.`)
  const after = await fixCoinsOf(tx, before, coinsNow(deps.tape, before.coin, before.amount))
  return done(deps, tx, { before, after })
}

/**
 * Marks a withdrawal as paid, with the payment's reference: for coins the transaction's id, which pays one withdrawal
 * or withdrawals of one batch only. `batchId` is the batch that it is paid with. Coins that weren't fixed before are those of this moment. Throws `not_found`, `own_item`, `wrong_state`,
 * `debt_outstanding`, `payouts_halted`, `withdrawals_paused`; for coins also `validation_failed`, `already_exists`, `price_unavailable`.
 */
export async function payWithdrawal(
  deps: DecideDeps,
  tx: Tx,
  decision: Decision & { reference: string; batchId?: bigint },
): Promise<WithdrawalDone> {
  const before = await lockForPayment(tx, decision)
  refuseInBatch(before, decision.batchId)
  const payment = before.coin === null ? { reference: decision.reference } : await payCoins(deps, tx, before, decision)
  const after = await moveWithdrawal(tx, before, { status: 'Paid', ...payment })
  await payHold(tx, before)
  return done(deps, tx, { before, after, news: withdrawalNews.paid(after) })
}

/**
 * Rejects a withdrawal, or records that its payment bounced. The money returns to the balance and the trader sees the
 * reason. Throws `not_found`, `own_item`, `wrong_state`.
 */
export async function rejectWithdrawal(
  deps: DecideDeps,
  tx: Tx,
  decision: Decision & { reason: string },
): Promise<WithdrawalDone> {
  const before = await lockForDecision(tx, decision, 'Rejected')
  refuseInBatch(before)
  const after = await moveWithdrawal(tx, before, { status: 'Rejected', reason: decision.reason })
  const repaid = await releaseHold(tx, before)
  return done(deps, tx, { before, after, news: withdrawalNews.rejected(after, repaid) })
}

/** Records the transaction that paid a withdrawal. Returns what the withdrawal keeps of it. */
async function payCoins(
  { tape }: DecideDeps,
  tx: Tx,
  { id, coin, amount, rate, batch_id }: WithdrawalRow,
  { reference }: { reference: string },
) {
  assert(coin !== null, 'a payment in coins has a coin')
  const transaction_id = transactionIdOf(coin, reference)
  const payout_id = batch_id ?? id
  if (!(await recordTransaction(tx, { coin, transaction_id, payout_id }))) {
    const message = 'This transaction has already paid another withdrawal.'
    throw new Problem('already_exists', message, { errors: [{ field: 'reference', message }] })
  }
  return { reference: transaction_id, payout_id, ...(rate === null ? coinsNow(tape, coin, amount) : {}) }
}

/** Throws `wrong_state` for a withdrawal that is paid with another batch, so that it isn't paid twice. */
function refuseInBatch({ batch_id }: WithdrawalRow, batchId: bigint | null = null): void {
  if (batch_id === batchId) return
  throw new Problem(
    'wrong_state',
    batch_id === null
      ? 'This withdrawal is no longer in this batch.'
      : 'This withdrawal is in a payout batch. Mark it as paid there, or take it out first.',
  )
}

/**
 * Puts an approved withdrawal into a batch, with its coins fixed at the current rate, unless they were fixed within 15
 * minutes. Throws as {@link fixCoins}.
 */
export async function putIntoBatch(
  deps: DecideDeps,
  tx: Tx,
  { batch, ...decision }: Decision & { batch: { id: bigint; coin: Coin } },
): Promise<WithdrawalDone> {
  const before = await lockForPayment(tx, decision)
  refuseInBatch(before)
  if (before.coin !== batch.coin) throw new Problem('wrong_state', `This withdrawal isn't in ${batch.coin}.`)
  const after = isRateValid(before)
    ? before
    : await fixCoinsOf(tx, before, coinsNow(deps.tape, batch.coin, before.amount))
  await insertBatchItem(tx, batch.id, before.id)
  return done(deps, tx, { before, after: { ...after, batch_id: batch.id } })
}

/** Takes a withdrawal that wasn't paid out of its batch. Throws `not_found`, `own_item`, `wrong_state`. */
export async function takeOutOfBatch(
  deps: DecideDeps,
  tx: Tx,
  { batchId, ...decision }: Decision & { batchId: bigint },
): Promise<WithdrawalDone> {
  const before = await lockForDecision(tx, decision, 'Paid')
  refuseInBatch(before, batchId)
  await removeBatchItem(tx, batchId, before.id)
  return done(deps, tx, { before, after: { ...before, batch_id: null } })
}

/** Whether coins are fixed at a rate that still counts. */
const isRateValid = ({ rate_at }: WithdrawalRow) =>
  rate_at !== null && Date.now() - rate_at.getTime() < RATE_MINUTES * MINUTE_MS

/** Locks a withdrawal that may be paid now. */
async function lockForPayment(tx: Tx, decision: Decision) {
  const withdrawal = await lockForDecision(tx, decision, 'Paid')
  await refusePayoutHalt(tx)
  await refuseDebtor(tx, withdrawal.user_id)
  await refuseWithdrawalPause(tx, withdrawal.user_id, 'operator')
  await refuseReopenedIdentity(tx, withdrawal.user_id, 'operator')
  return withdrawal
}

async function lockForDecision(tx: Tx, { withdrawalId, operator }: Decision, to: WithdrawalStatus) {
  const owner = await lockOwner(tx, 'withdrawals', withdrawalId)
  const withdrawal = owner && (await lockWithdrawal(tx, withdrawalId))
  if (!withdrawal) throw new Problem('not_found', 'Withdrawal not found.')
  refuseOwn(operator, owner.email)
  if (!WITHDRAWAL_NEXT[withdrawal.status].includes(to)) {
    throw new Problem('wrong_state', `This withdrawal is ${withdrawal.status} and can't become ${to}.`)
  }
  return withdrawal
}

/** Throws while the trader owes money after a reversed deposit: rejecting the withdrawal repays it. */
async function refuseDebtor(tx: Tx, userId: bigint): Promise<void> {
  const { owed } = await lockAccount(tx, userId, 'real')
  if (owed === 0n) return
  throw new Problem(
    'debt_outstanding',
    `The trader owes ${dollars(negate(owed))} after a reversed deposit. Reject the withdrawal to repay the debt with its money.`,
  )
}

/** Notifies the owner after the commit. */
async function done(
  deps: DecideDeps,
  tx: Tx,
  { before, after, news }: { before: WithdrawalRow; after: WithdrawalRow; news?: News },
): Promise<WithdrawalDone> {
  const userId = before.user_id
  pushWithdrawal(deps, tx, userId, toWithdrawal(after))
  if (news) await deps.notices.write(tx, news)
  return { userId, before, after }
}
