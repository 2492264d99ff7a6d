-- Up Migration
-- The ledger: append-only double entry in two books that cannot meet (invariants L1 to L9).
-- A trader's four accounts of a book are columns of one row: a movement between them touches one row, and
-- "open stakes plus this one within the limit" needs no second look. The house side is never a row: it is the sum
-- of the movements that name it.

create type book as enum ('real', 'demo');

create type slot as enum (
  'balance', 'escrow', 'hold', 'owed',            -- the trader's, columns of accounts
  'house', 'external_in', 'external_out', 'mint'  -- the other side, derived
);

create type cause as enum (
  'trade_open', 'trade_settle', 'deposit_credit', 'withdraw_hold', 'withdraw_paid', 'withdraw_release',
  'plan_charge', 'adjust', 'deposit_reversal', 'demo_grant'
);

create table accounts (
  id bigint primary key,
  user_id bigint not null,
  book book not null,
  balance bigint not null default 0,
  escrow bigint not null default 0,
  hold bigint not null default 0,
  owed bigint not null default 0,
  seq bigint not null default 0,
  last_at timestamptz not null default clock_timestamp(),
  constraint accounts_id_names_user_and_book check (id = user_id * 2 + case book when 'demo' then 1 else 0 end),
  constraint accounts_never_below_zero check (balance >= 0 and escrow >= 0 and hold >= 0),
  constraint accounts_owed_is_a_debt check (owed <= 0),
  constraint accounts_demo_has_no_requests check (book = 'real' or (hold = 0 and owed = 0))
) with (fillfactor = 60);

comment on column accounts.balance is 'Cents that the trader can spend';
comment on column accounts.escrow is 'Cents staked in open trades';
comment on column accounts.hold is 'Cents of withdrawals that are asked for and not yet paid';
comment on column accounts.owed is 'Cents that a reversed deposit left uncovered, as a negative number';
comment on column accounts.seq is 'Number of the newest movement; movements of an account are numbered without gaps';

create table transfers (
  cause cause not null,
  cause_id bigint not null,
  part smallint not null,
  account_id bigint not null,
  book book not null,
  debit slot not null,
  credit slot not null,
  amount bigint not null,
  account_seq bigint not null,
  balance_after bigint not null,
  at timestamptz not null,
  constraint transfers_pkey primary key (cause, cause_id, part),
  constraint transfers_account_seq unique (account_id, account_seq),
  constraint transfers_one_book check ((account_id % 2 = 1) = (book = 'demo')),
  constraint transfers_positive check (amount > 0 and balance_after >= 0 and part > 0),
  constraint transfers_published_ways check (
    (cause, debit, credit) in (
      ('trade_open', 'balance', 'escrow'),
      ('trade_settle', 'escrow', 'balance'), ('trade_settle', 'house', 'balance'), ('trade_settle', 'escrow', 'house'),
      ('deposit_credit', 'external_in', 'balance'), ('deposit_credit', 'external_in', 'owed'),
      ('deposit_reversal', 'balance', 'external_in'), ('deposit_reversal', 'owed', 'external_in'),
      ('withdraw_hold', 'balance', 'hold'), ('withdraw_release', 'hold', 'balance'), ('withdraw_paid', 'hold', 'external_out'),
      ('plan_charge', 'balance', 'house'),
      ('adjust', 'house', 'balance'), ('adjust', 'balance', 'house'), ('adjust', 'house', 'owed'),
      ('demo_grant', 'mint', 'balance'), ('demo_grant', 'balance', 'mint')
    )
  ),
  constraint transfers_demo_is_play check ((book = 'demo') = (debit = 'mint' or credit = 'mint') or cause in ('trade_open', 'trade_settle', 'adjust'))
);

comment on column transfers.at is 'Never earlier than the movement before it on the same account';

-- A movement is final, whoever asks.
create trigger transfers_are_final before update or delete on transfers
  for each statement execute function refuse_change();
create trigger transfers_are_kept before truncate on transfers
  for each statement execute function refuse_change();

-- No balance changes without its movements: whatever a statement did to accounts must be, at its end, exactly what the
-- movements it added say (L3). One look for all accounts of the statement.
create function accounts_follow_transfers() returns trigger language plpgsql as $$
declare
  broken bigint;
begin
  -- Old rows count against new ones: one pass and one sort, however many accounts a statement touches. (A join of the two
  -- would be planned for the first statement of a session and kept for the largest.)
  select d.id into broken
  from (
    select id, max(seq) as seq_to, min(seq) as seq_from, sum(sign * balance) as balance, sum(sign * escrow) as escrow,
      sum(sign * hold) as hold, sum(sign * owed) as owed
    from (
      select id, seq, balance, escrow, hold, owed, 1 as sign from changed_to
      union all
      select id, seq, balance, escrow, hold, owed, -1 from changed_from
    ) both_sides
    group by id
  ) d
  left join lateral (
    select count(*) as parts,
      coalesce(sum(case when t.credit = 'balance' then t.amount when t.debit = 'balance' then -t.amount else 0 end), 0) as balance,
      coalesce(sum(case when t.credit = 'escrow' then t.amount when t.debit = 'escrow' then -t.amount else 0 end), 0) as escrow,
      coalesce(sum(case when t.credit = 'hold' then t.amount when t.debit = 'hold' then -t.amount else 0 end), 0) as hold,
      coalesce(sum(case when t.credit = 'owed' then t.amount when t.debit = 'owed' then -t.amount else 0 end), 0) as owed
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

create trigger accounts_follow_transfers after update on accounts
  referencing old table as changed_from new table as changed_to
  for each statement execute function accounts_follow_transfers();

-- And no movement without its account: each must be the account's newest or older by the end of the statement. (The same
-- as a foreign key on account and book, and more, at a third of its price: one look for all rows of a statement.)
create function transfers_move_accounts() returns trigger language plpgsql as $$
declare
  broken bigint;
begin
  select t.account_id into broken
  from added t
  left join lateral (select a.seq from accounts a where a.id = t.account_id and a.book = t.book) a on true
  where a.seq is null or a.seq < t.account_seq
  limit 1;
  if found then
    raise exception 'account % does not take part in a movement of its own', broken using errcode = 'foreign_key_violation';
  end if;
  return null;
end
$$;

create trigger transfers_move_accounts after insert on transfers
  referencing new table as added for each statement execute function transfers_move_accounts();

-- A new account is empty: what it holds comes by movements.
create function accounts_begin_empty() returns trigger language plpgsql as $$
begin
  if new.balance <> 0 or new.escrow <> 0 or new.hold <> 0 or new.owed <> 0 or new.seq <> 0 then
    raise exception 'account % does not begin empty', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger accounts_begin_empty before insert on accounts for each row execute function accounts_begin_empty();

grant select, insert on accounts to cleartick_app;
grant update (balance, escrow, hold, owed, seq, last_at) on accounts to cleartick_app;
grant select, insert on transfers to cleartick_app;
