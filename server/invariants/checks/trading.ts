import type { Check } from '../../ledger/index.ts'
import { ACCOUNT_RESULTS } from '../../trading/index.ts'

/**
 * Invariants T1, T2, T5, T8, T10 to T14, L8 and W3 (voids) as plain SQL over the raw rows. T3, and the orders to sell that
 * sold nothing (T12), are replayed in TypeScript (replay.ts).
 */
export const tradingChecks: readonly Check[] = [
  {
    name: 'L8',
    says: "escrow is the stakes of the account's pending trades",
    sql: `select a.id, a.escrow, coalesce(p.stakes, 0) as pending_stakes from accounts a
          left join (select account_id, sum(stake) as stakes from trades where status = 'Pending' group by account_id) p on p.account_id = a.id
          where a.escrow <> coalesce(p.stakes, 0)`,
  },
  {
    name: 'T1',
    says: 'each trade took exactly its stake, and each stake taken has its trade',
    sql: `select t.id as trade, m.cause_id as movement, t.stake, m.amount from trades t
          full join (select * from transfers where cause = 'trade_open') m on m.cause_id = t.id
          where t.id is null or m.cause_id is null or t.stake <> m.amount or t.account_id <> m.account_id or t.mode <> m.mode`,
  },
  {
    name: 'T2',
    says: 'a settled or sold trade paid exactly its payout, once; a pending one nothing',
    sql: `select t.id, t.status, t.payout, m.paid, m.released from trades t
          left join (
            select cause_id, account_id, sum(amount) filter (where credit = 'balance') as paid, sum(amount) filter (where debit = 'escrow') as released
            from transfers where cause in ('trade_settle', 'trade_sale') group by cause_id, account_id
          ) m on m.cause_id = t.id and m.account_id = t.account_id
          where case when t.status = 'Pending' then m.cause_id is not null
            else coalesce(m.paid, 0) <> t.payout or m.released is distinct from t.stake end
          union all
          select m.cause_id, null, null, m.amount, null from transfers m
          where m.cause in ('trade_settle', 'trade_sale')
            and not exists (select from trades t where t.id = m.cause_id and (t.status = 'Sold') = (m.cause = 'trade_sale'))`,
  },
  {
    name: 'T5',
    says: 'a win pays stake + half-up(stake x percent / 100), Draw and Void the stake, Lost 0, and a sale less than a win',
    sql: `select id, status, stake, percent, payout from trades where status <> 'Pending' and payout <> case status
            when 'Won' then stake + round(stake * percent / 100.0)::bigint when 'Lost' then 0
            when 'Sold' then least(payout, stake + round(stake * percent / 100.0)::bigint - 1) else stake end`,
  },
  {
    name: 'W3',
    says: 'each trade voided by operators was proposed by one and completed by another before its end, and is Void',
    sql: `select v.trade_id, t.status, v.completed_at from trade_voids v join trades t on t.id = v.trade_id
          where t.status <> 'Void' or t.settled_at < v.completed_at or extract(epoch from v.completed_at) * 1000 >= t.end_time
            or not exists (select from proposals p where p.kind = 'voids' and p.subject = v.trade_id::text and p.status = 'Approved')`,
  },
  {
    name: 'T2',
    says: 'each open trade that the public figures have passed is remembered, so that they count it',
    sql: `select t.id from trades t where t.status = 'Pending' and t.id <= (select counted_to from trade_figures_head)
            and not exists (select from trade_figures_open o where o.trade_id = t.id)`,
  },
  {
    name: 'T10',
    says: 'each accepted order is bound by exactly one frame of the tape, or awaits the next',
    sql: `select id as trade, coalesce(b.times, 0) as times from (select id, true as stored from trades where salt is not null) t
          full join (
            select id, count(*) as times, bool_or(waits) as waits from (
              select unnest(trade_ids) as id, false as waits from frame_orders
              union all select unnest(trade_ids), true from unbound_orders
            ) known group by id
          ) b using (id)
          -- A bound order without a trade is archived, or is found by its checkpoint.
          where b.times is distinct from 1 or b.waits and t.stored is null`,
  },
  {
    name: 'T11',
    says: 'the results that statistics add up are what trades moved between each account and the house',
    sql: `select account_id, s.result, m.moved from (${ACCOUNT_RESULTS}) s
          full join (
            select account_id, sum(case when credit = 'house' then 0 else amount end - case when debit = 'house' then 0 else amount end) as moved
            from transfers where cause in ('trade_open', 'trade_settle', 'trade_sale', 'trade_remedy') group by account_id
          ) m using (account_id)
          where coalesce(s.result, 0) <> coalesce(m.moved, 0)`,
  },
  {
    name: 'T12',
    says: 'each trade is sold by one order, at its price and for at least its minimum, and each open one awaits its order',
    sql: `select coalesce(t.id, s.trade_id) as trade, t.status, s.outcome from (select * from trades where status = 'Sold') t
          full join (select * from sale_orders where outcome = 'sold') s on s.trade_id = t.id
          where t.id is null or s.trade_id is null or s.account_id <> t.account_id or s.payout <> t.payout or s.payout < s.minimum
            or s.at <> t.sale_ordered_at or (s.tick_seq, s.tick_time, s.tick_price) is distinct from (t.exit_seq, t.exit_time, t.exit_price)
          union all
          select coalesce(t.id, s.trade_id), t.status, 'undecided'
          from (select * from trades where status = 'Pending' and sale_ordered_at is not null) t
          full join (
            select o.* from sale_orders o join trades p on p.id = o.trade_id where o.decided_at is null and p.status = 'Pending'
          ) s on s.trade_id = t.id
          where s.at is distinct from t.sale_ordered_at
          union all
          -- Settlement waits for an order; only operators end a trade before it.
          select o.trade_id, p.status, 'undecided' from sale_orders o join trades p on p.id = o.trade_id
          where o.decided_at is null and p.status not in ('Pending', 'Void')`,
  },
  {
    name: 'T13',
    says: "each trade's price list applied at its time and offered its pair, whose percent it has",
    sql: `select t.ids as trades, t.price_list, t.strike_rate, t.symbol_id, t.duration_seconds from (
            select min(id) as ids, price_list, strike_rate, symbol_id, duration_seconds, side, percent, trade_time / 3600000 as hour,
              min(trade_time) as first, max(trade_time) as last
            from trades where price_list is not null
            group by price_list, strike_rate, symbol_id, duration_seconds, side, percent, trade_time / 3600000
          ) t
          left join price_list_versions v on v.version = t.price_list
          left join price_list_versions n on n.version = t.price_list + 1
          left join instruments i on i.id = t.symbol_id
          where (
            t.first >= v.from_ms and t.last < coalesce(n.from_ms, t.last + 1)
            and offered_pairs(v.document, i.symbol, i.trading_type::text, t.duration_seconds, t.first) ? t.strike_rate::text
            and t.percent = split_part(t.strike_rate::text, '/', case t.side when 'Buy' then 1 else 2 end)::int
          ) is not true`,
  },
  {
    name: 'T13',
    says: 'each version of the price lists is what a proposal said that two operators approved, and an edge was acknowledged on record',
    sql: `select coalesce(v.version::text, 'proposal ' || r.id) as version from (select * from price_list_versions where version > 1) v
          full join (select * from proposals where kind = 'price-lists' and status = 'Approved') r on r.id = v.proposal_id
          where (
            r.payload -> 'document' = v.document and (r.payload -> 'dry_run' ->> 'edge')::boolean = v.edge
            and v.made_at >= r.decided_at and v.from_ms >= extract(epoch from v.made_at) * 1000
            and exists (select from price_list_versions b where b.version = v.version - 1 and b.from_ms < v.from_ms)
            and (not v.edge or exists (
              select from audit a where a.item_kind = 'price-lists' and a.item_id = r.id::text and a.action = 'approve'
                and a.after ->> 'acknowledged' = v.acknowledged
            ))
          ) is not true`,
  },
  {
    name: 'T14',
    says: 'the open stakes that limit a symbol are those of its pending real trades',
    // Acceptance adds each stake, and settlement counts all again every second: until then, those that have just settled
    // are still in, and those of a node that didn't know the limit yet are missing. The tape stops together with both.
    sql: `select i.symbol, s.open, p.stakes as pending_stakes from tape_head h, symbol_open s
          join instruments i on i.id = s.symbol_id
          cross join lateral (
            select coalesce(sum(t.stake), 0) as stakes, coalesce(sum(t.stake) filter (where t.trade_time > h.t - 60000), 0) as newest
            from trades t where t.symbol_id = s.symbol_id and t.status = 'Pending' and t.mode = 'real'
          ) p
          left join (
            select t.symbol_id, sum(t.stake) as stakes from trades t
            where t.mode = 'real' and t.settled_at >= (select least(now(), to_timestamp(tape_head.t / 1000.0)) - interval '1 minute' from tape_head)
            group by t.symbol_id
          ) settled on settled.symbol_id = s.symbol_id
          where s.open not between p.stakes - p.newest and p.stakes + coalesce(settled.stakes, 0)`,
  },
  {
    name: 'T8',
    says: "open stakes stay within the trader's limit (or the previous day's, if higher)",
    sql: `select a.id, a.escrow from accounts a, trading_limits l where a.escrow > greatest(l.open_stake_max, (
            select max(o.open_stake_max) from open_stake_limits o where o.until > now() - interval '25 hours'))`,
  },
]
