-- Up Migration
-- The addresses and bank accounts that a trader withdraws to, with what the travel rule asks about each. Stop all nodes of
-- older versions first.
insert into schema_needs (migration, needs) values ('0143_address_book', '0123_solvency_entries_in_parts');

-- The spelling under which an address is compared. Only base58 of Bitcoin depends on case.
create function payout_key(coin coin, wallet text) returns text language sql immutable
  return case when coin = 'ETH' or wallet ~* '^bc1' then lower(wallet) else wallet end;

create table payout_addresses (
  id bigint primary key,
  user_id bigint not null references users,
  name text not null check (length(name) between 1 and 60),
  method withdrawal_method not null,
  coin coin,
  wallet text check (length(wallet) between 1 and 128),
  bank_name text check (length(bank_name) between 1 and 100),
  bank_ending text check (length(bank_ending) between 1 and 4),
  bank_sealed bytea,
  bank_fingerprint bytea check (length(bank_fingerprint) = 32),
  -- Whose it is: the trader's, or this person's or company's.
  beneficiary text check (length(beneficiary) between 1 and 100),
  -- The service that keeps the wallet; null if its owner keeps it.
  hosted_by text check (length(hosted_by) between 1 and 100),
  created_at timestamptz not null default clock_timestamp(),
  -- From then on it is used by who withdraws to this book only.
  usable_at timestamptz not null default clock_timestamp() + interval '24 hours',
  removed_at timestamptz,
  constraint payout_addresses_method check (
    case method
      when 'crypto' then num_nulls(coin, wallet) = 0 and num_nonnulls(bank_name, bank_ending, bank_sealed, bank_fingerprint) = 0
      else num_nonnulls(coin, wallet, hosted_by) = 0 and num_nulls(bank_name, bank_ending, bank_sealed, bank_fingerprint) = 0
    end
  )
);
create unique index payout_addresses_wallet on payout_addresses (user_id, coin, payout_key(coin, wallet))
  where removed_at is null and wallet is not null;
create unique index payout_addresses_bank on payout_addresses (user_id, bank_fingerprint)
  where removed_at is null and bank_fingerprint is not null;
grant select, insert (id, user_id, name, method, coin, wallet, bank_name, bank_ending, bank_sealed, bank_fingerprint, beneficiary, hosted_by),
  update (removed_at, bank_sealed, bank_fingerprint) on payout_addresses to cleartick_app;

create function payout_addresses_change() returns trigger language plpgsql as $$
begin
  if old.removed_at is not null and new.removed_at is distinct from old.removed_at
    or new.bank_sealed is not distinct from old.bank_sealed and new.bank_fingerprint is distinct from old.bank_fingerprint then
    raise exception 'the address % is final', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger payout_addresses_change before update on payout_addresses
  for each row execute function payout_addresses_change();
create trigger payout_addresses_are_kept before delete or truncate on payout_addresses
  for each statement execute function refuse_change();

-- Who withdraws to their address book only. Turning it off takes 24 hours.
create table payout_guards (
  user_id bigint primary key references users,
  on_since timestamptz not null default clock_timestamp(),
  off_at timestamptz
);
grant select, insert (user_id), update (on_since, off_at) on payout_guards to cleartick_app;

create function payout_guards_change() returns trigger language plpgsql as $$
begin
  if new.off_at is not null and old.off_at is null then
    new.off_at = clock_timestamp() + interval '24 hours';
    new.on_since = old.on_since;
  elsif new.off_at is not null then
    new.off_at = old.off_at;
    new.on_since = old.on_since;
  elsif old.off_at <= clock_timestamp() then
    new.on_since = clock_timestamp();
  else
    new.on_since = old.on_since;
  end if;
  return new;
end
$$;
create trigger payout_guards_change before update on payout_guards
  for each row execute function payout_guards_change();
create trigger payout_guards_are_kept before delete or truncate on payout_guards
  for each statement execute function refuse_change();

-- The entry of the book that a withdrawal goes to, as the database found it.
alter table withdrawals add column address_id bigint;
alter table withdrawals add constraint withdrawals_address foreign key (address_id) references payout_addresses not valid;

create function withdrawals_follow_the_book() returns trigger language plpgsql as $$
declare
  entry payout_addresses;
begin
  select * into entry from payout_addresses a
  where a.user_id = new.user_id and a.removed_at is null and (
    a.coin = new.coin and payout_key(a.coin, a.wallet) = payout_key(new.coin, new.wallet)
    or a.bank_fingerprint = new.bank_fingerprint
  );
  new.address_id = entry.id;
  if (entry.id is null or entry.usable_at > clock_timestamp()) and exists (
    select from payout_guards g where g.user_id = new.user_id and coalesce(g.off_at, 'infinity') > clock_timestamp()
  ) then
    raise exception 'user % withdraws to their address book only', new.user_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger withdrawals_follow_the_book before insert on withdrawals
  for each row execute function withdrawals_follow_the_book();
