import type { DepositStatus } from '#contract/cashier.ts'
import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { add, type Usd, usd, usdToText } from '#kernel/money.ts'
import { lockAccountById } from '../identity/index.ts'
import { lockAccount, type Part, post } from '../ledger/index.ts'
import type { Written } from '../notices/index.ts'
import type { Tx } from '../platform/db.ts'
import { approvalsNeeded, DEPOSIT_NEXT } from './deposit.ts'
import type { DecideDeps } from './deps.ts'
import { depositNews } from './news.ts'
import { type Operator, refuseOwn } from './operator.ts'
import { type DepositRow, decideDeposit, depositApprovals, depositById, lockDeposit, readSettings } from './store.ts'
import { toDeposit } from './view.ts'

/** A deposit that something was done to within a transaction of the caller, who calls `committed` once that is committed. */
export interface DepositDone {
  userId: bigint
  /** As it was, and as it is now. */
  before: DepositRow
  after: DepositRow
  committed(): void
}

export interface ApproveDeposit {
  depositId: bigint
  operator: Operator
  /** What arrived: the amount that is credited. */
  amount: Usd
}

/**
 * Counts an operator's approval, and credits the amount with the last one that is needed: one, or two persons' above the
 * threshold, who name the same. Throws `not_found`, `own_item`, `wrong_state`, `second_person_required`.
 */
export async function approveDeposit(
  deps: DecideDeps,
  tx: Tx,
  { depositId, operator, amount }: ApproveDeposit,
): Promise<DepositDone> {
  assert(amount > 0n, 'what arrived is more than nothing')
  const before = await lockForDecision(tx, depositId, operator, 'Approved')
  if (before.method !== 'crypto') throw new Problem('wrong_state', 'A card deposit is credited by its provider.')
  const approvals = await depositApprovals(tx, depositId)
  if (approvals.some((approval) => approval.operator_id === operator.id)) {
    throw new Problem('second_person_required', 'You have approved this deposit already: a second person completes it.')
  }
  const other = approvals.find((approval) => approval.amount !== amount)
  if (other) {
    const named = `${usdToText(usd(other.amount))} USD`
    throw new Problem(
      'wrong_state',
      `The first approval names ${named}: both must name the same amount. If it is wrong, reject the deposit.`,
    )
  }
  await tx.insertInto('deposit_approvals').values({ deposit_id: depositId, operator_id: operator.id, amount }).execute()
  const { deposit_two_person_above } = await readSettings(tx)
  if (approvals.length + 1 < approvalsNeeded(amount, deposit_two_person_above)) return done(deps, tx, before)
  await decideDeposit(tx, depositId, { status: 'Approved', credited: amount })
  return credited(deps, tx, before, amount)
}

/** Rejects a deposit that waits, with the reason that the trader is told. Throws `not_found`, `own_item`, `wrong_state`. */
export async function rejectDeposit(
  deps: DecideDeps,
  tx: Tx,
  { depositId, operator, reason }: { depositId: bigint; operator: Operator; reason: string },
): Promise<DepositDone> {
  const before = await lockForDecision(tx, depositId, operator, 'Rejected')
  await decideDeposit(tx, depositId, { status: 'Rejected', reason })
  return done(deps, tx, before, (after) => deps.notices.write(tx, depositNews.rejected(after)))
}

/**
 * Credits a card payment by the provider's signed word, once: answers undefined where it was credited already. Throws
 * `not_found`, and `wrong_state` where the deposit was rejected.
 */
export async function creditCardDeposit(
  deps: DecideDeps,
  tx: Tx,
  { depositId, amount, reference }: { depositId: bigint; amount: Usd; reference: string },
): Promise<DepositDone | undefined> {
  const before = await lockWithOwner(tx, depositId)
  if (before.deposit.method !== 'card') throw notThere()
  if (before.deposit.status === 'Approved') return undefined
  if (!DEPOSIT_NEXT[before.deposit.status].includes('Approved')) throw decided(before.deposit.status)
  await tx.updateTable('deposits').set({ provider_reference: reference }).where('id', '=', depositId).execute()
  await decideDeposit(tx, depositId, { status: 'Approved', credited: amount })
  return credited(deps, tx, before.deposit, amount)
}

/** Rejects a card payment that its provider gave up; answers undefined where it was decided already. */
export async function failCardDeposit(deps: DecideDeps, tx: Tx, depositId: bigint): Promise<DepositDone | undefined> {
  const before = await lockWithOwner(tx, depositId)
  if (before.deposit.method !== 'card') throw notThere()
  if (!DEPOSIT_NEXT[before.deposit.status].includes('Rejected')) return undefined
  await decideDeposit(tx, depositId, { status: 'Rejected', reason: 'The card payment was not completed.' })
  return done(deps, tx, before.deposit, (after) => deps.notices.write(tx, depositNews.rejected(after)))
}

/** Posts the credit; a debt is paid back first. */
async function credited(deps: DecideDeps, tx: Tx, before: DepositRow, amount: Usd): Promise<DepositDone> {
  const { owed } = await lockAccount(tx, before.user_id, 'real')
  const repaid = usd(-owed < amount ? -owed : amount)
  const parts: Part[] = [
    { debit: 'external_in', credit: 'owed', amount: repaid },
    { debit: 'external_in', credit: 'balance', amount: usd(amount - repaid) },
  ]
  await post(tx, { userId: before.user_id, book: 'real', cause: 'deposit_credit', causeId: before.id, parts })
  return done(deps, tx, before, (after) => deps.notices.write(tx, depositNews.approved(after, repaid)))
}

export interface ReverseDeposit {
  depositId: bigint
  amount: Usd
  /** How the event is called where it was made: the same one takes back once. */
  reference: string
  /** Who does so; absent where a provider's signed word does. */
  operator?: Operator
}

/**
 * Takes back what a refund or a dispute took: from the balance what it covers, the rest is owed. Answers undefined for
 * an event that was counted already. Throws `not_found`, `own_item`, and `wrong_state` for more than was credited.
 */
export async function reverseDeposit(
  deps: DecideDeps,
  tx: Tx,
  { depositId, amount, reference, operator }: ReverseDeposit,
): Promise<DepositDone | undefined> {
  assert(amount > 0n, 'what is taken back is more than nothing')
  const { deposit: before, email } = await lockWithOwner(tx, depositId)
  if (operator) refuseOwn(operator, email)
  const counted = await tx
    .selectFrom('deposit_reversals')
    .select('deposit_id')
    .where('reference', '=', reference)
    .executeTakeFirst()
  if (counted?.deposit_id === depositId) return undefined
  if (counted) throw new Problem('wrong_state', 'This reference took back another deposit.')
  if (before.status !== 'Approved') throw new Problem('wrong_state', 'Only a credited deposit can be taken back.')
  const total = add(usd(before.reversed), amount)
  if (total > (before.credited ?? 0n)) {
    throw new Problem('wrong_state', 'More than was credited cannot be taken back.')
  }
  const id = deps.newId()
  await tx.insertInto('deposit_reversals').values({ id, deposit_id: depositId, amount, reference }).execute()
  await tx.updateTable('deposits').set({ reversed: total }).where('id', '=', depositId).execute()
  const { balance } = await lockAccount(tx, before.user_id, 'real')
  const covered = balance < amount ? balance : amount
  const owed = usd(amount - covered)
  await post(tx, {
    userId: before.user_id,
    book: 'real',
    cause: 'deposit_reversal',
    causeId: id,
    parts: [
      { debit: 'balance', credit: 'external_in', amount: covered },
      { debit: 'owed', credit: 'external_in', amount: owed },
    ],
  })
  return done(deps, tx, before, (after) => deps.notices.write(tx, depositNews.reversed(after, amount, owed)))
}

async function lockForDecision(tx: Tx, depositId: bigint, operator: Operator, to: DepositStatus): Promise<DepositRow> {
  const { deposit, email } = await lockWithOwner(tx, depositId)
  refuseOwn(operator, email)
  if (!DEPOSIT_NEXT[deposit.status].includes(to)) throw decided(deposit.status)
  return deposit
}

/** The owner's row first, as everywhere; then the deposit as it stands under that lock. */
async function lockWithOwner(tx: Tx, depositId: bigint): Promise<{ deposit: DepositRow; email: string }> {
  const seen = await depositById(tx, depositId)
  const account = seen && (await lockAccountById(tx, seen.user_id))
  if (!account) throw notThere()
  await lockDeposit(tx, depositId)
  const deposit = await depositById(tx, depositId)
  assert(deposit, 'a deposit is never removed')
  return { deposit, email: account.email }
}

async function done(
  deps: DecideDeps,
  tx: Tx,
  before: DepositRow,
  tell?: (after: DepositRow) => Promise<Written>,
): Promise<DepositDone> {
  const after = await depositById(tx, before.id)
  assert(after, 'a deposit is never removed')
  const written = await tell?.(after)
  return {
    userId: before.user_id,
    before,
    after,
    committed() {
      deps.bus.publish('deposit-changed', { userId: before.user_id, deposit: toDeposit(after) })
      deps.notices.committed(written)
    },
  }
}

const notThere = () => new Problem('not_found', 'There is no such deposit.')
const decided = (status: DepositStatus) => new Problem('wrong_state', `This deposit is ${status} already.`)
