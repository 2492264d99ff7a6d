import pg from 'pg'
import { type Usd, usd } from '#kernel/money.ts'
import type { AcceptanceQueue } from '#server/trading/acceptance/acceptance.ts'
import type { Order } from '#server/trading/acceptance/order.ts'

/**
 * The plain way to accept trades by the same rules: one statement and one commit per trade, over a pool of connections.
 * (A second order of the same trader waits for the row, so lock order doesn't matter.)
 */
const PLAIN_TRADE_SQL = `
with account as materialized (
  select id from accounts
  where id = $1 and balance >= $2 and escrow + $2 <= $3 and not trading_locked for no key update
), clock as materialized (
  select greatest(at, head) as ms from (
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at, (select t from tape_head) as head from account
  ) now where head = 0 or at <= head + 12000
), debited as (
  update accounts a set balance = a.balance - $2, escrow = a.escrow + $2, seq = a.seq + 1, last_at = greatest(clock_timestamp(), a.last_at)
  from clock where a.id = $1
  returning a.id, a.mode, a.balance, a.seq, a.last_at
), opened as (
  insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake,
    duration_seconds, trade_time, end_time, key, fingerprint)
  select $4::bigint, id, mode, $5::smallint, $6::smallint, $7::int, $8::trade_side, $9::strike_rate, $10::smallint, $2,
    $11::int, clock.ms, clock.ms + $11::int * 1000::bigint, $12::text, $13::bytea
  from debited, clock
), moved as (
  insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
  select 'trade_open', $4::bigint, 1, id, mode, 'balance', 'escrow', $2, seq, balance, last_at from debited
)
select ms from clock, debited`

const OPEN_STAKE_MAX: Usd = usd(10_000_000n)

/** Returns the benchmarks' reference, which accepts each order with a plain statement. */
export function plainTrades(url: string, connections: number): AcceptanceQueue {
  const pool = new pg.Pool({ connectionString: url, max: connections })
  const values = (order: Order) => [
    order.accountId,
    order.stake,
    OPEN_STAKE_MAX,
    order.id,
    order.symbolId,
    order.sourceKind,
    order.staleAfterMs,
    order.side,
    order.strikeRate,
    order.percent,
    order.durationSeconds,
    order.key,
    order.fingerprint,
  ]
  return {
    async submit(order) {
      const { rows } = await pool.query<{ ms: bigint }>({
        name: 'plain_trade',
        text: PLAIN_TRADE_SQL,
        values: values(order),
      })
      if (!rows[0]) throw new Error('the reference rejected a trade')
      return { kind: 'accepted', accepted: { order, tradeTime: Number(rows[0].ms) } }
    },
    drain: () => pool.end(),
  }
}
