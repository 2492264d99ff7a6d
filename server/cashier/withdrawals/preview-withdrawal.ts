import type { WithdrawalPreview } from '#contract/money/cashier.ts'
import { Problem } from '#contract/problem.ts'
import { WITHDRAWAL_BUSINESS_DAYS } from '#contract/terms.ts'
import { subtract, type Usd, usdToNumber } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { toIso } from '#kernel/time.ts'
import { findAccountById, secondFactorOf } from '../../identity/index.ts'
import { balancesOf, debtOf } from '../../ledger/index.ts'
import { sql } from '../../platform/database/db.ts'
import { coinsNow } from '../deposits/convert.ts'
import type { CashierDeps } from '../deps.ts'
import { readSettings } from '../settings.ts'
import { entryOf, requireInBook } from './address-book.ts'
import { bankFingerprint, endingOf } from './bank.ts'
import { afterBusinessDays } from './business-days.ts'
import type { Destination } from './destination.ts'
import { mayWithdraw, requireCovered } from './request-withdrawal.ts'
import { maskedBank } from './withdrawal.ts'

interface PreviewWithdrawal {
  userId: bigint
  amount: Usd
  to: Destination
}

/**
 * Returns what a withdrawal would be if it were requested now. Throws what its request would throw, except for the second
 * factor, which only the request asks for.
 */
export async function previewWithdrawal(
  deps: CashierDeps,
  { userId, amount, to }: PreviewWithdrawal,
): Promise<WithdrawalPreview> {
  const { db } = deps
  await mayWithdraw(db, await findAccountById(db, userId))
  await requireInBook(deps, db, userId, to)
  const [{ balance }, owed, settings, factor, { now, paid }, entry] = await Promise.all([
    balancesOf(db, userId),
    debtOf(db, userId),
    readSettings(db),
    secondFactorOf(db, userId),
    paidBefore(deps, userId, to),
    entryOf(deps, db, userId, to),
  ])
  requireCovered({ balance, owed }, amount)
  return {
    amount: usdToNumber(amount),
    currency: to.method === 'crypto' ? to.coin : null,
    wallet: to.method === 'crypto' ? to.wallet : maskedBank(endingOf(to)),
    first_time: !paid,
    saved_as: entry?.name ?? null,
    ...coinsIfPriced(deps, amount, to),
    fee: 0,
    balance_after: usdToNumber(subtract(balance, amount)),
    due_by: toIso(afterBusinessDays(now.getTime(), WITHDRAWAL_BUSINESS_DAYS)),
    two_people: amount > settings.withdrawalTwoPersonAbove,
    second_factor: factor.on,
  }
}

/** Whether money of this trader has gone there before, and the time. A request that was cancelled proves nothing. */
async function paidBefore({ db, seal }: CashierDeps, userId: bigint, to: Destination) {
  const there =
    to.method === 'crypto' ? sql`wallet = ${to.wallet}` : sql`bank_fingerprint = ${bankFingerprint(seal, to)}`
  const { rows } = await sql<{ now: Date; paid: boolean }>`
    select clock_timestamp() as now,
      exists (select from withdrawals where user_id = ${userId} and status = 'Paid' and ${there}) as paid`.execute(db)
  return first(rows)
}

function coinsIfPriced({ tape }: CashierDeps, amount: Usd, to: Destination) {
  const none = { coin_amount: null, rate: null, rate_source: null }
  if (to.method === 'bank') return none
  try {
    const { coin_amount, rate, rate_source } = coinsNow(tape, to.coin, amount)
    return { coin_amount: Number(coin_amount), rate, rate_source }
  } catch (error) {
    // The rate is fixed at the payment, so a withdrawal doesn't need one now.
    if (error instanceof Problem && error.code === 'price_unavailable') return none
    throw error
  }
}
