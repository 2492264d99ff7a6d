-- Up Migration
-- Rulings about complaints by two operators, and the stakes they return: to all traders who lost on the same wrong price.

alter type cause add value 'trade_remedy';

create type complaint_finding as enum (
  'records_agree', 'within_rules', 'already_settled', 'wrong_price', 'late_price', 'our_mistake', 'too_slow'
);
create type complaint_remedy as enum ('none', 'tick', 'credit');
create type complaint_tick as enum ('entry', 'exit');

create table complaint_rulings (
  id bigint generated always as identity primary key,
  complaint_id bigint not null references complaints,
  upheld boolean not null,
  finding complaint_finding not null,
  remedy complaint_remedy not null,
  -- The price that was ruled wrong, and the trades it made lose when the ruling was proposed.
  tick complaint_tick,
  symbol_id smallint,
  tick_seq bigint,
  tick_time bigint,
  trades integer,
  total cents,
  -- What is credited to the trader of a deposit or withdrawal, in cents.
  credit cents check (credit > 0),
  -- Why, for the desk only.
  reason text not null check (length(reason) between 1 and 500),
  status decision_status not null default 'Pending',
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  -- The adjustment that credits it.
  adjustment_id bigint unique references adjustments,
  -- When all of its money had moved.
  paid_at timestamptz,
  constraint complaint_rulings_remedy check (upheld or remedy = 'none'),
  constraint complaint_rulings_tick check (num_nulls(tick, symbol_id, tick_seq, tick_time, trades, total) = case remedy when 'tick' then 0 else 6 end),
  constraint complaint_rulings_credit check ((credit is not null) = (remedy = 'credit')),
  constraint complaint_rulings_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  -- The proposer may take their own proposal back.
  constraint complaint_rulings_four_eyes check (status <> 'Approved' or decided_by <> proposed_by),
  constraint complaint_rulings_reason check ((status = 'Rejected') = (decision_reason is not null)),
  constraint complaint_rulings_adjusts check ((adjustment_id is not null) = (remedy = 'credit' and status = 'Approved')),
  constraint complaint_rulings_paid check (paid_at is null or status = 'Approved')
);
create unique index complaint_rulings_pending on complaint_rulings (complaint_id) where status = 'Pending';
create unique index complaint_rulings_approved on complaint_rulings (complaint_id) where status = 'Approved';
create index complaint_rulings_of_complaint on complaint_rulings (complaint_id, id);
create index complaint_rulings_unpaid on complaint_rulings (id) where status = 'Approved' and paid_at is null;
create trigger complaint_rulings_decided_once before update on complaint_rulings for each row
  when (old.status <> 'Pending' and (old.status <> 'Approved' or old.paid_at is not null or new.paid_at is null
    or row(old.status, old.decided_by, old.decided_at) is distinct from row(new.status, new.decided_by, new.decided_at)))
  execute function refuse_change();
create trigger complaint_rulings_are_kept before delete or truncate on complaint_rulings for each statement execute function refuse_change();
create trigger complaint_rulings_two_people after update of decided_by on complaint_rulings
  for each row when (new.status = 'Approved') execute function require_two_people('proposed_by', 'decided_by');
grant select, insert (complaint_id, upheld, finding, remedy, tick, symbol_id, tick_seq, tick_time, trades, total, credit, reason, proposed_by)
  on complaint_rulings to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason, adjustment_id, paid_at) on complaint_rulings to cleartick_app;

-- Operators claim complaints. All older rows satisfy the check: it allows more than the one it replaces.
alter table claims add constraint claims_of_a_queue check (
  queue in ('identity-checks', 'deposits', 'withdrawals', 'plan-requests', 'messages', 'chats', 'complaints')
) not valid;
alter table claims drop constraint claims_queue_check;

-- A complaint is closed by a ruling that another operator approved in the same transaction.
create function complaints_close_by_two_people() returns trigger language plpgsql as $$
begin
  if not exists (
    select from complaint_rulings r where r.complaint_id = old.id and r.status = 'Approved' and r.upheld = (new.status = 'Upheld')
      and r.decided_at >= transaction_timestamp()
  ) then
    raise exception 'the ruling about complaint % was not approved by two operators', old.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger complaints_close_by_two_people before update of status on complaints
  for each row when (new.status in ('Rejected', 'Upheld')) execute function complaints_close_by_two_people();

-- Stakes that rulings returned. A trade's stake is returned once.
create table trade_remedies (
  trade_id bigint primary key references trades,
  ruling_id bigint not null references complaint_rulings,
  account_id bigint not null,
  amount cents not null check (amount > 0),
  at timestamptz not null default clock_timestamp()
);
create index trade_remedies_of_ruling on trade_remedies (ruling_id);
create trigger trade_remedies_are_final before update or delete or truncate on trade_remedies
  for each statement execute function refuse_change();
grant select, insert (trade_id, ruling_id, account_id, amount) on trade_remedies to cleartick_app;

-- A stake is returned if the trade lost on the price that two operators ruled wrong, neither of whom gains by it.
create function trade_remedies_follow_rulings() returns trigger language plpgsql as $$
declare
  wrong bigint;
begin
  select a.trade_id into wrong
  from added a left join trades t on t.id = a.trade_id left join complaint_rulings r on r.id = a.ruling_id
  where (
      r.status = 'Approved' and r.remedy = 'tick' and r.paid_at is null and t.status = 'Lost' and t.symbol_id = r.symbol_id
      and (t.entry_seq = r.tick_seq or t.exit_seq = r.tick_seq) and t.stake = a.amount and t.account_id = a.account_id
    ) is not true
    or exists (
      select from operators o join users u on lower(u.email) = lower(o.email)
      where o.id in (r.proposed_by, r.decided_by) and u.id = a.account_id / 2
    )
  limit 1;
  if found then
    raise exception 'the stake of trade % is not returned by a ruling of two operators', wrong
      using errcode = 'integrity_constraint_violation', constraint = 'trade_remedies_follow_rulings';
  end if;
  return null;
end
$$;
create trigger trade_remedies_follow_rulings after insert on trade_remedies
  referencing new table as added for each statement execute function trade_remedies_follow_rulings();

-- As in 0002_ledger, and a stake that is returned has its record.
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
      when (t.mode = 'demo') <> (t.debit = 'mint' or t.credit = 'mint') and t.cause not in ('trade_open', 'trade_settle', 'adjust', 'trade_remedy')
        then 'transfers_demo_is_play'
      when not case t.cause
        when 'trade_open' then t.debit = 'balance' and t.credit = 'escrow'
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
