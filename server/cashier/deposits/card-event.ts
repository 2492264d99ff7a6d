import { negate, smaller, subtract, type Usd, ZERO_USD } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import { lockOwner } from '../decisions.ts'
import type { CardEvent, CashierDeps, DecideDeps } from '../deps.ts'
import type { Operator } from '../operator.ts'
import { creditCardDeposit, failCardDeposit, reinstateDeposit, reverseDeposit } from './decide-deposit.ts'
import { type DepositRow, lockDeposit } from './store.ts'
import { storeUnknownPayment } from './unknown-deposit.ts'

/**
 * Applies a signed event of the card provider: credits a payment, rejects a failed one, reverses a deposit after a
 * refund or dispute, and reinstates it when the refund fails or the dispute is won. Stores a payment that can't be
 * credited, because its deposit is rejected, unknown or paid already. Each event counts once, and a
 * payment's events produce the same balance in any order. Throws `malformed` for a wrong signature.
 */
export async function takeCardEvent(deps: CashierDeps, event: CardEvent): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const payment = paymentOf(event)
    if (payment !== null) await lockPayment(tx, payment)
    const depositId = await depositOf(tx, event)
    const { numInsertedOrUpdatedRows: fresh } = await tx
      .insertInto('card_events')
      .values({ id: event.id, kind: event.type, deposit_id: depositId, payment, ...effectOf(event) })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst()
    if (fresh === 1n) await act(deps, tx, event, depositId)
  })
}

async function act(deps: CashierDeps, tx: Tx, event: CardEvent, depositId: bigint | null): Promise<void> {
  switch (event.kind) {
    case 'paid':
      if (!(await isCreditable(tx, event))) return storeUncredited(tx, event, depositId)
      await creditCardDeposit(deps, tx, event)
      return followProvider(deps, tx, event.depositId, event.id)
    case 'failed':
      if (depositId !== null) await failCardDeposit(deps, tx, depositId)
      return
    case 'taken':
    case 'returned':
      // No deposit: the payment is not credited yet, or not ours. The event is stored and applied at the credit.
      if (depositId !== null) await followProvider(deps, tx, depositId, event.id)
      return
    case 'nothing':
  }
}

type Paid = Extract<CardEvent, { kind: 'paid' }>

/** Whether a payment is for a card deposit that is pending, or that it has already credited. */
async function isCreditable(tx: Tx, { depositId, reference }: Paid): Promise<boolean> {
  await lockOwner(tx, 'deposits', depositId)
  const deposit = await lockDeposit(tx, depositId)
  if (deposit?.method !== 'card') return false
  return deposit.status === 'Pending' || (deposit.status === 'Approved' && deposit.provider_reference === reference)
}

/** Stores a payment that can't be credited, for finance to refund. An error would only make the provider repeat it. */
async function storeUncredited(tx: Tx, { reference, amount }: Paid, depositId: bigint | null): Promise<void> {
  if (depositId === null) await storeUnknownPayment(tx, { reference, amount })
  else
    await tx
      .insertInto('uncredited_payments')
      .values({ payment: reference, deposit_id: depositId, amount })
      .onConflict((conflict) => conflict.column('payment').doNothing())
      .execute()
}

/** Closes a deposit's uncredited payments. Returns how many were open. */
export async function closeUncredited(
  tx: Tx,
  { depositId, operator, reason }: { depositId: bigint; operator: Operator; reason: string },
): Promise<number> {
  const closed = await tx
    .updateTable('uncredited_payments')
    .set({ closed_by: operator.id, closed_at: sql`clock_timestamp()`, closed_reason: reason })
    .where('deposit_id', '=', depositId)
    .where('closed_at', 'is', null)
    .returning('payment')
    .execute()
  return closed.length
}

/**
 * Reverses what refunds and disputes have taken already from a card payment that was just assigned and credited. Throws
 * nothing for other deposits.
 */
export async function followAssigned(deps: DecideDeps, tx: Tx, { id, provider_reference }: DepositRow): Promise<void> {
  if (provider_reference === null) return
  const paid = await tx
    .selectFrom('card_events')
    .select('id')
    .where('payment', '=', provider_reference)
    .where('effect', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (paid) await followProvider(deps, tx, id, paid.id)
}

/**
 * Adjusts the reversed part of a card deposit to match all events of its payment. A sum over a set of events doesn't
 * depend on their order; applying each event as it arrives would.
 */
async function followProvider(deps: DecideDeps, tx: Tx, depositId: bigint, eventId: string): Promise<void> {
  await lockOwner(tx, 'deposits', depositId)
  const deposit = await lockDeposit(tx, depositId)
  if (deposit?.status !== 'Approved' || deposit.provider_reference === null) return
  const credited = deposit.credited ?? ZERO_USD
  const wanted = smaller(credited, await takenOf(tx, depositId, deposit.provider_reference))
  const difference = subtract(wanted, deposit.reversed)
  const change = { depositId, reference: eventId }
  if (difference > 0n) await reverseDeposit(deps, tx, { ...change, amount: difference })
  if (difference < 0n) await reinstateDeposit(deps, tx, { ...change, amount: negate(difference) })
}

/**
 * Returns what refunds and disputes have taken from a payment without returning it, plus what operators reversed of its
 * deposit under references that the provider never reported.
 */
async function takenOf(tx: Tx, depositId: bigint, payment: string): Promise<Usd> {
  const { rows } = await sql<{ taken: Usd }>`
    with named as (
      select reference, case when bool_or(effect = 'returned') then 0 else max(amount) end as amount
      from card_events where payment = ${payment} and effect is not null group by reference
    )
    select (
      coalesce((select sum(amount) from named), 0) + coalesce((
        select sum(r.amount) from deposit_reversals r
        where r.deposit_id = ${depositId} and r.reference not in (select reference from named)
          and not exists (select from card_events e where e.id = r.reference)
      ), 0)
    )::bigint as taken`.execute(tx)
  return first(rows).taken
}

/** Serializes events of one payment, so that each sees what the others committed. */
const lockPayment = (tx: Tx, payment: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`payment ${payment}`}, 0))`.execute(tx)

function paymentOf(event: CardEvent): string | null {
  if (event.kind === 'paid') return event.reference
  return event.kind === 'taken' || event.kind === 'returned' ? event.payment : null
}

function effectOf(event: CardEvent) {
  if (event.kind !== 'taken' && event.kind !== 'returned') return {}
  return { reference: event.reference, amount: event.amount, effect: event.kind }
}

/** Returns the deposit that an event concerns, or null when it isn't ours or isn't credited yet. */
async function depositOf(tx: Tx, event: CardEvent): Promise<bigint | null> {
  if (event.kind === 'nothing') return null
  const deposit = tx.selectFrom('deposits').select('id')
  const row = await (event.kind === 'taken' || event.kind === 'returned'
    ? deposit.where('provider_reference', '=', event.payment)
    : deposit.where('id', '=', event.depositId)
  ).executeTakeFirst()
  return row?.id ?? null
}
