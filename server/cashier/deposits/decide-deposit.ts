import type { DepositStatus } from '#contract/money/cashier.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { add, dollars, smaller, subtract, type Usd, usd } from '#kernel/money.ts'
import { lockAccount, type Movement, type Part, post } from '../../ledger/index.ts'
import type { News } from '../../notices/index.ts'
import { sql, type Tx } from '../../platform/database/db.ts'
import { decideProposal, insertProposal, pendingProposal } from '../../proposals/index.ts'
import { lockOwner, takesTwo } from '../decisions.ts'
import type { DecideDeps } from '../deps.ts'
import { depositNews } from '../news.ts'
import { type Operator, refuseOwn } from '../operator.ts'
import { pushDeposit } from '../push.ts'
import { readSettings } from '../settings.ts'
import { toDeposit } from '../view.ts'
import { DEPOSIT_NEXT } from './deposit.ts'
import {
  approveDepositRow,
  type DepositRow,
  decideDeposit,
  dropDepositApproval,
  lockDeposit,
  noteClosedCheckout,
} from './store.ts'

/** The result of an action on a deposit in the caller's transaction. */
export interface DepositDone {
  userId: bigint
  /** The row before and after the action. */
  before: DepositRow
  after: DepositRow
}

interface ApproveDeposit {
  depositId: bigint
  operator: Operator
  /** The amount that arrived and is credited. */
  amount: Usd
}

/**
 * Counts an operator's approval and credits the amount with the last one needed: one, or above the threshold two from
 * different people for the same amount. What this operator approved alone within 24 hours counts, for this trader and
 * for all. More than was submitted takes two too. What arrived must be entered before, and
 * more is rejected. Throws `validation_failed`,
 * `not_found`, `own_item`, `wrong_state`, `second_person_required`.
 */
export async function approveDeposit(
  deps: DecideDeps,
  tx: Tx,
  { depositId, operator, amount }: ApproveDeposit,
): Promise<DepositDone> {
  assert(amount > 0n, 'a credited amount is positive')
  const before = await lockForDecision(tx, depositId, operator, 'Approved')
  // One with a reference was assigned from a payment that arrived.
  if (before.method === 'card' && before.provider_reference === null)
    throw new Problem('wrong_state', "The card provider credits this deposit; you can't approve it.")
  if (before.method === 'crypto' && !before.arrival)
    throw new Problem('wrong_state', 'Enter what arrived first: the transaction, its coins and its time.')
  const arrived = before.arrival ? usd(BigInt(before.arrival.cents)) : before.submitted
  if (amount > arrived) throw fieldProblem('amount', `is more than the ${dollars(arrived)} that arrived`)
  const { approvers } = before
  if (approvers.some((approver) => approver.operator_id === String(operator.id))) {
    throw new Problem('second_person_required', "You've already approved this deposit. A second operator completes it.")
  }
  const other = approvers.find((approver) => BigInt(approver.amount ?? 0) !== amount)
  if (other) {
    const named = dollars(usd(BigInt(other.amount ?? 0)))
    throw new Problem(
      'wrong_state',
      `The first approval is for ${named}. Both must be for the same amount. If it's wrong, the first operator must revoke their approval.`,
    )
  }
  await endRejection(tx, depositId, operator)
  const approved = await approveDepositRow(tx, before, operator.id, amount)
  if (approved.approvals === 1 && (await takesTwo(tx, operator.id, { depositId, amount })))
    return done(deps, tx, { before, after: approved })
  return credit(deps, tx, before, await decideDeposit(tx, approved, { status: 'Approved', credited: amount }))
}

/**
 * Revokes an operator's own approval while the deposit needs another: a wrong amount is no reason to reject it. Throws
 * `not_found`, `own_item`, `wrong_state`.
 */
export async function revokeDepositApproval(
  deps: DecideDeps,
  tx: Tx,
  { depositId, operator }: { depositId: bigint; operator: Operator },
): Promise<DepositDone> {
  const before = await lockForDecision(tx, depositId, operator, 'Approved')
  const after = await dropDepositApproval(tx, before, operator.id)
  if (!after) throw new Problem('wrong_state', "You haven't approved this deposit.")
  return done(deps, tx, { before, after })
}

/** Proposals to reject deposits above the threshold. The subject is the deposit. */
const REJECTIONS = 'deposit-rejections'

/**
 * Rejects a pending deposit, with the reason that the trader sees. Above the threshold one operator proposes it, and
 * another completes it with the proposer's reason. Throws `not_found`, `own_item`, `wrong_state`,
 * `second_person_required`.
 */
export async function rejectDeposit(
  deps: DecideDeps,
  tx: Tx,
  { depositId, operator, reason: typed }: { depositId: bigint; operator: Operator; reason: string },
): Promise<DepositDone & { step: 'proposed' | 'completed' | 'rejected' }> {
  const before = await lockForDecision(tx, depositId, operator, 'Rejected')
  if (before.method === 'card' && before.checkout_closed_at === null)
    throw new Problem('wrong_state', 'The checkout of this card deposit is still open. Close it first.')
  const takesTwo = before.method === 'crypto' && before.submitted > (await readSettings(tx)).depositTwoPersonAbove
  const proposal = takesTwo ? await pendingProposal(tx, REJECTIONS, String(depositId)) : undefined
  if (takesTwo && !proposal) {
    await insertProposal(tx, {
      kind: REJECTIONS,
      subject: String(depositId),
      reason: typed,
      operatorId: operator.id,
    })
    return { userId: before.user_id, before, after: before, step: 'proposed' }
  }
  if (proposal?.proposed_by === operator.id)
    throw new Problem('second_person_required', "You've proposed this rejection. A second operator completes it.")
  if (proposal) await decideProposal(tx, { kind: REJECTIONS, id: proposal.id }, { status: 'Approved' }, operator.id)
  const reason = proposal?.reason ?? typed
  const after = await decideDeposit(tx, before, { status: 'Rejected', reason })
  const rejected = await done(deps, tx, { before, after, news: depositNews.rejected(after) })
  return { ...rejected, step: proposal ? 'completed' : 'rejected' }
}

/** Ends another operator's proposal to reject a deposit that this one approves. */
async function endRejection(tx: Tx, depositId: bigint, operator: Operator): Promise<void> {
  const proposal = await pendingProposal(tx, REJECTIONS, String(depositId))
  if (!proposal) return
  if (proposal.proposed_by === operator.id)
    throw new Problem('second_person_required', 'You proposed to reject this deposit. A second operator decides.')
  const decision = { status: 'Rejected', reason: 'The deposit was approved.' } as const
  await decideProposal(tx, { kind: REJECTIONS, id: proposal.id }, decision, operator.id)
}

/**
 * Credits a card payment once, on the provider's signed event. Returns undefined when it was already credited. Throws
 * `not_found`, and `wrong_state` when the deposit was rejected.
 */
export async function creditCardDeposit(
  deps: DecideDeps,
  tx: Tx,
  { depositId, amount, reference }: { depositId: bigint; amount: Usd; reference: string },
): Promise<DepositDone | undefined> {
  const { deposit: before } = await lockWithOwner(tx, depositId)
  if (before.method !== 'card') throw notThere()
  if (before.status === 'Approved') return undefined
  if (!DEPOSIT_NEXT[before.status].includes('Approved')) throw decided(before.status)
  const decision = { status: 'Approved', credited: amount, provider_reference: reference } as const
  return credit(deps, tx, before, await decideDeposit(tx, before, decision))
}

/** Rejects a card payment that its provider abandoned. Returns undefined when it was already decided. */
export async function failCardDeposit(deps: DecideDeps, tx: Tx, depositId: bigint): Promise<DepositDone | undefined> {
  const { deposit: before } = await lockWithOwner(tx, depositId)
  if (before.method !== 'card') throw notThere()
  if (!DEPOSIT_NEXT[before.status].includes('Rejected')) return undefined
  await noteClosedCheckout(tx, depositId)
  const reason = "The card payment wasn't completed."
  const after = await decideDeposit(tx, before, { status: 'Rejected', reason })
  return done(deps, tx, { before, after, news: depositNews.rejected(after) })
}

/** Posts the credit of an approved deposit. Debt is repaid first. */
async function credit(deps: DecideDeps, tx: Tx, before: DepositRow, after: DepositRow): Promise<DepositDone> {
  assert(after.credited !== null, 'an approved deposit says what is credited')
  const amount = after.credited
  const repaid = await postCredit(tx, { userId: after.user_id, cause: 'deposit_credit', causeId: after.id, amount })
  return done(deps, tx, { before, after, news: depositNews.approved(after, repaid) })
}

/** Posts incoming money, and returns how much of it repaid a debt. */
async function postCredit(
  tx: Tx,
  { amount, ...movement }: Pick<Movement, 'userId' | 'cause' | 'causeId'> & { amount: Usd },
): Promise<Usd> {
  const before = await lockAccount(tx, movement.userId, 'real')
  const parts: Part[] = [{ debit: 'external_in', credit: 'balance', amount }]
  const { owed } = await post(tx, { ...movement, mode: 'real', parts }, before)
  return subtract(owed, before.owed)
}

interface ReverseDeposit {
  depositId: bigint
  amount: Usd
  /** The event's id at its source. Each can reverse only once. */
  reference: string
  /** The operator who approved it; absent when an event of the card provider caused it. */
  operator?: Operator
}

/**
 * Reverses what a refund or a dispute took: from the balance as far as it goes, the rest as debt. Returns undefined for
 * an event that was already counted. Throws `not_found`, `own_item`, and `wrong_state` for more than was credited.
 */
export async function reverseDeposit(
  deps: DecideDeps,
  tx: Tx,
  { depositId, amount, reference, operator }: ReverseDeposit,
): Promise<DepositDone | undefined> {
  assert(amount > 0n, 'a reversed amount is positive')
  const { deposit: before, email } = await lockWithOwner(tx, depositId)
  if (operator) refuseOwn(operator, email)
  if (await isReversedAlready(tx, reference)) return undefined
  if (before.status !== 'Approved') throw new Problem('wrong_state', 'You can reverse only a credited deposit.')
  const total = add(before.reversed, amount)
  if (total > (before.credited ?? 0n)) {
    throw new Problem('wrong_state', "You can't reverse more than was credited.")
  }
  const id = deps.newId()
  await tx.insertInto('deposit_reversals').values({ id, deposit_id: depositId, amount, reference }).execute()
  await tx.updateTable('deposits').set({ reversed: total }).where('id', '=', depositId).execute()
  const holdings = await lockAccount(tx, before.user_id, 'real')
  const covered = smaller(holdings.balance, amount)
  const owed = subtract(amount, covered)
  const parts: Part[] = [
    { debit: 'balance', credit: 'external_in', amount: covered },
    { debit: 'owed', credit: 'external_in', amount: owed },
  ]
  const taken = { userId: before.user_id, mode: 'real', cause: 'deposit_reversal', causeId: id, parts } as const
  await post(tx, taken, holdings)
  const after = { ...before, reversed: total }
  return done(deps, tx, { before, after, news: depositNews.reversed(after, amount, owed) })
}

/**
 * Whether a refund or dispute is already counted: under its own reference, or through card provider events, which count
 * automatically.
 */
export async function isReversedAlready(tx: Tx, reference: string): Promise<boolean> {
  const { rows } = await sql`
    select from deposit_reversals where reference = ${reference}
    union all select from card_events where reference = ${reference} limit 1`.execute(tx)
  return rows.length > 0
}

interface ReinstateDeposit {
  depositId: bigint
  amount: Usd
  /** The event that caused it. */
  reference: string
}

/** Credits money of a reversed deposit again after a failed refund or a dispute that was won. Debt is repaid first. */
export async function reinstateDeposit(
  deps: DecideDeps,
  tx: Tx,
  { depositId, amount, reference }: ReinstateDeposit,
): Promise<DepositDone> {
  const { deposit: before } = await lockWithOwner(tx, depositId)
  assert(amount > 0n && amount <= before.reversed, 'only what was reversed is reinstated')
  const id = deps.newId()
  const reversed = subtract(before.reversed, amount)
  await tx.insertInto('deposit_reinstatements').values({ id, deposit_id: depositId, amount, reference }).execute()
  await tx.updateTable('deposits').set({ reversed }).where('id', '=', depositId).execute()
  const repaid = await postCredit(tx, { userId: before.user_id, cause: 'deposit_reinstatement', causeId: id, amount })
  const after = { ...before, reversed }
  return done(deps, tx, { before, after, news: depositNews.reinstated(after, amount, repaid) })
}

export async function lockForDecision(tx: Tx, depositId: bigint, operator: Operator, to: DepositStatus) {
  const { deposit, email } = await lockWithOwner(tx, depositId)
  refuseOwn(operator, email)
  if (!DEPOSIT_NEXT[deposit.status].includes(to)) throw decided(deposit.status)
  return deposit
}

async function lockWithOwner(tx: Tx, depositId: bigint) {
  const owner = await lockOwner(tx, 'deposits', depositId)
  const deposit = owner && (await lockDeposit(tx, depositId))
  if (!deposit) throw notThere()
  return { deposit, email: owner.email }
}

/** Notifies the owner after the commit. */
export async function done(
  deps: DecideDeps,
  tx: Tx,
  { before, after, news }: { before: DepositRow; after: DepositRow; news?: News },
): Promise<DepositDone> {
  const userId = before.user_id
  pushDeposit(deps, tx, userId, toDeposit(after))
  if (news) await deps.notices.write(tx, news)
  return { userId, before, after }
}

const notThere = () => new Problem('not_found', 'Deposit not found.')
const decided = (status: DepositStatus) => new Problem('wrong_state', `This deposit is already ${status}.`)
