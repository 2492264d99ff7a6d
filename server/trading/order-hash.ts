import { randomUUID } from 'node:crypto'
import { SOURCES } from '#contract/prices/prices.ts'
import { assert } from '#kernel/assert.ts'
import { publicId } from '#kernel/id.ts'
import { usd, usdToText } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { orderText, type ReceiptOrder } from '#packages/verify/verify.js'
import { leafHex } from '../platform/tree.ts'
import type { Instruments } from '../prices/index.ts'
import type { TradeRow } from './store.ts'
import type { RuleVersion } from './trade.ts'

/** Makes the salt of an order: random, so that nobody can guess the order from its published hash. */
export const newSalt = (): string => randomUUID().replaceAll('-', '')

/** The columns of a trade that its order's hash covers, all fixed at acceptance. */
export interface OrderRow
  extends Pick<
    TradeRow,
    | 'id'
    | 'mode'
    | 'symbol_id'
    | 'source_kind'
    | 'stale_after_ms'
    | 'side'
    | 'percent'
    | 'duration_seconds'
    | 'trade_time'
    | 'rule_version'
    | 'price_list'
  > {
  strike_rate: string
  /** Cents. */
  stake: bigint
  /** Hex. */
  salt: string
}

/** An order as it was accepted, without its owner. */
export function orderOf(row: OrderRow, instruments: Pick<Instruments, 'byId'>): ReceiptOrder {
  const instrument = instruments.byId(row.symbol_id)
  assert(instrument, 'a trade has an instrument')
  return {
    id: publicId(row.id),
    mode: row.mode,
    symbol: instrument.symbol,
    side: row.side,
    stake: usdToText(usd(row.stake)),
    strike_rate: row.strike_rate,
    percent: row.percent,
    duration: row.duration_seconds,
    trade_time: Number(row.trade_time),
    stale_after_ms: row.stale_after_ms,
    source: must(SOURCES[row.source_kind]),
    // A newer node's rule, too: an order that can't be decided here can be bound.
    rule_version: row.rule_version as RuleVersion,
    price_list: row.price_list === null ? null : String(row.price_list),
    salt: row.salt,
  }
}

/** The hash that a frame binds, and that the trader gets with the answer: hex. */
export const orderHash = (order: ReceiptOrder): string => leafHex(orderText(order))
