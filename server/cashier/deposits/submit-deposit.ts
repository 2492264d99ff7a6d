import { createHash } from 'node:crypto'
import type { Coin, Deposit } from '#contract/money/cashier.ts'
import { assert } from '#kernel/assert.ts'
import type { Usd } from '#kernel/money.ts'
import { requireDeposit } from '../../guardrails/index.ts'
import { findAccountById, isLocked, lockAccountById } from '../../identity/index.ts'
import type { RequestKey } from '../../ledger/index.ts'
import { type Db, inTransaction, isDatabaseDown, type Tx } from '../../platform/database/db.ts'
import { reencodePicture } from '../../platform/files/index.ts'
import type { CashierDeps } from '../deps.ts'
import { depositNews } from '../news.ts'
import { pushDeposit } from '../push.ts'
import { toSubmittedDeposit } from '../view.ts'
import { coinsNow } from './convert.ts'
import { findRequest } from './deposit-requests.ts'
import { mayDeposit } from './may-deposit.ts'
import { deleteDepositRequest, depositById, depositedSince, insertDeposit } from './store.ts'

interface SubmitDeposit {
  userId: bigint
  /** What is deposited now, or the request that is submitted. */
  of: { coin: Coin; amount: Usd } | { requestId: bigint }
  /** The raw upload, not validated yet. */
  paymentProof: Buffer
  key: RequestKey | undefined
}

/** Longest side of a stored payment proof, in pixels. */
const SIDE = 2_400

/**
 * Records a coin deposit with its payment proof: that of a request, or one at the current rate of the tape. Nothing is
 * credited until operators have approved it. A retry with the same key returns the same deposit. Throws
 * `email_not_confirmed`, `account_locked`, `price_unavailable`, `limit_reached` by the trader's own limit,
 * `not_configured`, `too_many_requests`, `not_found` for a request that is over, and the errors of `reencodePicture`.
 */
export async function submitDeposit(deps: CashierDeps, command: SubmitDeposit): Promise<Deposit> {
  const { db } = deps
  const { userId, of, key } = command
  const kept = await depositOfKey(deps, db, userId, key)
  if (kept) return kept
  // Cheap pre-check before the expensive re-encode; the transaction decides.
  mayDeposit(await findAccountById(db, userId), await isLocked(db, userId, 'deposits'))
  const asked = 'requestId' in of ? await requested(db, userId, of.requestId) : await askedNow(deps, userId, of)
  deps.limits.deposits.take(String(userId))
  const picture = await reencodePicture(command.paymentProof, 'receipt', SIDE)
  const proofFile = await deps.files.put(picture)

  const { deposit, isNew } = await inTransaction(db, async (tx) => {
    const account = await lockAccountById(tx, userId)
    const first = await depositOfKey(deps, tx, userId, key)
    if (first) return { deposit: first, isNew: false }
    mayDeposit(account, await isLocked(tx, userId, 'deposits'))
    const deposit = 'requestId' in of ? await requested(tx, userId, of.requestId) : asked
    await requireDeposit({ depositedSince }, tx, { userId, amount: deposit.submitted })
    const { id } = deposit
    await insertDeposit(tx, {
      ...deposit,
      user_id: userId,
      receipt: proofFile,
      receipt_hash: sha256(command.paymentProof),
      picture_hash: sha256(picture),
      isRequested: 'requestId' in of,
    })
    if ('requestId' in of) await deleteDepositRequest(tx, userId, id)
    if (key) await deps.keys.store(tx, userId, key, 'deposit', id)
    const row = await depositById(tx, id)
    assert(row, 'the row that was just written exists')
    const submitted = toSubmittedDeposit(row)
    pushDeposit(deps, tx, userId, submitted)
    await deps.notices.write(tx, depositNews.submitted(row))
    return { deposit: submitted, isNew: true }
  }).catch(async (error: unknown) => {
    // If only the response of the commit was lost, the deposit may exist and refer to the file.
    if (!isDatabaseDown(error)) await deps.files.delete(proofFile)
    throw error
  })

  if (!isNew) await deps.files.delete(proofFile)
  return deposit
}

/** What a deposit without a request is asked for: it's made and submitted at once. */
async function askedNow(deps: CashierDeps, userId: bigint, { coin, amount }: { coin: Coin; amount: Usd }) {
  const { rate_at: _, ...coins } = coinsNow(deps.tape, coin, amount)
  const { address } = await deps.addressFor(coin, userId)
  return { id: deps.newId(), coin, submitted: amount, ...coins, address }
}

/** What the trader was asked to send, and where, whatever has changed since. The deposit takes over the request's id. */
async function requested(tx: Db | Tx, userId: bigint, requestId: bigint) {
  const { id, coin, submitted, coin_amount, rate, rate_source, address } = await findRequest(tx, userId, requestId)
  return { id, coin, submitted, coin_amount, rate, rate_source, address }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

async function depositOfKey(
  { keys }: Pick<CashierDeps, 'keys'>,
  db: Db | Tx,
  userId: bigint,
  key: RequestKey | undefined,
): Promise<Deposit | undefined> {
  const id = key && (await keys.find(db, userId, key))
  const row = id === undefined ? undefined : await depositById(db, id)
  return row && toSubmittedDeposit(row)
}
