import { must } from '#kernel/must.ts'
import type { Order } from './order.ts'

/** The columns of a stored trade that identify its order. */
export interface StoredOrder {
  id: bigint
  account_id: bigint
  symbol_id: number
  side: string
  strike_rate: string
  stake: bigint
  duration_seconds: number
  key: string | null
  fingerprint: Buffer | null
  trade_time: bigint
  salt: string
}

/** Returns the trades with the ids $1. */
export const ACCEPTED_OF_SQL = `
select id, account_id, symbol_id, side, strike_rate, stake, duration_seconds, key, fingerprint, trade_time,
  encode(salt, 'hex') as salt
from trades where id = any ($1::bigint[])`

/** Whether a trade is this very order. Two nodes with the same number make the same id. */
export const isSame = (row: StoredOrder, order: Order): boolean =>
  row.account_id === order.accountId &&
  row.symbol_id === order.symbolId &&
  row.side === order.side &&
  row.strike_rate === order.strikeRate &&
  row.stake === order.stake &&
  row.duration_seconds === order.durationSeconds &&
  row.salt === order.salt &&
  row.key === (order.key ?? null) &&
  (order.key === undefined || order.fingerprint.equals(must(row.fingerprint)))
