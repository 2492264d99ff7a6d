-- Up Migration
-- Trades that are sold before their end. An older node reads no frame that states variances, knows no status Sold, and would
-- settle a trade that awaits its sale.
insert into schema_needs (migration, needs) values ('0151_sales', '0150_sale_statuses');

-- The version of the formula that a trade can be sold by, fixed when it is accepted. Null: it isn't for sale, as it was
-- placed before there were sales.
alter table trades add column sale_rule text;
alter table trades alter column sale_rule set default 'SE-1';
-- Tape time of the order to sell that isn't decided yet, Unix ms. Settlement leaves the trade to it.
alter table trades add column sale_ordered_at bigint;
comment on column trades.sale_ordered_at is 'Tape time (Unix ms) of an order to sell that is not decided yet';
grant update (sale_ordered_at) on trades to cleartick_app;

alter table trades
  drop constraint trades_ticks,
  drop constraint trades_outcome,
  -- A tick has all three of its figures or none; a missing one isn't compared. A sale comes at any time before the end.
  add constraint trades_ticks check (
    num_nulls(entry_price, entry_time, entry_seq) % 3 = 0 and num_nulls(exit_price, exit_time, exit_seq) % 3 = 0
    and entry_time > trade_time and entry_time <= trade_time + 10000
    and exit_time > entry_time and exit_time <= end_time
    and (status = 'Sold' or exit_time >= end_time - stale_after_ms)
  ) not valid,
  -- What each status pays, and at which prices (T5), checked again from the row itself.
  add constraint trades_outcome check (
    case status
      when 'Pending' then num_nonnulls(payout, settled_at, exit_price, outcome_reason) = 0
      else num_nulls(payout, settled_at, outcome_reason) = 0 and case
        when status = 'Void' then payout = stake
        when num_nulls(entry_price, exit_price) > 0 then false
        when status = 'Sold' then
          sale_rule is not null and sale_ordered_at is not null and exit_time > sale_ordered_at
          and payout > 0 and payout < stake + (stake * percent + 50) / 100
        when exit_price = entry_price then status = 'Draw' and payout = stake
        when (exit_price > entry_price) = (side = 'Buy') then status = 'Won' and payout = stake + (stake * percent + 50) / 100
        else status = 'Lost' and payout = 0
      end
    end
  ) not valid,
  add constraint trades_for_sale check (sale_ordered_at is null or sale_rule is not null) not valid;

-- Orders to sell a trade before its end. The first price after it decides one, once.
create table sale_orders (
  account_id bigint not null,
  trade_id bigint not null,
  -- Tape time at which it was accepted, Unix ms.
  at bigint not null,
  -- The least that the trader takes.
  minimum cents not null check (minimum > 0),
  decided_at timestamptz,
  outcome text check (outcome in ('sold', 'unsold')),
  -- Why it isn't sold, as the trader reads it.
  says text,
  -- The price that decided it. Null without one.
  tick_seq bigint,
  tick_time bigint,
  tick_price bigint,
  -- The variance of the tape that its value was computed with, and the frame that states it.
  variance bigint,
  variance_frame bigint,
  fee cents,
  payout cents,
  constraint sale_orders_pkey primary key (account_id, trade_id, at),
  constraint sale_orders_outcome check (
    case outcome
      when 'sold' then num_nulls(decided_at, tick_seq, tick_time, tick_price, variance, variance_frame, fee, payout) = 0
        and says is null and payout >= minimum and tick_time > at
      when 'unsold' then decided_at is not null and says is not null and payout is null
      else num_nonnulls(decided_at, says, tick_seq, tick_time, tick_price, variance, variance_frame, fee, payout) = 0
    end
  )
);
create unique index sale_orders_undecided on sale_orders (account_id, trade_id) where decided_at is null;
create trigger sale_orders_decide_once before update on sale_orders for each row when (old.decided_at is not null)
  execute function refuse_change();
create trigger sale_orders_are_kept before delete or truncate on sale_orders for each statement execute function refuse_change();
grant select, insert on sale_orders to cleartick_app;
grant update (decided_at, outcome, says, tick_seq, tick_time, tick_price, variance, variance_frame, fee, payout)
  on sale_orders to cleartick_app;

-- An order to sell is of an open trade, which waits for it; and a trade is sold by its order, at the same price.
create function sale_orders_follow_trades() returns trigger language plpgsql as $$
begin
  if not exists (
    select from trades t where t.id = new.trade_id and t.account_id = new.account_id and t.sale_ordered_at = new.at
      and case when new.outcome is null then t.status = 'Pending'
        else t.status = 'Sold' and t.payout = new.payout and t.exit_seq = new.tick_seq and t.exit_time = new.tick_time
          and t.exit_price = new.tick_price end
  ) then
    raise exception 'the order to sell trade % does not follow it', new.trade_id
      using errcode = 'integrity_constraint_violation', constraint = 'sale_orders_follow_trades';
  end if;
  return null;
end
$$;
create trigger sale_orders_are_of_open_trades after insert on sale_orders for each row execute function sale_orders_follow_trades();
create trigger sale_orders_sell_their_trade after update on sale_orders for each row when (new.outcome = 'sold')
  execute function sale_orders_follow_trades();

-- Also takes movements of sales: they release a stake as those of settlements do.
create or replace function transfers_move_accounts() returns trigger language plpgsql as $$
declare
  account bigint;
  rule text;
begin
  select t.account_id, r.broken into account, rule
  from added t
  left join lateral (select a.seq from accounts a where a.id = t.account_id and a.mode = t.mode) a on true
  cross join lateral (
    select case
      when (t.mode = 'demo') <> (t.debit = 'mint' or t.credit = 'mint') and t.cause not in ('trade_open', 'trade_settle', 'trade_sale', 'adjust', 'trade_remedy')
        then 'transfers_demo_is_play'
      when not case t.cause
        when 'trade_open' then t.debit = 'balance' and t.credit = 'escrow'
        when 'trade_sale' then
          t.debit = 'escrow' and t.credit in ('balance', 'house') or t.debit = 'house' and t.credit = 'balance'
        when 'trade_settle' then
          t.debit = 'escrow' and t.credit in ('balance', 'house') or t.debit = 'house' and t.credit = 'balance'
        when 'deposit_credit' then t.debit = 'external_in' and t.credit in ('balance', 'owed')
        when 'deposit_reversal' then t.debit in ('balance', 'owed') and t.credit = 'external_in'
        when 'deposit_reinstatement' then t.debit = 'external_in' and t.credit in ('balance', 'owed')
        when 'debt_repayment' then t.debit = 'balance' and t.credit = 'owed'
        when 'withdraw_hold' then t.debit = 'balance' and t.credit = 'hold'
        when 'withdraw_release' then t.debit = 'hold' and t.credit = 'balance'
        when 'withdraw_paid' then t.debit = 'hold' and t.credit = 'external_out'
        when 'plan_charge' then t.debit = 'balance' and t.credit = 'house'
        when 'adjust' then
          t.debit = 'house' and t.credit in ('balance', 'owed') or t.debit = 'balance' and t.credit = 'house'
        when 'demo_grant' then t.debit = 'mint' and t.credit = 'balance' or t.debit = 'balance' and t.credit = 'mint'
        when 'trade_remedy' then t.debit = 'house' and t.credit in ('balance', 'owed')
          and exists (select from trade_remedies m where m.trade_id = t.cause_id and m.account_id = t.account_id)
        else false
      end then 'transfers_published_ways'
      when a.seq is null or a.seq < t.account_seq then 'transfers_move_accounts'
    end as broken
  ) r
  where r.broken is not null
  limit 1;
  if found then
    raise exception 'a movement of account % is refused by %', account, rule using errcode = 'integrity_constraint_violation', constraint = rule;
  end if;
  return null;
end
$$;
