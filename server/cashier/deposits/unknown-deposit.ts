import type { Selectable } from 'kysely'
import { fieldProblem, Problem } from '#contract/problem.ts'
import type { Coin } from '#contract/terms.ts'
import { assert } from '#kernel/assert.ts'
import type { Usd } from '#kernel/money.ts'
import type { Ms } from '#kernel/time.ts'
import { requireDeposit } from '../../guardrails/index.ts'
import { isLocked, lockAccountById } from '../../identity/index.ts'
import { sql, type Tx } from '../../platform/database/db.ts'
import type { DB } from '../../platform/database/db-types.ts'
import { decideProposal, insertProposal, pendingProposal } from '../../proposals/index.ts'
import type { DecideDeps } from '../deps.ts'
import { type Operator, refuseOwn } from '../operator.ts'
import { transactionIdOf } from '../withdrawals/transaction-id.ts'
import { rateAt, worth } from './arrival.ts'
import { type DepositDone, done } from './decide-deposit.ts'
import { mayDeposit } from './may-deposit.ts'
import { approveDepositRow, depositById, depositedSince, storeArrival } from './store.ts'

type UnknownDepositRow = Selectable<DB['unknown_deposits']>

/** The smallest deposit, in cents. */
const LEAST = 100n

/** Stores a card payment that belongs to no deposit here. A repeated event changes nothing. */
export const storeUnknownPayment = (tx: Tx, { reference, amount }: { reference: string; amount: Usd }) =>
  tx
    .insertInto('unknown_deposits')
    .values({ reference, amount })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

interface FoundCoins {
  coin: Coin
  uncheckedTransactionId: string
  address: string
  /** Decimal text, at most 8 places, above 0. */
  coins: string
  arrivedAt: Ms
}

/**
 * Stores coins that an operator found at an address and that belong to no request, with what they were worth by the tape.
 * Returns the id. Throws `validation_failed`, and `already_exists` for a transaction that is stored.
 */
export async function storeUnknownCoins(
  deps: DecideDeps,
  tx: Tx,
  operator: Operator,
  { coin, uncheckedTransactionId, address, coins, arrivedAt }: FoundCoins,
): Promise<bigint> {
  const reference = transactionIdOf(coin, uncheckedTransactionId, 'transaction_id')
  if (arrivedAt > Date.now()) throw fieldProblem('arrived_at', "can't be in the future")
  const rate = await rateAt(deps, `${coin}USD`, arrivedAt)
  const amount = worth(coins, rate)
  if (amount === 0n) throw fieldProblem('coin_amount', 'is worth less than a cent')
  const row = await tx
    .insertInto('unknown_deposits')
    .values({
      coin,
      reference,
      amount,
      coins,
      rate,
      address,
      arrived_at: new Date(arrivedAt),
      recorded_by: operator.id,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!row) throw new Problem('already_exists', 'This transaction is stored already.')
  return row.id
}

interface Decide {
  id: bigint
  operator: Operator
}

/**
 * Assigns an unknown deposit to a trader: a pending deposit with the operator's approval, which a second person
 * completes. Once that is rejected, it can be assigned again. Throws `not_found`, `own_item`, `wrong_state`,
 * `second_person_required`.
 */
export async function assignUnknown(
  deps: DecideDeps,
  tx: Tx,
  { id, operator, userId }: Decide & { userId: bigint },
): Promise<DepositDone> {
  const account = await lockAccountById(tx, userId)
  if (!account) throw fieldProblem('user', 'is no open account')
  refuseOwn(operator, account.email)
  const unknown = await lockOpen(tx, id)
  await endReturn(tx, id, operator)
  if (unknown.amount < LEAST) throw new Problem('wrong_state', 'This is less than the smallest deposit. Send it back.')
  try {
    mayDeposit(account, await isLocked(tx, userId, 'deposits'))
    await requireDeposit({ depositedSince }, tx, { userId, amount: unknown.amount })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem('wrong_state', `This trader may not deposit this now. They would see: ${error.message}`)
  }
  const before = await insertAssigned(deps, tx, unknown, userId)
  await tx
    .updateTable('unknown_deposits')
    .set({ deposit_id: before.id, assigned_by: operator.id })
    .where('id', '=', id)
    .execute()
  return done(deps, tx, { before, after: await approveDepositRow(tx, before, operator.id, unknown.amount) })
}

/** Stores the pending deposit. What arrived is what was found. */
async function insertAssigned(deps: Pick<DecideDeps, 'newId'>, tx: Tx, unknown: UnknownDepositRow, userId: bigint) {
  const id = deps.newId()
  const { coin, reference, amount, coins, rate, address, arrived_at, recorded_by } = unknown
  const source =
    coin === null
      ? { method: 'card' as const, provider_reference: reference, checkout_closed_at: sql<Date>`clock_timestamp()` }
      : { method: 'crypto' as const, coin, coin_amount: coins, rate, address, requested_at: null }
  await tx
    .insertInto('deposits')
    .values({ id, user_id: userId, submitted: amount, ...source })
    .execute()
  if (coin !== null) {
    assert(coins !== null && rate !== null && recorded_by !== null, 'coins have all of it')
    const stored = await storeArrival(tx, {
      ...{ deposit_id: id, user_id: userId, coin, transaction_id: reference, coins, arrived_at, rate, amount },
      operator_id: recorded_by,
    })
    if (!stored) throw new Problem('wrong_state', 'This transaction paid a deposit of this trader already.')
  }
  const row = await depositById(tx, id)
  assert(row, 'the row that was just written exists')
  return row
}

/** Proposals to send an unknown deposit back. The subject is the unknown deposit. */
const RETURNS = 'deposit-returns'

/**
 * Records that an unknown deposit was sent back: one operator proposes it, and another completes it with the proposer's
 * words. Throws `not_found`, `wrong_state`, `second_person_required`.
 */
export async function returnUnknown(
  tx: Tx,
  { id, operator, reason }: Decide & { reason: string },
): Promise<'proposed' | 'completed'> {
  await lockOpen(tx, id)
  const proposal = await pendingProposal(tx, RETURNS, String(id))
  if (!proposal) {
    await insertProposal(tx, { kind: RETURNS, subject: String(id), reason, operatorId: operator.id })
    return 'proposed'
  }
  if (proposal.proposed_by === operator.id)
    throw new Problem('second_person_required', "You've proposed this. A second operator completes it.")
  await decideProposal(tx, { kind: RETURNS, id: proposal.id }, { status: 'Approved' }, operator.id)
  await tx
    .updateTable('unknown_deposits')
    .set({ returned_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute()
  return 'completed'
}

/** Ends another operator's proposal to send back what this one assigns. */
async function endReturn(tx: Tx, id: bigint, operator: Operator): Promise<void> {
  const proposal = await pendingProposal(tx, RETURNS, String(id))
  if (!proposal) return
  if (proposal.proposed_by === operator.id)
    throw new Problem('second_person_required', 'You proposed to send this back. A second operator decides.')
  const decision = { status: 'Rejected', reason: 'It was assigned to a trader.' } as const
  await decideProposal(tx, { kind: RETURNS, id: proposal.id }, decision, operator.id)
}

/** Locks an unknown deposit that is neither sent back nor assigned. */
async function lockOpen(tx: Tx, id: bigint): Promise<UnknownDepositRow> {
  const row = await tx
    .selectFrom('unknown_deposits')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw new Problem('not_found', 'Item not found.')
  const deposit = row.deposit_id === null ? undefined : await depositById(tx, row.deposit_id)
  if (row.returned_at !== null) throw new Problem('wrong_state', 'This was sent back already.')
  if (deposit && deposit.status !== 'Rejected')
    throw new Problem('wrong_state', 'This is assigned to a trader already. It is decided in Deposits.')
  return row
}
