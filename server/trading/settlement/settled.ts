import type { Mode, TradeSide, TradeStatus } from '#contract/trading/trading.ts'
import { accountOf } from '../../ledger/index.ts'
import { type Snapshot, sql, type Tx } from '../../platform/database/db.ts'

/** A settled trade without its owner: all that its outcome depends on. */
export interface SettledTrade {
  id: bigint
  mode: Mode
  symbol_id: number
  side: TradeSide
  stake: bigint
  percent: number
  trade_time: bigint
  end_time: bigint
  stale_after_ms: number
  source_kind: number
  rule_version: string
  strike_rate: string
  price_list: number | null
  duration_seconds: number
  /** Hex; null if the trade is from before orders were bound. */
  salt: string | null
  status: Exclude<TradeStatus, 'Pending'>
  payout: bigint
  outcome_reason: string
  entry_seq: bigint | null
  /** The version of the formula by which it can be sold; null if it can't. */
  sale_rule: string | null
  /** The order that sold it, if it was sold. Times in Unix ms, money in cents. */
  sale: { at: number; minimum: number; variance: number; fee: number; frame: number } | null
  /** When it was settled, as PostgreSQL writes a timestamp in UTC: sorts like the time. */
  settled: string
}

const COLUMNS = sql.raw(`id, mode, symbol_id, side, stake, percent, trade_time, end_time, stale_after_ms, source_kind,
  rule_version, strike_rate, price_list, duration_seconds, encode(salt, 'hex') as salt, status, payout, outcome_reason, entry_seq, sale_rule,
  case when status = 'Sold' then (
    select json_build_object('at', s.at, 'minimum', s.minimum, 'variance', s.variance, 'fee', s.fee, 'frame', s.variance_frame)
    from sale_orders s where s.account_id = trades.account_id and s.trade_id = trades.id and s.outcome = 'sold'
  ) end as sale,
  to_char(settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as settled`)

/** Returns at most `limit` of the settled trades that are in no checkpoint yet. A new checkpoint removes its own. */
export async function unsignedTrades(tx: Tx, limit: number): Promise<SettledTrade[]> {
  const { rows } = await sql<SettledTrade>`
    select ${COLUMNS} from trades where id in (select trade_id from unstated_trades limit ${limit})`.execute(tx)
  return rows
}

/** Whether a settled trade is in no checkpoint yet. */
export async function isUnsigned(db: Snapshot, userId: bigint, tradeId: bigint): Promise<boolean> {
  const { rows } = await sql`
    select from unstated_trades
    where account_id in (${accountOf(userId, 'real')}, ${accountOf(userId, 'demo')}) and trade_id = ${tradeId}`.execute(
    db,
  )
  return rows.length > 0
}

/** Whether no frame binds an order yet. */
export async function isUnbound(db: Snapshot, tradeId: bigint): Promise<boolean> {
  const { rows } = await sql`select from unbound_orders where trade_ids @> array[${tradeId}::bigint]`.execute(db)
  return rows.length > 0
}

/** Returns the ids of the settled trades that are in no checkpoint yet, and of one that isn't settled, if any. */
export async function unsignedIds(db: Snapshot): Promise<{ ids: bigint[]; open: bigint | undefined }> {
  const { rows } = await sql<{ id: bigint; settled: boolean }>`
    select u.trade_id as id, coalesce(t.status <> 'Pending' and t.account_id = u.account_id, false) as settled
    from unstated_trades u left join trades t on t.id = u.trade_id order by u.trade_id`.execute(db)
  return { ids: rows.map(({ id }) => id), open: rows.find(({ settled }) => !settled)?.id }
}

/** Returns a user's trade; `settled` is null while it is open. */
export async function settledTradeOf(
  db: Snapshot,
  userId: bigint,
  tradeId: bigint,
): Promise<SettledTrade | { settled: null } | undefined> {
  const { rows } = await sql<SettledTrade | { settled: null }>`
    select ${COLUMNS} from trades
    where id = ${tradeId} and account_id in (${accountOf(userId, 'real')}, ${accountOf(userId, 'demo')})`.execute(db)
  return rows[0]
}

/** Returns those of these trades that are settled. */
export async function settledTrades(db: Snapshot, ids: readonly bigint[]): Promise<SettledTrade[]> {
  const { rows } = await sql<SettledTrade>`
    select ${COLUMNS} from trades where id = any (${ids}::bigint[]) and settled_at is not null`.execute(db)
  return rows
}

/** Returns the ids of settled trades, in order, from one after `after` on. */
export async function settledPage(db: Snapshot, { after, limit }: { after: bigint; limit: number }): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from trades where id > ${after} and status <> 'Pending' order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
