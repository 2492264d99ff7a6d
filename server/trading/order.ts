import type { StrikeRate, TradeMode } from '#contract/trading.ts'
import type { Usd } from '#kernel/money.ts'

/** A checked submission on its way into a batch: everything but the time, which the statement reads. */
export interface Order {
  /** The trade's number, made before it is written, so that a repeat is the same trade. */
  id: bigint
  accountId: bigint
  symbolId: number
  sourceKind: number
  staleAfterMs: number
  tradeMode: TradeMode
  strikeRate: StrikeRate
  percent: number
  stake: Usd
  durationSeconds: number
  /** The symbol's open stakes are limited and this is a real trade. */
  limited: boolean
  /** The client's Idempotency-Key and what it stands for. */
  key: string | undefined
  fingerprint: Buffer
}

/** An order that was committed. */
export interface Accepted {
  order: Order
  /** Tape time, Unix ms. */
  tradeTime: number
}
