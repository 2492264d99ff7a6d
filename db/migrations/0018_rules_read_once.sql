-- Up Migration
-- PostgreSQL reads a check's text anew for each statement. For acceptance, which writes a few dozen trades a statement, that
-- was a tenth of its work. What a session can plan once is moved into the look at the end of the statement; what stays is
-- said in fewer words.

-- Sums of cents stay cents: the sum that comes with PostgreSQL makes a numeric of them, at several times the price. Beyond
-- 64 bits it is an error.
create aggregate total(bigint) (sfunc = int8pl, stype = bigint, initcond = '0');

create or replace function accounts_follow_transfers() returns trigger language plpgsql as $$
declare
  broken bigint;
begin
  -- Old rows count against new ones: one pass and one sort, however many accounts a statement touches. (A join of the two
  -- would be planned for the first statement of a session and kept for the largest.)
  select d.id into broken
  from (
    select id, max(seq) as seq_to, min(seq) as seq_from, total(sign * balance) as balance, total(sign * escrow) as escrow,
      total(sign * hold) as hold, total(sign * owed) as owed
    from (
      select id, seq, balance, escrow, hold, owed, 1 as sign from changed_to
      union all
      select id, seq, balance, escrow, hold, owed, -1 from changed_from
    ) both_sides
    group by id
  ) d
  left join lateral (
    select count(*) as parts,
      total(case when t.credit = 'balance' then t.amount when t.debit = 'balance' then -t.amount else 0 end) as balance,
      total(case when t.credit = 'escrow' then t.amount when t.debit = 'escrow' then -t.amount else 0 end) as escrow,
      total(case when t.credit = 'hold' then t.amount when t.debit = 'hold' then -t.amount else 0 end) as hold,
      total(case when t.credit = 'owed' then t.amount when t.debit = 'owed' then -t.amount else 0 end) as owed
    from transfers t where t.account_id = d.id and t.account_seq > d.seq_from and t.account_seq <= d.seq_to
  ) m on true
  where m.parts <> d.seq_to - d.seq_from or m.balance <> d.balance or m.escrow <> d.escrow or m.hold <> d.hold or m.owed <> d.owed
  limit 1;
  if found then
    raise exception 'account % changes by something else than its movements', broken using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;

-- What a movement may be: on an account that exists, in that account's book, and that has come as far; one of the
-- published ways of its cause; play money out of the mint and real money not.
alter table transfers drop constraint transfers_one_book, drop constraint transfers_demo_is_play, drop constraint transfers_published_ways;
create or replace function transfers_move_accounts() returns trigger language plpgsql as $$
declare
  account bigint;
  rule text;
begin
  select t.account_id, r.broken into account, rule
  from added t
  left join lateral (select a.seq from accounts a where a.id = t.account_id and a.book = t.book) a on true
  cross join lateral (
    select case
      when (t.book = 'demo') <> (t.debit = 'mint' or t.credit = 'mint') and t.cause not in ('trade_open', 'trade_settle', 'adjust')
        then 'transfers_demo_is_play'
      when not case t.cause
        when 'trade_open' then t.debit = 'balance' and t.credit = 'escrow'
        when 'trade_settle' then
          t.debit = 'escrow' and t.credit in ('balance', 'house') or t.debit = 'house' and t.credit = 'balance'
        when 'deposit_credit' then t.debit = 'external_in' and t.credit in ('balance', 'owed')
        when 'deposit_reversal' then t.debit in ('balance', 'owed') and t.credit = 'external_in'
        when 'withdraw_hold' then t.debit = 'balance' and t.credit = 'hold'
        when 'withdraw_release' then t.debit = 'hold' and t.credit = 'balance'
        when 'withdraw_paid' then t.debit = 'hold' and t.credit = 'external_out'
        when 'plan_charge' then t.debit = 'balance' and t.credit = 'house'
        when 'adjust' then
          t.debit = 'house' and t.credit in ('balance', 'owed') or t.debit = 'balance' and t.credit = 'house'
        when 'demo_grant' then t.debit = 'mint' and t.credit = 'balance' or t.debit = 'balance' and t.credit = 'mint'
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

alter table trades
  drop constraint trades_ticks,
  drop constraint trades_outcome,
  -- A tick has all its three figures or none; what is not there is not compared.
  add constraint trades_ticks check (
    num_nulls(entry_price, entry_time, entry_seq) % 3 = 0 and num_nulls(exit_price, exit_time, exit_seq) % 3 = 0
    and entry_time > trade_time and entry_time <= trade_time + 10000
    and exit_time > entry_time and exit_time <= end_time and exit_time >= end_time - stale_after_ms
  ),
  -- What each status pays, and on which prices (T5), once more from the row itself.
  add constraint trades_outcome check (
    case status
      when 'Pending' then num_nonnulls(payout, settled_at, exit_price, outcome_reason) = 0
      else num_nulls(payout, settled_at, outcome_reason) = 0 and case
        when status = 'Void' then payout = stake
        when num_nulls(entry_price, exit_price) > 0 then false
        when exit_price = entry_price then status = 'Draw' and payout = stake
        when (exit_price > entry_price) = (trade_mode = 'Buy') then status = 'Won' and payout = stake + (stake * percent + 50) / 100
        else status = 'Lost' and payout = 0
      end
    end
  );
