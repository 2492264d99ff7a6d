import type { Coin } from '#contract/money/cashier.ts'
import type { Usd } from '#kernel/money.ts'
import type { Ms } from '#kernel/time.ts'
import type { BalancePush, RequestKeys } from '../ledger/index.ts'
import type { Notices } from '../notices/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Files } from '../platform/files/index.ts'
import type { RequestInfo, Who } from '../platform/http/index.ts'
import type { Seal } from '../platform/secrets/seal.ts'
import type { Push } from '../platform/sockets/push.ts'
import type { Tape } from '../prices/index.ts'
import type { Rate } from './deposits/convert.ts'
import type { CashierLimits } from './limits.ts'

/** Where to send coins. */
interface CoinAddress {
  address: string
  /** A fake address of a test installation. */
  test?: true
}

/** Returns the deposit address for a user's coins. Throws `not_configured` when the operator has set none. */
export type AddressFor = (coin: Coin, userId: bigint) => Promise<CoinAddress>

/** Processes card payments. */
export interface CardProvider {
  /** Starts a payment. Returns the checkout's id at the provider and its URL. A retry returns the same ones. */
  checkout(payment: { depositId: bigint; userId: bigint; amount: Usd }): Promise<{ id: string; url: string }>
  /**
   * Closes a checkout so that it can no longer be paid. Returns `paid` if it was completed before. Throws
   * `unavailable`.
   */
  close(checkout: string): Promise<'closed' | 'paid'>
  /** Parses a webhook message. Throws `malformed` for an invalid signature. */
  read(payload: string, signature: string | undefined): CardEvent
}

/** A signed event of a card provider. `id` identifies the message; `type` is the provider's event type. */
export type CardEvent = { id: string; type: string } & (
  | { kind: 'paid'; depositId: bigint; amount: Usd; reference: string }
  | { kind: 'failed'; depositId: bigint }
  /**
   * A refund or dispute, identified by `reference`, took money from a payment, or it failed or was won and returned the
   * money.
   */
  | { kind: 'taken'; payment: string; amount: Usd; reference: string }
  | { kind: 'returned'; payment: string; amount: Usd; reference: string }
  | { kind: 'nothing' }
)

/** Dependencies of the operators' side of the cashier. */
export interface DecideDeps {
  /** Returns a symbol's price on the tape at a time; undefined if it had none in the minute before. */
  priceAt(symbol: string, at: Ms): Promise<Rate | undefined>
  tape: Pick<Tape, 'latest' | 'status' | 'kind'>
  card: CardProvider | undefined
  push: Pick<Push, 'afterCommit'>
  balances: Pick<BalancePush, 'afterCommit'>
  notices: Notices
  newId(): bigint
}

export interface CashierDeps extends DecideDeps {
  db: Db
  brand: string
  limits: CashierLimits
  keys: RequestKeys
  files: Files
  /** Encrypts bank account numbers. */
  seal: Seal
  addressFor: AddressFor
  /** Throws `invalid_credentials` unless this is the caller's password, and `email_not_confirmed`. */
  checkPassword(who: Who, password: string): Promise<void>
  /** Throws `step_up_required` when this call needs the user's second factor. */
  requireStepUp(who: Who, request: Pick<RequestInfo, 'stepUp' | 'fingerprint'>): Promise<void>
}
