import { fieldProblem, Problem } from '#contract/problem.ts'
import { RATE_MINUTES } from '#contract/terms.ts'
import { assert } from '#kernel/assert.ts'
import { type Usd, usd } from '#kernel/money.ts'
import { MINUTE_MS, type Ms } from '#kernel/time.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { DecideDeps } from '../deps.ts'
import type { Operator } from '../operator.ts'
import { transactionIdOf } from '../withdrawals/transaction-id.ts'
import { rateText } from './convert.ts'
import { type DepositDone, done, lockForDecision } from './decide-deposit.ts'
import { type DepositRow, depositById, storeArrival } from './store.ts'

interface Arrival {
  depositId: bigint
  operator: Operator
  uncheckedTransactionId: string
  /** Decimal text, at most 8 places, above 0. */
  coins: string
  arrivedAt: Ms
}

/**
 * Records what arrived for a deposit, as an operator read it from the blockchain, and what it was worth then: at the rate
 * of the request for coins that arrived within its 15 minutes, otherwise at the tape's rate of that moment. It can be
 * corrected until someone approves the deposit. Throws `not_found`, `own_item`, `wrong_state`, `validation_failed`, and
 * `already_exists` for a transaction that paid another deposit of this trader.
 */
export async function recordArrival(
  deps: DecideDeps,
  tx: Tx,
  { depositId, operator, uncheckedTransactionId, coins, arrivedAt }: Arrival,
): Promise<DepositDone> {
  const before = await lockForDecision(tx, depositId, operator, 'Approved')
  const { coin } = before
  if (coin === null) throw new Problem('wrong_state', 'This deposit is paid by card.')
  if (before.approvals > 0)
    throw new Problem('wrong_state', 'An operator has approved this deposit. They must revoke their approval first.')
  const transaction_id = transactionIdOf(coin, uncheckedTransactionId, 'transaction_id')
  if (arrivedAt > Date.now()) throw fieldProblem('arrived_at', "can't be in the future")
  const rate = isInTime(before, arrivedAt) ? before.rate : await rateAt(deps, `${coin}USD`, arrivedAt)
  assert(rate !== null, 'a deposit of coins has a rate')
  const stored = await storeArrival(tx, {
    deposit_id: before.id,
    user_id: before.user_id,
    coin,
    transaction_id,
    coins,
    arrived_at: new Date(arrivedAt),
    rate,
    amount: worth(coins, rate),
    operator_id: operator.id,
  })
  if (!stored) throw new Problem('already_exists', 'This transaction paid another deposit of this trader.')
  const after = await depositById(tx, before.id)
  assert(after, 'the row that was just written exists')
  return done(deps, tx, { before, after })
}

/** Whether coins count at the rate that the trader was shown. Deposits from before requests have a rate without an end. */
function isInTime({ requested_at }: DepositRow, arrivedAt: Ms): boolean {
  if (requested_at === null) return true
  const since = arrivedAt - requested_at.getTime()
  return since >= 0 && since <= RATE_MINUTES * MINUTE_MS
}

export async function rateAt({ priceAt }: DecideDeps, symbol: string, at: Ms): Promise<string> {
  const price = await priceAt(symbol, at)
  if (!price) throw fieldProblem('arrived_at', 'has no price on the tape: enter a time when prices were made')
  return rateText(price)
}

/** Returns what coins are worth at a rate, both as decimal text: rounded half up to cents. */
export function worth(coins: string, rate: string): Usd {
  const [coinUnits, coinPlaces] = unitsOf(coins)
  const [rateUnits, ratePlaces] = unitsOf(rate)
  const divisor = 10n ** BigInt(coinPlaces + ratePlaces)
  return usd((coinUnits * rateUnits * 100n * 2n + divisor) / (divisor * 2n))
}

function unitsOf(text: string): [units: bigint, places: number] {
  const [whole = '', part = ''] = text.split('.')
  return [BigInt(whole + part), part.length]
}
