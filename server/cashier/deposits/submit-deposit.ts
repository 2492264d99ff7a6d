import { createHash } from 'node:crypto'
import type { Coin, Deposit } from '#contract/cashier.ts'
import { SOURCES } from '#contract/prices.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
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
import { depositById, depositedSince, insertDeposit } from '../store.ts'
import { toSubmittedDeposit } from '../view.ts'
import { coinsFor, rateOf, rateText } from './convert.ts'

interface SubmitDeposit {
  userId: bigint
  coin: Coin
  amount: Usd
  /** The raw upload, not validated yet. */
  paymentProof: Buffer
  key: RequestKey | undefined
}

/** Longest side of a stored payment proof, in pixels. */
const SIDE = 2_400

/**
 * Records a coin deposit at the current rate of the tape, with its payment proof. Nothing is credited until operators have
 * approved it. A retry with the same key returns the same deposit. Throws `email_not_confirmed`, `account_locked`,
 * `price_unavailable`, `limit_reached` by the trader's own limit, `not_configured`, `too_many_requests`, and the errors of `reencodePicture`.
 */
export async function submitDeposit(deps: CashierDeps, command: SubmitDeposit): Promise<Deposit> {
  const { db } = deps
  const { userId, coin, amount, key } = command
  const kept = await depositOfKey(deps, db, userId, key)
  if (kept) return kept
  // Cheap pre-check before the expensive re-encode; the transaction decides.
  mayDeposit(await findAccountById(db, userId), await isLocked(db, userId, 'deposits'))
  const rate = rateOf(deps.tape, coin)
  const { address } = await deps.addressFor(coin, userId)
  deps.limits.deposits.take(String(userId))
  const picture = await reencodePicture(command.paymentProof, 'receipt', SIDE)
  const proofFile = await deps.files.put(picture)

  const { deposit, isNew } = await inTransaction(db, async (tx) => {
    const account = await lockAccountById(tx, userId)
    const first = await depositOfKey(deps, tx, userId, key)
    if (first) return { deposit: first, isNew: false }
    mayDeposit(account, await isLocked(tx, userId, 'deposits'))
    await requireDeposit({ depositedSince }, tx, { userId, amount })
    const id = deps.newId()
    await insertDeposit(tx, {
      id,
      user_id: userId,
      coin,
      submitted: amount,
      coin_amount: coinsFor(amount, rate),
      rate: rateText(rate),
      address,
      receipt: proofFile,
      receipt_hash: sha256(command.paymentProof),
      picture_hash: sha256(picture),
      rate_source: SOURCES[deps.tape.kind(`${coin}USD`)] ?? null,
    })
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

/** A self-exclusion is recognized in other accounts by the birth date. Throws `validation_failed`, naming it. */
export function requireBirthDate({ date_of_birth }: { date_of_birth: string | null }): void {
  if (date_of_birth === null)
    throw fieldProblem('date_of_birth', 'is required before your first deposit. Add it in Edit profile.')
}

/** Throws when this account may not deposit now. */
export function mayDeposit(
  account: { email_confirmed_at: Date | null; date_of_birth: string | null } | undefined,
  locked: boolean,
): void {
  if (!account) throw new Problem('unauthenticated', 'Please sign in.')
  if (account.email_confirmed_at === null) {
    throw new Problem(
      'email_not_confirmed',
      'Confirm your e-mail address first. Use Send Link to get the e-mail again.',
    )
  }
  requireBirthDate(account)
  if (locked) throw new Problem('account_locked', 'Deposits are locked for your account. Contact support.')
}
