import { Problem } from '#contract/problem.ts'
import { publicId } from '#kernel/id.ts'
import type { Usd } from '#kernel/money.ts'
import { blockOf, requireDeposit, requireNoBlock } from '../../guardrails/index.ts'
import { isLocked, lockAccountById } from '../../identity/index.ts'
import type { RequestKey } from '../../ledger/index.ts'
import { type Db, inTransaction, type Tx } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { type Loop, startLoop } from '../../platform/process/loop.ts'
import type { CashierDeps, DecideDeps } from '../deps.ts'
import { failCardDeposit } from './decide-deposit.ts'
import { dropOldRequests } from './deposit-requests.ts'
import { mayDeposit } from './may-deposit.ts'
import { type DepositRow, depositById, depositedSince, noteClosedCheckout, openCheckouts } from './store.ts'

interface BeginCardDeposit {
  userId: bigint
  amount: Usd
  key: RequestKey | undefined
}

/**
 * Records a card payment and starts it with the provider. Only the provider's signed event credits it later. A retry
 * with the same key starts no second deposit, and returns to its checkout only while it may still be paid. Throws
 * `not_configured` when no provider is configured, `wrong_state` for a checkout that is over, and `too_many_requests`.
 */
export async function beginCardDeposit(
  deps: CashierDeps,
  { userId, amount, key }: BeginCardDeposit,
): Promise<{ deposit_id: string; url: string }> {
  const { card } = deps
  if (!card) throw notSetUp()
  const depositId = await inTransaction(deps.db, async (tx) => {
    const account = await lockAccountById(tx, userId)
    const kept = key && (await deps.keys.find(tx, userId, key))
    mayDeposit(account, await isLocked(tx, userId, 'deposits'))
    if (kept !== undefined) {
      await requireOpenCheckout(tx, userId, kept)
      return kept
    }
    await requireDeposit({ depositedSince }, tx, { userId, amount })
    deps.limits.deposits.take(String(userId))
    const id = deps.newId()
    await tx.insertInto('deposits').values({ id, user_id: userId, method: 'card', submitted: amount }).execute()
    if (key) await deps.keys.store(tx, userId, key, 'deposit', id)
    return id
  })
  const { id: checkout, url } = await card.checkout({ depositId, userId, amount })
  await deps.db
    .updateTable('deposits')
    .set({ checkout })
    .where('id', '=', depositId)
    .where('checkout', 'is', null)
    .execute()
  return { deposit_id: publicId(depositId), url }
}

/** Hours after which the provider closes an unpaid checkout and forgets our key, by which a retry would find it again. */
const CHECKOUT_HOURS = 24
const mayBeOpen = ({ created_at }: Pick<DepositRow, 'created_at'>) =>
  Date.now() - created_at.getTime() < CHECKOUT_HOURS * 3_600_000

/** Rejects a retry whose deposit may not be paid any more: the provider could open a second checkout for it. */
async function requireOpenCheckout(tx: Tx, userId: bigint, depositId: bigint): Promise<void> {
  await requireNoBlock(tx, userId)
  const deposit = await depositById(tx, depositId)
  if (deposit && deposit.status !== 'Rejected' && deposit.checkout_closed_at === null && mayBeOpen(deposit)) return
  throw new Problem('wrong_state', 'This card payment is over. Start a new deposit.')
}

/**
 * Closes the checkout of a pending card deposit so that it can be rejected. Throws `wrong_state` when it was already
 * paid, `unavailable` when the provider can't be reached, and `not_configured` when there is no provider while the
 * checkout may still be open.
 */
export async function closeCheckout(deps: Pick<DecideDeps, 'card'>, db: Db, deposit: DepositRow): Promise<void> {
  if (deposit.checkout_closed_at !== null) return
  if (deps.card) {
    // If a crash lost the checkout's id, the same call returns the same checkout.
    const payment = { depositId: deposit.id, userId: deposit.user_id, amount: deposit.submitted }
    const checkout = deposit.checkout ?? (await deps.card.checkout(payment)).id
    if ((await deps.card.close(checkout)) === 'paid')
      throw new Problem('wrong_state', 'The trader has paid. The card provider will confirm or cancel the payment.')
  } else if (mayBeOpen(deposit)) {
    throw new Problem('not_configured', 'The checkout may still be open, and there is no card provider to close it.')
  }
  await noteClosedCheckout(db, deposit.id)
}

const POLL_MS = 15_000

/**
 * Closes and rejects the open checkouts of self-excluded traders. What was paid already waits for the provider. One that
 * can't be closed delays no other: its error is thrown at the end, and the next round tries it again.
 */
async function closeExcludedCheckouts(deps: CashierDeps): Promise<void> {
  let problem: unknown
  for (const deposit of await openCheckouts(deps.db)) {
    if ((await blockOf(deps.db, deposit.user_id))?.kind !== 'exclusion') continue
    try {
      await closeCheckout(deps, deps.db, deposit)
      await inTransaction(deps.db, (tx) => failCardDeposit(deps, tx, deposit.id))
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'wrong_state')) problem ??= error
    }
  }
  if (problem !== undefined) throw problem
}

/** Starts the loop that closes them, so that a provider that is away for a while is asked again, and drops old requests. */
export const startClosingDeposits = (deps: CashierDeps, log: Log): Loop =>
  startLoop('checkouts and requests that are over', POLL_MS, log, async () => {
    await dropOldRequests(deps)
    await closeExcludedCheckouts(deps)
  })

export const notSetUp = () => new Problem('not_configured', "Card deposits aren't available")
