import type { Offer } from '#contract/trading/offers.ts'
import type { StrikeRate, TradeSide } from '#contract/trading/trading.ts'
import type { Usd } from '#kernel/money.ts'
import type { Ms } from '#kernel/time.ts'
import type { Balances } from '../../ledger/index.ts'

/** A validated order on its way into a batch: everything but the time, which the statement reads. */
export interface Order {
  /** The trade's id, made before it is written, so that a retry is the same trade. */
  id: bigint
  accountId: bigint
  symbolId: number
  sourceKind: number
  staleAfterMs: number
  side: TradeSide
  strikeRate: StrikeRate
  percent: number
  /** The version of the price lists that offers the pair, and from and until when it's known to. */
  offer: Omit<Offer, 'pairs'>
  stake: Usd
  durationSeconds: number
  /** When the trader pressed the button, or else when the order arrived: tape time, Unix ms. */
  pressedAt: Ms
  /** A real trade on a symbol whose open stakes are limited. */
  limited: boolean
  /** The client's Idempotency-Key and the hash of its request. */
  key: string | undefined
  fingerprint: Buffer
  /** 16 random bytes, as hex, so that the order's published hash reveals nothing. */
  salt: string
  /** The number of the signal it follows; undefined for an order placed by hand. */
  signal?: bigint | undefined
}

/** A committed order. */
export interface Accepted {
  order: Order
  /** Tape time, Unix ms. */
  tradeTime: number
  /**
   * Its owner's balances after the statement that accepted it; undefined if no screen here needed them, or if the
   * statement's reply was lost.
   */
  balances?: BalancesRead | undefined
}

/** Balances as a statement found them. */
interface BalancesRead extends Balances {
  /** When the statement was sent, as `performance.now()`. */
  sentAt: number
}
