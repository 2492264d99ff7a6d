import type { Withdrawal } from '#contract/money/cashier.ts'
import { cashierMessages } from '#contract/money/cashier.ts'
import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { dollars, negate, type Usd } from '#kernel/money.ts'
import { type AccountRow, isLocked, lockAccountById, refuseWithdrawalPause } from '../../identity/index.ts'
import { currentCheck, refuseReopenedIdentity } from '../../kyc/index.ts'
import { lockAccount, post, type RequestKey } from '../../ledger/index.ts'
import { type Db, inTransaction, type Tx } from '../../platform/database/db.ts'
import { oneByOne } from '../../platform/process/at-most.ts'
import type { CashierDeps } from '../deps.ts'
import { withdrawalNews } from '../news.ts'
import { pushWithdrawal } from '../push.ts'
import { readSettings } from '../settings.ts'
import { toRequestedWithdrawal } from '../view.ts'
import { requireInBook } from './address-book.ts'
import { sealBank } from './bank.ts'
import type { Destination } from './destination.ts'
import { withdrawalById } from './store.ts'

interface RequestWithdrawal {
  userId: bigint
  amount: Usd
  /** Returns the destination, or throws when it can't be paid to. */
  destination(): Destination
  key: RequestKey | undefined
  /** Throws when the second factor is required first. */
  confirm(): Promise<void>
}

// A retry during the first call waits for its response, so it isn't asked to confirm what is already done.
const inTurn = oneByOne()

/**
 * Holds the amount and requests its payment. A retry with the same key returns the same withdrawal. Throws
 * `step_up_required`, `email_not_confirmed`, `account_locked`, `withdrawals_paused`, `identity_required`, `debt_outstanding`,
 * `insufficient_balance`.
 */
export async function requestWithdrawal(deps: CashierDeps, command: RequestWithdrawal): Promise<Withdrawal> {
  const { key, userId } = command
  return key ? inTurn(`${userId}:${key.text}`, () => request(deps, command)) : request(deps, command)
}

async function request(
  deps: CashierDeps,
  { userId, amount, destination, key, confirm }: RequestWithdrawal,
): Promise<Withdrawal> {
  const { db } = deps
  const kept = await withdrawalOfKey(deps, db, userId, key)
  if (kept) return kept
  const to = destination()
  await confirm()
  return inTransaction(db, async (tx) => {
    const account = await lockAccountById(tx, userId)
    const first = await withdrawalOfKey(deps, tx, userId, key)
    if (first) return first
    await mayWithdraw(tx, account)
    await requireInBook(deps, tx, userId, to)
    const id = deps.newId()
    // Store the key first: it locks both accounts in the right order.
    if (key) await deps.keys.store(tx, userId, key, 'withdrawal', id)
    const { balance, owed } = await lockAccount(tx, userId, 'real')
    requireCovered({ balance, owed: negate(owed) }, amount)
    await tx
      .insertInto('withdrawals')
      .values({
        id,
        user_id: userId,
        amount,
        ...(to.method === 'crypto' ? to : { method: 'bank', ...sealBank(deps.seal, id, to) }),
      })
      .execute()
    await post(tx, {
      userId,
      mode: 'real',
      cause: 'withdraw_hold',
      causeId: id,
      parts: [{ debit: 'balance', credit: 'hold', amount }],
    })
    const row = await withdrawalById(tx, id)
    assert(row, 'the row that was just written exists')
    const withdrawal = toRequestedWithdrawal(row)
    pushWithdrawal(deps, tx, userId, withdrawal)
    await deps.notices.write(tx, withdrawalNews.requested(row))
    return withdrawal
  })
}

async function withdrawalOfKey(
  { keys }: Pick<CashierDeps, 'keys'>,
  db: Db | Tx,
  userId: bigint,
  key: RequestKey | undefined,
) {
  const id = key && (await keys.find(db, userId, key))
  const row = id === undefined ? undefined : await withdrawalById(db, id)
  return row && toRequestedWithdrawal(row)
}

/** Throws unless nothing is owed and the balance covers the amount. `owed` is positive. */
export function requireCovered({ balance, owed }: { balance: Usd; owed: Usd }, amount: Usd): void {
  if (owed > 0n) {
    throw new Problem(
      'debt_outstanding',
      `You owe ${dollars(owed)} after a deposit was reversed. You can withdraw once it's repaid.`,
    )
  }
  if (balance < amount) throw new Problem('insufficient_balance', cashierMessages.notCovered)
}

/** Throws when this trader can't withdraw now, whatever the amount. */
export async function mayWithdraw(tx: Db | Tx, account: AccountRow | undefined): Promise<void> {
  if (!account) throw new Problem('unauthenticated', 'Please sign in.')
  if (account.email_confirmed_at === null) {
    throw new Problem(
      'email_not_confirmed',
      'Confirm your e-mail address first. Use Send Link to get the e-mail again.',
    )
  }
  if (await isLocked(tx, account.id, 'withdrawals')) {
    throw new Problem('account_locked', 'Withdrawals are locked for your account. Contact support.')
  }
  await refuseWithdrawalPause(tx, account.id, 'trader')
  await refuseReopenedIdentity(tx, account.id, 'trader')
  const { withdrawalsNeedIdentity } = await readSettings(tx)
  if (withdrawalsNeedIdentity && (await currentCheck(tx, account.id))?.status !== 'Approved') {
    throw new Problem('identity_required', 'Verify your identity first: you need an approved ID to withdraw.')
  }
}
