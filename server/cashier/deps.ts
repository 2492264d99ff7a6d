import type { Coin, Deposit, Withdraw } from '#contract/cashier.ts'
import type { Usd } from '#kernel/money.ts'
import type { Notices } from '../notices/index.ts'
import type { Bus } from '../platform/bus.ts'
import type { Db, Tx } from '../platform/db.ts'
import type { Files } from '../platform/files/index.ts'
import type { RequestInfo, Who } from '../platform/http/index.ts'
import type { Seal } from '../platform/seal.ts'
import type { Tape } from '../prices/index.ts'
import type { CashierLimits } from './limits.ts'
import type { StatementSlots } from './statement-stream.ts'

/** What this room tells others, after it was committed. Balances may have changed with it. */
export interface CashierTopics {
  'deposit-changed': { userId: bigint; deposit: Deposit }
  'withdrawal-changed': { userId: bigint; withdrawal: Withdraw }
}

/** Where coins are sent to. */
export interface CoinAddress {
  address: string
  /** A made-up one of a test installation. */
  test?: true
}

/** The address for a user's coins. Throws `not_configured` where the operator has set none. */
export type AddressFor = (coin: Coin, userId: bigint) => Promise<CoinAddress>

/** Who takes card payments. */
export interface CardProvider {
  /** Begins a payment; answers the provider's name of the checkout, and its page. A repeat answers the same. */
  checkout(payment: { depositId: bigint; userId: bigint; amount: Usd }): Promise<{ id: string; url: string }>
  /** Closes a checkout, so that it can't be paid any more. `paid` where it was completed before. Throws `unavailable`. */
  close(checkout: string): Promise<'closed' | 'paid'>
  /** What a message of the provider means. Throws `malformed` where its signature does not fit. */
  read(payload: string, signature: string | undefined): CardEvent
}

/** What a card provider says by its signed word. `id` names the message, `type` is the provider's word for it. */
export type CardEvent = { id: string; type: string } & (
  | { kind: 'paid'; depositId: bigint; amount: Usd; reference: string }
  | { kind: 'failed'; depositId: bigint }
  /** A refund or a dispute, named by `reference`, took money of a payment; or failed or was won, and returned it. */
  | { kind: 'taken'; payment: string; amount: Usd; reference: string }
  | { kind: 'returned'; payment: string; amount: Usd; reference: string }
  | { kind: 'nothing' }
)

/** What the operators' side of this room needs. */
export interface DecideDeps {
  card: CardProvider | undefined
  bus: Bus<CashierTopics>
  notices: Notices
  newId(): bigint
}

export interface CashierDeps extends DecideDeps {
  db: Db
  brand: string
  limits: CashierLimits
  files: Files
  /** Keeps bank numbers. */
  seal: Seal
  tape: Pick<Tape, 'latest' | 'status' | 'kind'>
  addressFor: AddressFor
  /** Bounds how many statements are written at once. */
  statements: StatementSlots
  /** Whether an operator has closed deposits or withdrawals to this user. */
  isLocked(db: Db | Tx, userId: bigint, what: 'deposits' | 'withdrawals'): Promise<boolean>
  /** Throws `step_up_required` where the user's second factor is wanted for this very call. */
  requireStepUp(who: Who, request: Pick<RequestInfo, 'stepUp' | 'fingerprint'>): Promise<void>
}
