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
  constraint accounts_demo_has_no_requests check (book = 'real' or (hold = 0 and owed = 0)),
  constraint accounts_id_book unique (id, book)
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
  constraint transfers_one_book foreign key (account_id, book) references accounts (id, book),
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
  select n.id into broken
  from changed_to n
  join changed_from o on o.id = n.id
  left join lateral (
    select count(*) as parts,
      coalesce(sum(case when t.credit = 'balance' then t.amount when t.debit = 'balance' then -t.amount else 0 end), 0) as balance,
      coalesce(sum(case when t.credit = 'escrow' then t.amount when t.debit = 'escrow' then -t.amount else 0 end), 0) as escrow,
      coalesce(sum(case when t.credit = 'hold' then t.amount when t.debit = 'hold' then -t.amount else 0 end), 0) as hold,
      coalesce(sum(case when t.credit = 'owed' then t.amount when t.debit = 'owed' then -t.amount else 0 end), 0) as owed
    from transfers t where t.account_id = n.id and t.account_seq > o.seq and t.account_seq <= n.seq
  ) m on true
  where m.parts <> n.seq - o.seq or m.balance <> n.balance - o.balance or m.escrow <> n.escrow - o.escrow
    or m.hold <> n.hold - o.hold or m.owed <> n.owed - o.owed or n.user_id <> o.user_id or n.book <> o.book
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
