import type { Mode, TradeSide, TradeStatus } from '#contract/trading.ts'
import { accountOf } from '../ledger/index.ts'
import { type Snapshot, sql, type Tx } from '../platform/db.ts'

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
  status: Exclude<TradeStatus, 'Pending'>
  payout: bigint
  outcome_reason: string
  entry_seq: bigint | null
  /** When it was settled, as PostgreSQL writes a timestamp in UTC: sorts like the time. */
  settled: string
}

const COLUMNS = sql.raw(`id, mode, symbol_id, side, stake, percent, trade_time, end_time, stale_after_ms, source_kind,
  rule_version, status, payout, outcome_reason, entry_seq,
  to_char(settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as settled`)

/** Returns the trades settled after `since` (text, in UTC), without these ids, oldest first. */
export async function settledSince(
  tx: Tx,
  { since, except, limit }: { since: string; except: readonly bigint[]; limit: number },
): Promise<SettledTrade[]> {
  const { rows } = await sql<SettledTrade>`
    select ${COLUMNS} from trades
    where settled_at > ${since}::timestamptz and id <> all (${except}::bigint[])
    order by settled_at limit ${limit}`.execute(tx)
  return rows
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

/** Returns the ids of trades settled up to a time (text, in UTC), in order, from one after `after` on. */
export async function settledPage(
  db: Snapshot,
  { after, until, limit }: { after: bigint; until: string; limit: number },
): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from trades where id > ${after} and settled_at <= ${until}::timestamptz order by id limit ${limit}`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
