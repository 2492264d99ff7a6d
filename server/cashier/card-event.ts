import { type Usd, usd } from '#kernel/money.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { creditCardDeposit, type DepositDone, failCardDeposit, reverseDeposit } from './decide-deposit.ts'
import type { CardEvent, CashierDeps } from './deps.ts'

/**
 * Takes what the card provider says by its signed word: a payment is credited, one that failed is rejected, a refund or
 * dispute takes back. Each event counts once, however often it is sent. Throws `malformed` for a signature that is none.
 */
export async function takeCardEvent(deps: CashierDeps, event: CardEvent): Promise<void> {
  const done = await inTransaction(deps.db, async (tx) => {
    const { numInsertedOrUpdatedRows: fresh } = await tx
      .insertInto('card_events')
      .values({ id: event.id, kind: event.type, deposit_id: await depositOf(tx, event) })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst()
    return fresh === 1n ? act(deps, tx, event) : undefined
  })
  done?.committed()
}

async function act(deps: CashierDeps, tx: Tx, event: CardEvent): Promise<DepositDone | undefined> {
  switch (event.kind) {
    case 'paid':
      return creditCardDeposit(deps, tx, event)
    case 'failed':
      return failCardDeposit(deps, tx, event.depositId)
    case 'taken-back': {
      const deposit = await byPayment(tx, event.payment)
      if (!deposit) return undefined
      // A dispute after a refund takes what is left, not more than was ever credited.
      const left = usd((deposit.credited ?? 0n) - deposit.reversed)
      const amount = least(event.amount, left)
      return amount > 0n
        ? reverseDeposit(deps, tx, { depositId: deposit.id, amount, reference: event.reference })
        : undefined
    }
    case 'nothing':
      return undefined
  }
}

const least = (a: Usd, b: Usd): Usd => (a < b ? a : b)

/** The deposit that an event is about; null where it is none of ours. */
async function depositOf(tx: Tx, event: CardEvent): Promise<bigint | null> {
  if (event.kind === 'nothing') return null
  if (event.kind === 'taken-back') return (await byPayment(tx, event.payment))?.id ?? null
  const row = await tx.selectFrom('deposits').select('id').where('id', '=', event.depositId).executeTakeFirst()
  return row?.id ?? null
}

const byPayment = (tx: Tx, payment: string) =>
  tx
    .selectFrom('deposits')
    .select(['id', 'credited', 'reversed'])
    .where('provider_reference', '=', payment)
    .where('status', '=', 'Approved')
    .executeTakeFirst()
