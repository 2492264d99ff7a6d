import type { Mode, TradeSide, TradeStatus } from '#contract/trading/trading.ts'
import { idFloor } from '#kernel/id.ts'
import { accountOf } from '#server/ledger/index.ts'
import type { TestDatabase } from '../servers/database.ts'
import { connectTo } from '../servers/database.ts'

/** A trade's row, without the terms that no test reads. Times are Unix ms, money is in cents. */
export interface StoredTrade {
  id: bigint
  user: bigint
  mode: Mode
  symbol: number
  kind: number
  staleAfterMs: number
  side: TradeSide
  stake: bigint
  /** The profit of a win in percent of the stake. */
  percent: number
  tradeTime: number
  seconds: number
  key: string | null
  status: TradeStatus
  /** Sequence numbers of its ticks. Their prices and times, and the payout, follow from the status. */
  entry: number | null
  exit: number | null
  settledAt: string | null
  reason: string | null
  /** Of an automatic trade. */
  signal: number | null
  /** What a sold trade was sold for. */
  soldFor: bigint | null
  /** When an open one was ordered to be sold. */
  saleOrderedAt: number | null
}

export const TRADED_AT = Date.UTC(2026, 8, 21, 12)
const ENTRY_PRICE = 10_000
let stored = 0n

/** Writes trades without firing triggers, each a pending demo trade of user 1 with these changes, and returns them. */
export async function storeTrades(
  { superUrl }: Pick<TestDatabase, 'superUrl'>,
  ...trades: Partial<StoredTrade>[]
): Promise<StoredTrade[]> {
  const rows = trades.map((trade): StoredTrade => {
    const tradeTime = trade.tradeTime ?? TRADED_AT
    const isSettled = trade.status !== undefined && trade.status !== 'Pending'
    const isDecided = isSettled && trade.status !== 'Void'
    return {
      id: idFloor(tradeTime) + ++stored,
      user: 1n,
      mode: 'demo',
      symbol: 1,
      kind: 2,
      staleAfterMs: 10_000,
      side: 'Buy',
      stake: 1_000n,
      percent: 75,
      tradeTime,
      seconds: 60,
      key: null,
      status: 'Pending',
      entry: isDecided ? 1 : null,
      exit: isDecided ? 2 : null,
      settledAt: isSettled ? new Date(tradeTime + (trade.seconds ?? 60) * 1_000 + 500).toISOString() : null,
      reason: isSettled ? 'x' : null,
      signal: null,
      soldFor: null,
      saleOrderedAt: null,
      ...trade,
    }
  })
  const client = await connectTo(superUrl)
  try {
    await client.query('set session_replication_role = replica')
    for (const row of rows) {
      const endTime = row.tradeTime + row.seconds * 1_000
      await client.query(
        `insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, stake,
           duration_seconds, trade_time, end_time, key, fingerprint, status, entry_seq, entry_price, entry_time,
           exit_seq, exit_price, exit_time, settled_at, payout, outcome_reason, percent, signal, sale_ordered_at)
         values ($1, $2, $3, $4, $5, $6, $7, '75/3', $8, $9, $10, $11, $12, $13, $14,
           $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)`,
        [
          row.id,
          accountOf(row.user, row.mode),
          row.mode,
          row.symbol,
          row.kind,
          row.staleAfterMs,
          row.side,
          row.stake,
          row.seconds,
          row.tradeTime,
          endTime,
          row.key,
          row.key === null ? null : Buffer.alloc(16),
          row.status,
          row.entry,
          row.entry === null ? null : ENTRY_PRICE,
          row.entry === null ? null : row.tradeTime + 1,
          row.exit,
          row.exit === null ? null : exitPriceOf(row),
          row.exit === null ? null : exitTimeOf(row),
          row.settledAt,
          payoutOf(row),
          row.reason,
          row.percent,
          row.signal,
          row.status === 'Sold' ? exitTimeOf(row) - 1 : row.saleOrderedAt,
        ],
      )
    }
  } finally {
    await client.end()
  }
  return rows
}

/** A sold trade ends halfway. */
const exitTimeOf = ({ status, tradeTime, seconds }: StoredTrade): number =>
  tradeTime + seconds * (status === 'Sold' ? 500 : 1_000)

/** When a trade ended, or ends. */
export const endOf = (trade: StoredTrade): number =>
  trade.status === 'Sold' ? exitTimeOf(trade) : trade.tradeTime + trade.seconds * 1_000

function exitPriceOf({ status, side }: StoredTrade): number {
  if (status === 'Draw') return ENTRY_PRICE
  return (status === 'Won') === (side === 'Buy') ? ENTRY_PRICE + 1 : ENTRY_PRICE - 1
}

export function payoutOf({
  status,
  stake,
  percent,
  soldFor,
}: Pick<StoredTrade, 'status' | 'stake' | 'percent' | 'soldFor'>): bigint | null {
  if (status === 'Pending') return null
  if (status === 'Sold') return soldFor
  if (status === 'Lost') return 0n
  return status === 'Won' ? stake + (stake * BigInt(percent) + 50n) / 100n : stake
}
