import { postPartsSql } from '../../ledger/index.ts'
import { entrySql } from '../acceptance/entries/entry.sql.ts'
import { isLocked, literal } from '../settlement/settle.sql.ts'
import { SOLD } from './sale.ts'

/** An undecided order to sell with its trade, and what the tape has on it. */
export interface UndecidedRow {
  account_id: bigint
  trade_id: bigint
  at: bigint
  minimum: bigint
  status: string
  symbol_id: number
  side: 'Buy' | 'Sell'
  stake: bigint
  percent: number
  trade_time: bigint
  end_time: bigint
  stale_after_ms: number
  source_kind: number
  rule_version: string
  sale_rule: string
  entry_seq: bigint | null
  entry_price: bigint | null
  entry_time: bigint | null
  /** The first price after the order. */
  tick_seq: bigint | null
  tick_price: bigint | null
  tick_time: bigint | null
  tick_kind: number | null
  kind_changed: boolean
}

/** Selects $3 undecided orders to sell, from the one after account $1 and trade $2 on. */
export const UNDECIDED_SQL = `
select s.account_id, s.trade_id, s.at, s.minimum, t.status, t.symbol_id, t.side, t.stake, t.percent, t.trade_time, t.end_time,
  t.stale_after_ms, t.source_kind, t.rule_version, t.sale_rule,
  coalesce(t.entry_seq, e.seq) as entry_seq, coalesce(t.entry_price, e.price) as entry_price, coalesce(t.entry_time, e.source_ms) as entry_time,
  x.seq as tick_seq, x.price as tick_price, x.source_ms as tick_time, x.kind as tick_kind,
  exists (
    select from tape_kinds c where c.symbol_id = t.symbol_id and c.source_ms > t.trade_time and c.source_ms <= x.source_ms and c.kind <> t.source_kind
  ) or coalesce((
    select c.kind from tape_kinds c where c.symbol_id = t.symbol_id and c.source_ms <= coalesce(t.entry_time, e.source_ms)
    order by c.source_ms desc limit 1
  ) <> t.source_kind, false) as kind_changed
from sale_orders s join trades t on t.id = s.trade_id
left join lateral (${entrySql('t')}) e on true
left join lateral (
  select k.seq, k.price, k.source_ms, k.kind from ticks k where k.symbol_id = t.symbol_id and k.source_ms > s.at order by k.source_ms limit 1
) x on true
where s.decided_at is null and (s.account_id, s.trade_id) > ($1::bigint, $2::bigint)
order by s.account_id, s.trade_id limit $3::int`

/** A sold trade: its account and times, for those who are notified. */
export interface SoldRow {
  id: bigint
  account_id: bigint
}

/**
 * Sells trades: writes outcomes, accounts and movements in one statement, as settlement does. Leaves out those that are no
 * longer open, and those whose row or account another transaction has locked: it waits for none.
 */
export const SELL_SQL = `
with asked as materialized (
  select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
    $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
    as a(id, at, payout, fee, variance, variance_frame, e_seq, e_price, e_time, x_seq, x_price, x_time)
), due as materialized (
  select t.account_id, t.mode, t.stake, a.* from asked a join trades t on t.id = a.id
  where t.status = 'Pending' and t.sale_ordered_at = a.at
  order by t.id for no key update of t skip locked
), locked as materialized (
  select a.id, a.balance, a.owed, a.seq from accounts a where a.id in (select account_id from due) order by a.id for no key update skip locked
), judged as materialized (
  select d.* from due d where ${isLocked('d')}
), settled as (
  update trades t set status = 'Sold', settled_at = clock_timestamp(), outcome_reason = ${literal(SOLD)}, payout = j.payout,
    entry_seq = j.e_seq, entry_price = j.e_price, entry_time = j.e_time, exit_seq = j.x_seq, exit_price = j.x_price, exit_time = j.x_time
  from judged j where t.id = j.id
  returning t.id, t.account_id
), decided as (
  update sale_orders s set decided_at = clock_timestamp(), outcome = 'sold', tick_seq = j.x_seq, tick_price = j.x_price, tick_time = j.x_time,
    variance = j.variance, variance_frame = j.variance_frame, fee = j.fee, payout = j.payout
  from judged j where s.account_id = j.account_id and s.trade_id = j.id and s.at = j.at
), parts as (
  -- The stake goes back to the balance as far as the payout goes, the rest to the house; a payout above it has a second part.
  select j.account_id, j.mode, j.id, j.x_time as end_time, p.part, p.amount, p.debit::slot as debit, p.credit::slot as credit
  from judged j
  cross join lateral (values
    (1::smallint, least(j.payout, j.stake), 'escrow', 'balance'),
    (2::smallint, greatest(j.stake - j.payout, 0), 'escrow', 'house'),
    (3::smallint, greatest(j.payout - j.stake, 0), 'house', 'balance')
  ) p(part, amount, debit, credit)
  where p.amount > 0
), ${postPartsSql('trade_sale')}
select id, account_id from settled`

/**
 * Decides orders to sell without selling, of accounts $1 and trades $2: their trades continue. Leaves out those whose row
 * another transaction has locked.
 */
export const LEAVE_UNSOLD_SQL = `
with asked as materialized (
  select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])
    as a(account_id, trade_id, at, says, tick_seq, tick_price, tick_time)
), held as materialized (
  select t.id, t.status from trades t where t.id = any ($2::bigint[]) order by t.id for no key update of t skip locked
), freed as (
  update trades t set sale_ordered_at = null from held h, asked a
  where t.id = h.id and a.trade_id = h.id and h.status = 'Pending' and t.sale_ordered_at = a.at
)
update sale_orders s set decided_at = clock_timestamp(), outcome = 'unsold', says = a.says,
  tick_seq = a.tick_seq, tick_price = a.tick_price, tick_time = a.tick_time
from asked a join held h on h.id = a.trade_id
where s.account_id = a.account_id and s.trade_id = a.trade_id and s.at = a.at and s.decided_at is null
returning s.trade_id as id, s.account_id`
