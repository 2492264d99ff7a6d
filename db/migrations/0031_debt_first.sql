-- Up Migration
-- Debt first: an account that owes has nothing to spend. Whatever reaches its balance repays the debt in the same
-- statement, as a movement of its own. The check replaces the older one on debts, so the hot path reads no more checks.
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
        when 'deposit_reinstatement' then t.debit = 'external_in' and t.credit in ('balance', 'owed')
        when 'debt_repayment' then t.debit = 'balance' and t.credit = 'owed'
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

-- Debtors who had money released or won before this rule repay now.
with repaid as (
  select id, least(balance, -owed) as amount from accounts where owed < 0 and balance > 0 order by id for no key update
), moved as (
  update accounts a set balance = a.balance - r.amount, owed = a.owed + r.amount, seq = a.seq + 1, last_at = greatest(clock_timestamp(), a.last_at)
  from repaid r where a.id = r.id
  returning a.id, a.book, a.balance, a.seq, a.last_at, r.amount
)
-- The cause is the account itself: ids of trades and withdrawals are far larger.
insert into transfers (cause, cause_id, part, account_id, book, debit, credit, amount, account_seq, balance_after, at)
select 'debt_repayment', id, 1, id, book, 'balance', 'owed', amount, seq, balance, last_at from moved;

alter table accounts
  drop constraint accounts_owed_is_a_debt,
  add constraint accounts_debt_first check (owed = 0 or owed < 0 and balance = 0);

-- No withdrawal of a debtor is requested, approved or paid. The account is locked first, so no reversal runs meanwhile.
create function withdrawals_wait_for_debts() returns trigger language plpgsql as $$
declare
  debt bigint;
begin
  select owed into debt from accounts where id = new.user_id * 2 for no key update;
  if debt < 0 then
    raise exception 'the owner of withdrawal % owes money', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger withdrawals_wait_for_debts before insert or update on withdrawals
  for each row when (new.status in ('Pending', 'Processing', 'Paid')) execute function withdrawals_wait_for_debts();

-- Events of the card provider are the record from which a deposit's reversals follow, in whatever order they arrive:
-- an event about a payment that is not credited yet is kept, and counts once it is.
alter table card_events
  add column payment text check (length(payment) between 1 and 255),
  -- The refund or dispute, its cents, and whether its money was taken or returned.
  add column reference text check (length(reference) between 1 and 255),
  add column amount bigint check (amount > 0),
  add column effect text check (effect in ('taken', 'returned')),
  add constraint card_events_effect check (num_nulls(reference, amount, effect) in (0, 3) and (effect is null or payment is not null));
create index card_events_of_payment on card_events (payment) where effect is not null;

-- Money of a reversal that came back: a refund that failed, or a dispute that was won.
create table deposit_reinstatements (
  id bigint primary key,
  deposit_id bigint not null references deposits,
  amount bigint not null check (amount > 0),
  -- The event that caused it.
  reference text not null unique check (length(reference) between 1 and 255),
  at timestamptz not null default clock_timestamp()
);
create index deposit_reinstatements_of_deposit on deposit_reinstatements (deposit_id);
create trigger deposit_reinstatements_are_final before update or delete on deposit_reinstatements
  for each statement execute function refuse_change();
create trigger deposit_reinstatements_are_kept before truncate on deposit_reinstatements
  for each statement execute function refuse_change();
grant select, insert on deposit_reinstatements to cleartick_app;
comment on column deposits.reversed is 'Cents that refunds and disputes took back, less what was reinstated';

create or replace function deposits_take_edges() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status <> 'Pending' or new.reversed <> 0 then
      raise exception 'deposit % does not begin as Pending', new.id using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if old.status <> 'Pending' then
    if (new.status, new.credited, new.reason, new.decided_at, new.provider_reference)
       is distinct from (old.status, old.credited, old.reason, old.decided_at, old.provider_reference) then
      raise exception 'deposit % is decided', new.id using errcode = 'integrity_constraint_violation';
    end if;
  elsif new.status = 'Approved' and new.method = 'crypto' and (
    select count(*) from deposit_approvals where deposit_id = new.id and amount = new.credited
  ) < (select case when new.credited > deposit_two_person_above then 2 else 1 end from cashier_settings) then
    raise exception 'deposit % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;

create or replace function deposits_are_moved() returns trigger language plpgsql as $$
declare
  d deposits;
begin
  select * into d from deposits where id = new.id;
  if d.status = 'Approved' and d.credited is distinct from (
    select sum(amount) from transfers where cause = 'deposit_credit' and cause_id = d.id and account_id = d.user_id * 2
  ) then
    raise exception 'deposit % was approved and not credited', d.id using errcode = 'integrity_constraint_violation';
  end if;
  if d.reversed <> (
      select coalesce((select sum(amount) from deposit_reversals where deposit_id = d.id), 0)
        - coalesce((select sum(amount) from deposit_reinstatements where deposit_id = d.id), 0)
    ) or d.reversed <> (
      select coalesce(sum(case t.cause when 'deposit_reversal' then t.amount else -t.amount end), 0)
      from (
        select 'deposit_reversal'::cause as cause, id from deposit_reversals where deposit_id = d.id
        union all
        select 'deposit_reinstatement', id from deposit_reinstatements where deposit_id = d.id
      ) r join transfers t on t.cause = r.cause and t.cause_id = r.id and t.account_id = d.user_id * 2
    ) then
    raise exception 'the reversals of deposit % do not add up', d.id using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
