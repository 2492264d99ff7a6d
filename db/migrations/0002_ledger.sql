-- Up Migration
-- The ledger: append-only double entry in two modes that cannot mix (invariants L1 to L9).
-- A trader's four accounts of a mode are columns of one row: a movement between them touches one row, and a limit on open
-- stakes needs no second query. The house has no row: its balance is the sum of the movements that name it.
create type account_mode as enum ('real', 'demo');

create type slot as enum (
  'balance', 'escrow', 'hold', 'owed',            -- the trader's: columns of accounts
  'house', 'external_in', 'external_out', 'mint'  -- the other side: derived
);

create type cause as enum (
  'trade_open', 'trade_settle', 'deposit_credit', 'withdraw_hold', 'withdraw_paid', 'withdraw_release',
  'plan_charge', 'adjust', 'deposit_reversal', 'demo_grant',
  'deposit_reinstatement', 'debt_repayment'
);

create table accounts (
  id bigint primary key,
  user_id bigint not null,
  mode account_mode not null,
  balance cents not null default 0,
  escrow cents not null default 0,
  hold cents not null default 0,
  owed cents not null default 0,
  seq bigint not null default 0,
  last_at timestamptz not null default clock_timestamp(),
  -- On the row that acceptance locks anyway: a lock applies to the next order and costs no query.
  trading_locked boolean not null default false,
  constraint accounts_id_names_user_and_mode check (id = user_id * 2 + case mode when 'demo' then 1 else 0 end),
  constraint accounts_never_below_zero check (balance >= 0 and escrow >= 0 and hold >= 0),
  -- Debt first: an account that owes money has nothing to spend.
  constraint accounts_debt_first check (owed = 0 or owed < 0 and balance = 0),
  constraint accounts_demo_has_no_requests check (mode = 'real' or (hold = 0 and owed = 0))
) with (fillfactor = 60);

comment on column accounts.balance is 'Cents that the trader can spend';
comment on column accounts.escrow is 'Cents staked in open trades';
comment on column accounts.hold is 'Cents of withdrawals that are requested and not yet paid';
comment on column accounts.owed is 'Cents that a reversed deposit left uncovered, as a negative number';
comment on column accounts.seq is 'Number of the newest movement; movements of an account are numbered without gaps';

-- A new account is empty: its money arrives by movements.
create function accounts_start_empty() returns trigger language plpgsql as $$
begin
  if new.balance <> 0 or new.escrow <> 0 or new.hold <> 0 or new.owed <> 0 or new.seq <> 0 then
    raise exception 'account % does not begin empty', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger accounts_start_empty before insert on accounts for each row execute function accounts_start_empty();

-- A movement. The rules about account, mode and cause are in `transfers_move_accounts`: PostgreSQL parses the text of a
-- check for each statement, and for acceptance, which writes dozens of rows a statement, that was a tenth of its work.
create table transfers (
  cause cause not null,
  cause_id bigint not null,
  part smallint not null,
  account_id bigint not null,
  mode account_mode not null,
  debit slot not null,
  credit slot not null,
  amount cents not null,
  account_seq bigint not null,
  balance_after cents not null,
  at timestamptz not null,
  constraint transfers_pkey primary key (cause, cause_id, part),
  constraint transfers_account_seq unique (account_id, account_seq),
  constraint transfers_positive check (amount > 0 and balance_after >= 0 and part > 0)
);
comment on column transfers.at is 'Never earlier than the movement before it on the same account';
create trigger transfers_are_final before update or delete on transfers
  for each statement execute function refuse_change();
create trigger transfers_are_kept before truncate on transfers
  for each statement execute function refuse_change();

-- Rejects a movement whose account doesn't exist in that mode or hasn't come that far, whose debit and credit don't belong
-- to its cause, or that brings play money into real mode. One query for all rows of a statement: as a foreign key it
-- would cost three times as much.
create function transfers_move_accounts() returns trigger language plpgsql as $$
declare
  account bigint;
  rule text;
begin
  select t.account_id, r.broken into account, rule
  from added t
  left join lateral (select a.seq from accounts a where a.id = t.account_id and a.mode = t.mode) a on true
  cross join lateral (
    select case
      when (t.mode = 'demo') <> (t.debit = 'mint' or t.credit = 'mint') and t.cause not in ('trade_open', 'trade_settle', 'adjust')
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
create trigger transfers_move_accounts after insert on transfers
  referencing new table as added for each statement execute function transfers_move_accounts();

-- Rejects a change of balances that isn't exactly the sum of the movements added with it (L3), once per statement.
create function accounts_follow_transfers() returns trigger language plpgsql as $$
declare
  broken bigint;
begin
  -- Subtracts old rows from new ones in one pass and one sort, however many accounts a statement touches. (A join would
  -- keep the plan of a session's first statement for its largest.)
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
    raise exception 'account % changes by something other than its movements', broken using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create trigger accounts_follow_transfers after update on accounts
  referencing old table as changed_from new table as changed_to
  for each statement execute function accounts_follow_transfers();

grant select, insert on accounts to cleartick_app;
grant update (balance, escrow, hold, owed, seq, last_at, trading_locked) on accounts to cleartick_app;
grant select, insert on transfers to cleartick_app;

-- Idempotency keys of every call that moves money, except trades, which store their own: per user, permanent.
create type request_effect as enum ('deposit', 'withdrawal', 'cancel', 'plan', 'demo_reset');

create table request_keys (
  user_id bigint not null,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null,
  -- What the call did, and the id of that.
  effect request_effect not null,
  effect_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  -- The first response, if it can't be rebuilt from what was done.
  answer json,
  primary key (user_id, key)
);
create trigger request_keys_are_final before update or delete on request_keys for each statement execute function refuse_change();
grant select, insert on request_keys to cleartick_app;
