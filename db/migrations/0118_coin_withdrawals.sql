-- Up Migration
-- A coin withdrawal keeps the coins that are sent, their rate and its time, and the transaction that paid it.
-- Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0118_coin_withdrawals', '0115_uncredited_payments');

-- What was paid by which transaction of a blockchain.
create table coin_transactions (
  coin coin not null,
  transaction_id text not null,
  -- The one withdrawal that it paid, or the batch whose withdrawals it paid.
  payout_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  primary key (coin, transaction_id),
  constraint coin_transactions_of_payout unique (coin, transaction_id, payout_id),
  constraint coin_transactions_id check (
    transaction_id ~ case coin when 'BTC' then '^[0-9a-f]{64}$' else '^0x[0-9a-f]{64}$' end
  )
);
grant select, insert (coin, transaction_id, payout_id) on coin_transactions to cleartick_app;
create trigger coin_transactions_are_final before update or delete or truncate on coin_transactions
  for each statement execute function refuse_change();

alter table withdrawals
  add column coin_amount numeric(24, 8),
  -- US dollars per coin on the tape, the source time of that price, and where it came from.
  add column rate numeric,
  add column rate_at timestamptz,
  add column rate_source price_source,
  add column payout_id bigint;
-- Those that were paid before this migration have no rate and no transaction: verify asks for them from then on.
alter table cashier_settings add column coin_transactions_since timestamptz not null default now();
alter table withdrawals
  add constraint withdrawals_rate check (
    num_nulls(coin_amount, rate, rate_at) in (0, 3)
    and (rate is null or coin is not null and rate > 0 and coin_amount > 0 and abs(coin_amount * rate * 100 - amount) <= rate / 1000000)
  ) not valid,
  add constraint withdrawals_payout check (
    case when status = 'Paid' and coin is not null then payout_id is not distinct from id and rate is not null else payout_id is null end
  ) not valid,
  add constraint withdrawals_transaction foreign key (coin, reference, payout_id)
    references coin_transactions (coin, transaction_id, payout_id) not valid;
grant update (coin_amount, rate, rate_at, rate_source, payout_id) on withdrawals to cleartick_app;

create or replace function withdrawals_change_status() returns trigger language plpgsql as $$
declare
  approvers bigint[];
begin
  if tg_op = 'INSERT' then
    if new.status <> 'Pending' or new.rate is not null then
      raise exception 'withdrawal % does not begin as Pending', new.id using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if new.bank_sealed is distinct from old.bank_sealed
    and to_jsonb(new) - 'bank_sealed' - 'bank_fingerprint' = to_jsonb(old) - 'bank_sealed' - 'bank_fingerprint' then
    return new;
  end if;
  -- The coins are fixed for the payment. A new rate replaces only one that is over.
  if (new.coin_amount, new.rate, new.rate_at, new.rate_source) is distinct from (old.coin_amount, old.rate, old.rate_at, old.rate_source) then
    if old.status <> 'Processing' or new.status not in ('Processing', 'Paid')
      or old.rate is not null and (new.status = 'Paid' or old.rate_at > clock_timestamp() - interval '15 minutes') then
      raise exception 'the coins of withdrawal % are fixed', new.id using errcode = 'integrity_constraint_violation';
    end if;
    if new.status = 'Processing' and to_jsonb(new) - '{coin_amount,rate,rate_at,rate_source}'::text[]
      = to_jsonb(old) - '{coin_amount,rate,rate_at,rate_source}'::text[] then
      return new;
    end if;
  end if;
  if (old.status, new.status) not in (
    ('Pending', 'Processing'), ('Pending', 'Rejected'), ('Pending', 'Cancelled'), ('Processing', 'Paid'), ('Processing', 'Rejected')
  ) then
    raise exception 'withdrawal % does not go from % to %', new.id, old.status, new.status using errcode = 'integrity_constraint_violation';
  end if;
  if old.processing_at is not null and new.processing_at is distinct from old.processing_at then
    raise exception 'withdrawal % was approved once', new.id using errcode = 'integrity_constraint_violation';
  end if;
  if new.status = 'Processing' then
    select array_agg(operator_id) into approvers from withdrawal_approvals where withdrawal_id = new.id;
    if approvers is null or cardinality(approvers) = 1 and withdrawal_takes_two(new.id, approvers[1]) then
      raise exception 'withdrawal % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return new;
end
$$;
