import type { WithdrawStatus } from '#contract/cashier.ts'
import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { usd } from '#kernel/money.ts'
import { lockAccountById } from '../identity/index.ts'
import { post } from '../ledger/index.ts'
import type { Written } from '../notices/index.ts'
import { sql, type Tx } from '../platform/db.ts'
import { approvalsNeeded } from './deposit.ts'
import type { DecideDeps } from './deps.ts'
import { withdrawalNews } from './news.ts'
import { type Operator, refuseOwn } from './operator.ts'
import { lockWithdrawal, readSettings, type WithdrawalRow, withdrawalApprovers, withdrawalById } from './store.ts'
import { toWithdraw } from './view.ts'
import { WITHDRAWAL_NEXT } from './withdrawal.ts'

/** A withdrawal that something was done to within a transaction of the caller, who calls `committed` once that is committed. */
export interface WithdrawalDone {
  userId: bigint
  /** As it was, and as it is now. */
  before: WithdrawalRow
  after: WithdrawalRow
  committed(): void
}

interface Decision {
  withdrawalId: bigint
  operator: Operator
}

/**
 * Counts an operator's approval; with the last one that is needed, two persons' above the threshold, it is Processing.
 * Throws `not_found`, `own_item`, `wrong_state`, `second_person_required`.
 */
export async function approveWithdrawal(deps: DecideDeps, tx: Tx, decision: Decision): Promise<WithdrawalDone> {
  const { withdrawalId, operator } = decision
  const before = await lockForDecision(tx, decision, 'Processing')
  const approvers = await withdrawalApprovers(tx, withdrawalId)
  if (approvers.includes(operator.id)) {
    throw new Problem(
      'second_person_required',
      'You have approved this withdrawal already: a second person completes it.',
    )
  }
  await tx
    .insertInto('withdrawal_approvals')
    .values({ withdrawal_id: withdrawalId, operator_id: operator.id })
    .execute()
  const { withdrawal_two_person_above } = await readSettings(tx)
  if (approvers.length + 1 < approvalsNeeded(before.amount, withdrawal_two_person_above)) return done(deps, tx, before)
  await tx
    .updateTable('withdrawals')
    .set({ status: 'Processing', processing_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', withdrawalId)
    .execute()
  return done(deps, tx, before, (after) => deps.notices.write(tx, withdrawalNews.approved(after)))
}

/** Notes that it was paid, and how the payment is called where it was made. Throws `not_found`, `own_item`, `wrong_state`. */
export async function payWithdrawal(
  deps: DecideDeps,
  tx: Tx,
  decision: Decision & { reference: string },
): Promise<WithdrawalDone> {
  const before = await lockForDecision(tx, decision, 'Paid')
  await end(tx, before, { status: 'Paid', reference: decision.reference })
  await move(tx, before, 'withdraw_paid', 'external_out')
  return done(deps, tx, before, (after) => deps.notices.write(tx, withdrawalNews.paid(after)))
}

/**
 * Rejects it, or notes that its payment bounced: the money returns to the balance, and the trader is told the reason.
 * Throws `not_found`, `own_item`, `wrong_state`.
 */
export async function rejectWithdrawal(
  deps: DecideDeps,
  tx: Tx,
  decision: Decision & { reason: string },
): Promise<WithdrawalDone> {
  const before = await lockForDecision(tx, decision, 'Rejected')
  await end(tx, before, { status: 'Rejected', reason: decision.reason })
  await move(tx, before, 'withdraw_release', 'balance')
  return done(deps, tx, before, (after) => deps.notices.write(tx, withdrawalNews.rejected(after)))
}

/** The owner's row first, as everywhere; then the withdrawal as it stands under that lock. */
async function lockForDecision(
  tx: Tx,
  { withdrawalId, operator }: Decision,
  to: WithdrawStatus,
): Promise<WithdrawalRow> {
  const seen = await withdrawalById(tx, withdrawalId)
  const account = seen && (await lockAccountById(tx, seen.user_id))
  if (!account) throw new Problem('not_found', 'There is no such withdrawal.')
  await lockWithdrawal(tx, withdrawalId)
  const withdrawal = await withdrawalById(tx, withdrawalId)
  assert(withdrawal, 'a withdrawal is never removed')
  refuseOwn(operator, account.email)
  if (!WITHDRAWAL_NEXT[withdrawal.status].includes(to)) {
    throw new Problem('wrong_state', `This withdrawal is ${withdrawal.status}: it cannot become ${to}.`)
  }
  return withdrawal
}

const end = (
  tx: Tx,
  { id }: WithdrawalRow,
  outcome: { status: 'Paid'; reference: string } | { status: 'Rejected'; reason: string },
) =>
  tx
    .updateTable('withdrawals')
    .set({ ...outcome, ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute()

const move = (
  tx: Tx,
  { id, user_id, amount }: WithdrawalRow,
  cause: 'withdraw_paid' | 'withdraw_release',
  to: 'external_out' | 'balance',
) =>
  post(tx, {
    userId: user_id,
    book: 'real',
    cause,
    causeId: id,
    parts: [{ debit: 'hold', credit: to, amount: usd(amount) }],
  })

async function done(
  deps: DecideDeps,
  tx: Tx,
  before: WithdrawalRow,
  tell?: (after: WithdrawalRow) => Promise<Written>,
): Promise<WithdrawalDone> {
  const after = await withdrawalById(tx, before.id)
  assert(after, 'a withdrawal is never removed')
  const written = await tell?.(after)
  return {
    userId: before.user_id,
    before,
    after,
    committed() {
      deps.bus.publish('withdrawal-changed', { userId: before.user_id, withdrawal: toWithdraw(after) })
      deps.notices.committed(written)
    },
  }
}
