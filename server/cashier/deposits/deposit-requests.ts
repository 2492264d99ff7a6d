import type { Coin, DepositRequest } from '#contract/money/cashier.ts'
import { Problem } from '#contract/problem.ts'
import { DEPOSIT_REQUESTS_OPEN } from '#contract/terms.ts'
import { assert } from '#kernel/assert.ts'
import { publicId } from '#kernel/id.ts'
import { type Usd, usdToNumber } from '#kernel/money.ts'
import { MINUTE_MS, toIso } from '#kernel/time.ts'
import { blockOf, requireDeposit } from '../../guardrails/index.ts'
import { findAccountById, isLocked, lockAccountById } from '../../identity/index.ts'
import { inTransaction } from '../../platform/database/db.ts'
import type { CashierDeps } from '../deps.ts'
import { coinsNow } from './convert.ts'
import { rateUntil } from './deposit.ts'
import { mayDeposit } from './may-deposit.ts'
import {
  type DepositRequestRow,
  deleteDepositRequest,
  deleteOldRequests,
  depositedSince,
  depositRequestsOf,
  insertDepositRequest,
} from './store.ts'

/** Hours after which a request without a payment proof is deleted. */
const OPEN_HOURS = 24

interface MakeRequest {
  userId: bigint
  coin: Coin
  amount: Usd
}

/**
 * Stores what a trader is asked to send: how many coins at the tape's rate, and where. Nothing is submitted yet. While a
 * rate counts, the same amount returns the same request, so that a retry makes no second one. Throws
 * `email_not_confirmed`, `account_locked`, `validation_failed`, `price_unavailable`, `not_configured`, `limit_reached`
 * by the trader's own limit or for more than three open requests.
 */
export async function requestDeposit(
  deps: CashierDeps,
  { userId, coin, amount }: MakeRequest,
): Promise<DepositRequest> {
  const { address, test } = await deps.addressFor(coin, userId)
  return inTransaction(deps.db, async (tx) => {
    mayDeposit(await lockAccountById(tx, userId), await isLocked(tx, userId, 'deposits'))
    await requireDeposit({ depositedSince }, tx, { userId, amount })
    await deleteOldRequests(tx, OPEN_HOURS, userId)
    const open = await depositRequestsOf(tx, userId, OPEN_HOURS)
    const same = open.find(
      (one) => one.coin === coin && one.submitted === amount && one.address === address && one.is_rate_valid,
    )
    if (same) return toDepositRequest(same)
    const places = Array.from({ length: DEPOSIT_REQUESTS_OPEN }, (_, n) => n + 1)
    const place = places.find((free) => !open.some((one) => one.slot === free))
    if (place === undefined) {
      throw new Problem(
        'limit_reached',
        `You have ${DEPOSIT_REQUESTS_OPEN} open deposit requests. Continue or cancel one of them first.`,
      )
    }
    const id = deps.newId()
    const { rate_at: _, ...coins } = coinsNow(deps.tape, coin, amount)
    const row = { id, user_id: userId, slot: place, coin, submitted: amount, ...coins, address, is_test: test === true }
    await insertDepositRequest(tx, row)
    const made = (await depositRequestsOf(tx, userId, OPEN_HOURS)).find((one) => one.id === id)
    assert(made, 'the row that was just written exists')
    return toDepositRequest(made)
  })
}

/**
 * Lists a trader's open requests, newest first. Their addresses are left out while the trader may not deposit: nobody is
 * shown where to send money then.
 */
export async function openRequests({ db }: Pick<CashierDeps, 'db'>, userId: bigint): Promise<DepositRequest[]> {
  const requests = (await depositRequestsOf(db, userId, OPEN_HOURS)).map(toDepositRequest)
  if (requests.length === 0) return []
  const mayPay = await maySend({ db }, userId)
  return requests.map((one) => (mayPay ? one : { ...one, address: null }))
}

async function maySend({ db }: Pick<CashierDeps, 'db'>, userId: bigint): Promise<boolean> {
  const [account, locked, block] = await Promise.all([
    findAccountById(db, userId),
    isLocked(db, userId, 'deposits'),
    blockOf(db, userId),
  ])
  try {
    mayDeposit(account, locked)
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
  return !block
}

/** Cancels an open request. Throws `not_found`, also for one that is submitted, over, or another trader's. */
export async function cancelRequest({ db }: Pick<CashierDeps, 'db'>, userId: bigint, id: bigint): Promise<void> {
  if (!(await deleteDepositRequest(db, userId, id))) throw noRequest()
}

/** Deletes the requests of all traders that are over. */
export const dropOldRequests = ({ db }: Pick<CashierDeps, 'db'>) => deleteOldRequests(db, OPEN_HOURS)

/** Returns an open request. Throws `not_found`. */
export async function findRequest(
  db: Parameters<typeof depositRequestsOf>[0],
  userId: bigint,
  id: bigint,
): Promise<DepositRequestRow> {
  const row = (await depositRequestsOf(db, userId, OPEN_HOURS)).find((one) => one.id === id)
  if (!row) throw noRequest()
  return row
}

function toDepositRequest(row: DepositRequestRow): DepositRequest {
  return {
    request_id: publicId(row.id),
    currency: row.coin,
    usd_amount: usdToNumber(row.submitted),
    coin_amount: Number(row.coin_amount),
    rate: row.rate,
    rate_source: row.rate_source,
    rate_until: rateUntil(row.created_at),
    address: row.address,
    ...(row.is_test ? { test: true } : {}),
    expires_at: toIso(row.created_at.getTime() + OPEN_HOURS * 60 * MINUTE_MS),
    createdAt: row.created_at.toISOString(),
  }
}

const noRequest = () =>
  new Problem('not_found', 'This deposit request is over: it was submitted, cancelled, or is older than a day.')
