-- Up Migration
-- Money in and money out: what was announced or asked for, who approved it, and the edges that each may take, once.

create type coin as enum ('BTC', 'ETH');
create type deposit_status as enum ('Pending', 'Approved', 'Rejected');
create type withdrawal_status as enum ('Pending', 'Processing', 'Paid', 'Rejected', 'Cancelled');

-- What the operator sets. One row. Amounts above a threshold (cents) take two persons.
create table cashier_settings (
  only_row boolean primary key default true check (only_row),
  deposit_two_person_above bigint not null default 100000 check (deposit_two_person_above >= 0),
  withdrawal_two_person_above bigint not null default 100000 check (withdrawal_two_person_above >= 0),
  withdrawals_need_identity boolean not null default true,
  -- Where coins are sent to: one address for everybody, or an extended public key that makes one for each user.
  btc_address text check (length(btc_address) <= 128),
  btc_extended_key text check (btc_extended_key ~ '^[xyz]pub[1-9A-HJ-NP-Za-km-z]{100,112}$'),
  eth_address text check (eth_address ~ '^0x[0-9a-fA-F]{40}$'),
  eth_extended_key text check (eth_extended_key ~ '^xpub[1-9A-HJ-NP-Za-km-z]{100,112}$'),
  constraint cashier_settings_one_way check (num_nonnulls(btc_address, btc_extended_key) <= 1 and num_nonnulls(eth_address, eth_extended_key) <= 1)
);
insert into cashier_settings default values;
grant select, update on cashier_settings to cleartick_app;

-- Money in.

create table deposits (
  id bigint primary key,
  user_id bigint not null references users,
  method text not null check (method in ('crypto', 'card')),
  coin coin,
  -- Cents that the trader announced, and the coins that they were by the tape.
  announced bigint not null check (announced >= 100),
  coin_amount numeric(24, 8) check (coin_amount >= 0),
  rate numeric check (rate > 0),
  -- Where the coins were to be sent.
  address text check (length(address) between 1 and 128),
  -- Name in the private file store, and the sha256 of what was uploaded: the same picture is found again.
  receipt text unique check (receipt ~ '^[0-9a-f]{40}$'),
  receipt_hash bytea check (length(receipt_hash) = 32),
  -- How the card provider calls it.
  provider_reference text unique check (length(provider_reference) between 1 and 255),
  status deposit_status not null default 'Pending',
  credited bigint check (credited > 0),
  reversed bigint not null default 0,
  reason text check (length(reason) between 1 and 500),
  created_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  constraint deposits_method check (
    case method
      when 'crypto' then num_nulls(coin, coin_amount, rate, address, receipt, receipt_hash) = 0 and provider_reference is null
      else num_nonnulls(coin, coin_amount, rate, address, receipt, receipt_hash) = 0
    end
  ),
  constraint deposits_outcome check (
    (status = 'Pending') = (decided_at is null)
    and (status = 'Approved') = (credited is not null)
    and (status = 'Rejected') = (reason is not null)
    and (method = 'crypto' or status <> 'Approved' or provider_reference is not null)
  ),
  constraint deposits_reversed check (reversed between 0 and coalesce(credited, 0))
);
comment on column deposits.announced is 'Cents';
comment on column deposits.credited is 'Cents that arrived, as the operators typed them or the card provider said';
comment on column deposits.reversed is 'Cents that refunds and disputes took back';
create index deposits_of_user on deposits (user_id, id);
create index deposits_by_status on deposits (status, id);
create index deposits_receipt_hash on deposits (receipt_hash) where receipt_hash is not null;

create table deposit_approvals (
  deposit_id bigint not null references deposits,
  operator_id bigint not null,
  -- Cents that this person saw arrive.
  amount bigint not null check (amount > 0),
  at timestamptz not null default clock_timestamp(),
  primary key (deposit_id, operator_id)
);
create trigger deposit_approvals_are_final before update or delete on deposit_approvals for each statement execute function refuse_change();
create trigger deposit_approvals_are_kept before truncate on deposit_approvals for each statement execute function refuse_change();

-- What a refund or a dispute took back; its number is the cause of the ledger's movement. Final.
create table deposit_reversals (
  id bigint primary key,
  deposit_id bigint not null references deposits,
  amount bigint not null check (amount > 0),
  -- The provider's name of the event: the same one counts once.
  reference text not null unique check (length(reference) between 1 and 255),
  at timestamptz not null default clock_timestamp()
);
create index deposit_reversals_of_deposit on deposit_reversals (deposit_id);
create trigger deposit_reversals_are_final before update or delete on deposit_reversals for each statement execute function refuse_change();
create trigger deposit_reversals_are_kept before truncate on deposit_reversals for each statement execute function refuse_change();

-- An approval joins a deposit that waits, and names what the others named.
create function deposit_approvals_agree() returns trigger language plpgsql as $$
begin
  perform from deposits where id = new.deposit_id and status = 'Pending' and method = 'crypto' for no key update;
  if not found then
    raise exception 'deposit % does not wait for an approval', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  if exists (select from deposit_approvals where deposit_id = new.deposit_id and amount <> new.amount) then
    raise exception 'deposit % was approved with another amount', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger deposit_approvals_agree before insert on deposit_approvals for each row execute function deposit_approvals_agree();

-- The edges of a deposit, and four eyes: above the threshold two persons have named the amount that is credited.
create function deposits_take_edges() returns trigger language plpgsql as $$
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
    if new.reversed < old.reversed then
      raise exception 'what was taken back of deposit % stays so', new.id using errcode = 'integrity_constraint_violation';
    end if;
  elsif new.status = 'Approved' and new.method = 'crypto' and (
    select count(*) from deposit_approvals where deposit_id = new.id and amount = new.credited
  ) < (select case when new.credited > deposit_two_person_above then 2 else 1 end from cashier_settings) then
    raise exception 'deposit % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger deposits_take_edges before insert or update on deposits for each row execute function deposits_take_edges();

-- By the commit an approved deposit was credited exactly, and what was taken back has its rows and movements.
create function deposits_are_moved() returns trigger language plpgsql as $$
declare
  d deposits;
begin
  select * into d from deposits where id = new.id;
  if d.status = 'Approved' and d.credited is distinct from (
    select sum(amount) from transfers where cause = 'deposit_credit' and cause_id = d.id and account_id = d.user_id * 2
  ) then
    raise exception 'deposit % was approved and not credited', d.id using errcode = 'integrity_constraint_violation';
  end if;
  if d.reversed <> (select coalesce(sum(amount), 0) from deposit_reversals where deposit_id = d.id)
    or d.reversed <> (
      select coalesce(sum(t.amount), 0) from deposit_reversals r
      join transfers t on t.cause = 'deposit_reversal' and t.cause_id = r.id and t.account_id = d.user_id * 2
      where r.deposit_id = d.id
    ) then
    raise exception 'what was taken back of deposit % does not add up', d.id using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger deposits_are_moved after update on deposits deferrable initially deferred
  for each row execute function deposits_are_moved();

grant select, insert on deposits to cleartick_app;
grant update (status, credited, reversed, reason, decided_at, provider_reference) on deposits to cleartick_app;
grant select, insert on deposit_approvals to cleartick_app;
grant select, insert on deposit_reversals to cleartick_app;

-- Money out.

create table withdrawals (
  id bigint primary key,
  user_id bigint not null references users,
  method text not null check (method in ('crypto', 'bank')),
  coin coin,
  wallet text check (length(wallet) between 1 and 128),
  bank_name text check (length(bank_name) between 1 and 100),
  bank_type text check (bank_type in ('Checking', 'Savings')),
  -- The last characters of the account's number; the numbers themselves are sealed, and their print finds the same ones again.
  bank_ending text check (length(bank_ending) between 1 and 4),
  bank_sealed bytea,
  bank_print bytea check (length(bank_print) = 32),
  -- Cents.
  amount bigint not null check (amount >= 100),
  status withdrawal_status not null default 'Pending',
  reason text check (length(reason) between 1 and 500),
  reference text check (length(reference) between 1 and 255),
  created_at timestamptz not null default clock_timestamp(),
  processing_at timestamptz,
  ended_at timestamptz,
  constraint withdrawals_method check (
    case method
      when 'crypto' then num_nulls(coin, wallet) = 0 and num_nonnulls(bank_name, bank_type, bank_ending, bank_sealed, bank_print) = 0
      else num_nonnulls(coin, wallet) = 0 and num_nulls(bank_name, bank_type, bank_ending, bank_sealed, bank_print) = 0
    end
  ),
  constraint withdrawals_outcome check (
    (status in ('Pending', 'Processing')) = (ended_at is null)
    and (status = 'Rejected') = (reason is not null)
    and (status = 'Paid') = (reference is not null)
    and (status not in ('Processing', 'Paid') or processing_at is not null)
    and (status not in ('Pending', 'Cancelled') or processing_at is null)
  )
);
create index withdrawals_of_user on withdrawals (user_id, id);
create index withdrawals_by_status on withdrawals (status, id);
create index withdrawals_wallet on withdrawals (lower(wallet)) where wallet is not null;
create index withdrawals_bank_print on withdrawals (bank_print) where bank_print is not null;

create table withdrawal_approvals (
  withdrawal_id bigint not null references withdrawals,
  operator_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  primary key (withdrawal_id, operator_id)
);
create trigger withdrawal_approvals_are_final before update or delete on withdrawal_approvals for each statement execute function refuse_change();
create trigger withdrawal_approvals_are_kept before truncate on withdrawal_approvals for each statement execute function refuse_change();

create function withdrawal_approvals_join_waiting() returns trigger language plpgsql as $$
begin
  perform from withdrawals where id = new.withdrawal_id and status = 'Pending' for no key update;
  if not found then
    raise exception 'withdrawal % does not wait for an approval', new.withdrawal_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger withdrawal_approvals_join_waiting before insert on withdrawal_approvals
  for each row execute function withdrawal_approvals_join_waiting();

-- The edges of a withdrawal, and four eyes: above the threshold two persons have approved it.
create function withdrawals_take_edges() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status <> 'Pending' then
      raise exception 'withdrawal % does not begin as Pending', new.id using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if (old.status, new.status) not in (
    ('Pending', 'Processing'), ('Pending', 'Rejected'), ('Pending', 'Cancelled'), ('Processing', 'Paid'), ('Processing', 'Rejected')
  ) then
    raise exception 'withdrawal % does not go from % to %', new.id, old.status, new.status using errcode = 'integrity_constraint_violation';
  end if;
  if old.processing_at is not null and new.processing_at is distinct from old.processing_at then
    raise exception 'withdrawal % was approved once', new.id using errcode = 'integrity_constraint_violation';
  end if;
  if new.status = 'Processing' and (select count(*) from withdrawal_approvals where withdrawal_id = new.id)
    < (select case when new.amount > withdrawal_two_person_above then 2 else 1 end from cashier_settings) then
    raise exception 'withdrawal % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger withdrawals_take_edges before insert or update on withdrawals for each row execute function withdrawals_take_edges();

-- By the commit the money is where the status says: set aside, paid out, or back.
create function withdrawals_are_moved() returns trigger language plpgsql as $$
declare
  w withdrawals;
  broken boolean;
begin
  select * into w from withdrawals where id = new.id;
  select count(*) <> case when w.status in ('Pending', 'Processing') then 1 else 2 end
    or not bool_and(amount = w.amount and account_id = w.user_id * 2)
    or not bool_or(cause = 'withdraw_hold')
    or bool_or(cause = 'withdraw_paid') <> (w.status = 'Paid')
  into broken
  from transfers where cause_id = w.id and cause in ('withdraw_hold', 'withdraw_paid', 'withdraw_release');
  if broken is distinct from false then
    raise exception 'the money of withdrawal % is not where its status says', w.id using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$$;
create constraint trigger withdrawals_are_moved after insert or update on withdrawals deferrable initially deferred
  for each row execute function withdrawals_are_moved();

grant select, insert on withdrawals to cleartick_app;
grant update (status, reason, reference, processing_at, ended_at) on withdrawals to cleartick_app;
grant select, insert on withdrawal_approvals to cleartick_app;

-- Keys of everything that moves money and is no trade (trades keep theirs): per user, for good.
create table request_keys (
  user_id bigint not null references users,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null,
  -- What was done under it, and its number.
  effect text not null check (effect in ('deposit', 'withdrawal', 'cancel', 'plan', 'demo_reset')),
  effect_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  primary key (user_id, key)
);
create trigger request_keys_are_final before update or delete on request_keys for each statement execute function refuse_change();
grant select, insert on request_keys to cleartick_app;

insert into request_keys (user_id, key, fingerprint, effect, effect_id)
  select user_id, key, fingerprint, 'demo_reset', cause_id from demo_resets;
insert into request_keys (user_id, key, fingerprint, effect, effect_id)
  select user_id, key, fingerprint, 'plan', id from plan_charges where key is not null
  on conflict do nothing;
drop table demo_resets;
alter table plan_charges drop column key, drop column fingerprint;

-- Acceptance looks for keys in its own statement, which does not see what commits while it waits for its accounts. This
-- looks once more, after the locks: no key ever stands for a trade and for something else.
create function trades_keys_are_their_own() returns trigger language plpgsql as $$
begin
  if exists (
    select from added a, lateral (
      select from request_keys k where k.user_id = a.account_id / 2 and k.key = a.key limit 1
    ) used where a.key is not null
  ) then
    raise exception 'a key was used for something else' using errcode = 'unique_violation', constraint = 'request_keys_pkey';
  end if;
  return null;
end
$$;
create trigger trades_keys_are_their_own after insert on trades
  referencing new table as added for each statement execute function trades_keys_are_their_own();
