-- Up Migration
-- Payments that belong to no known deposit: by card, or coins that an operator found at an address. Finance assigns one to a
-- trader as a deposit that two people approve, or two send it back.
create table unknown_deposits (
  id bigint generated always as identity primary key,
  -- Null: a card payment.
  coin coin,
  -- The payment at its provider, or the transaction.
  reference text not null check (length(reference) between 1 and 255),
  -- What it was worth when it arrived.
  amount cents not null check (amount > 0),
  coins numeric(24, 8) check (coins > 0),
  rate numeric check (rate > 0),
  address text check (length(address) between 1 and 128),
  arrived_at timestamptz not null default clock_timestamp(),
  -- Null: an event of the card provider.
  recorded_by bigint references operators,
  created_at timestamptz not null default clock_timestamp(),
  -- The newest deposit that it was assigned to. It's open again once that is rejected.
  deposit_id bigint unique references deposits,
  assigned_by bigint references operators,
  returned_at timestamptz,
  constraint unknown_deposits_source check (
    case when coin is null then num_nonnulls(coins, rate, address, recorded_by) = 0
      else num_nulls(coins, rate, address, recorded_by) = 0 and abs(coins * rate * 100 - amount) <= 0.5
        and reference ~ case coin when 'BTC' then '^[0-9a-f]{64}$' else '^0x[0-9a-f]{64}$' end end
  ),
  constraint unknown_deposits_assigned check ((deposit_id is null) = (assigned_by is null)),
  constraint unknown_deposits_past check (arrived_at <= created_at)
);
create unique index unknown_deposits_once on unknown_deposits (reference, coin) nulls not distinct;
create index unknown_deposits_waiting on unknown_deposits (id) where returned_at is null;
grant select, insert (coin, reference, amount, coins, rate, address, arrived_at, recorded_by) on unknown_deposits to cleartick_app;
grant update (deposit_id, assigned_by, returned_at) on unknown_deposits to cleartick_app;

create function unknown_deposits_change() returns trigger language plpgsql as $$
begin
  if old.returned_at is not null or exists (select from deposits where id = old.deposit_id and status <> 'Rejected') then
    raise exception 'unknown deposit % is decided', old.id
      using errcode = 'integrity_constraint_violation', constraint = 'unknown_deposits_change';
  end if;
  if new.returned_at is not null and not exists (select from approved_now('deposit-returns', new.id::text)) then
    raise exception 'the return of unknown deposit % was not approved by two people', old.id
      using errcode = 'integrity_constraint_violation', constraint = 'unknown_deposits_returned_by_two';
  end if;
  if new.deposit_id is distinct from old.deposit_id and not exists (
    select from deposits d where d.id = new.deposit_id and d.status = 'Pending' and d.submitted = new.amount
      and (d.coin, d.coin_amount, d.rate, d.address) is not distinct from (new.coin, new.coins, new.rate, new.address)
      and d.provider_reference is not distinct from case when new.coin is null then new.reference end
  ) then
    raise exception 'unknown deposit % is not what was assigned', old.id
      using errcode = 'integrity_constraint_violation', constraint = 'unknown_deposits_change';
  end if;
  return new;
end
$$;
create trigger unknown_deposits_change before update on unknown_deposits for each row execute function unknown_deposits_change();
create trigger unknown_deposits_are_kept before delete or truncate on unknown_deposits
  for each statement execute function refuse_change();

-- Those that nothing led to until now.
insert into unknown_deposits (reference, amount, arrived_at, created_at)
select payment, amount, at, at from uncredited_payments where deposit_id is null and closed_at is null;
delete from uncredited_payments where deposit_id is null and closed_at is null;

-- A deposit in coins has a payment proof of its trader, or was assigned to them.
alter table deposits drop constraint deposits_method;
alter table deposits add constraint deposits_method check (
  case method
    when 'crypto' then num_nulls(coin, coin_amount, rate, address) = 0 and provider_reference is null
      and (receipt is null) = (receipt_hash is null) and (receipt is not null or requested_at is null)
    else num_nonnulls(coin, coin_amount, rate, address, receipt, receipt_hash) = 0 end
) not valid;
create function deposits_without_proof_are_assigned() returns trigger language plpgsql as $$
begin
  if not exists (select from unknown_deposits where deposit_id = new.id) then
    raise exception 'deposit % has no payment proof', new.id
      using errcode = 'integrity_constraint_violation', constraint = 'deposits_without_proof_are_assigned';
  end if;
  return null;
end
$$;
create constraint trigger deposits_without_proof_are_assigned after insert on deposits deferrable initially deferred
  for each row when (new.method = 'crypto' and new.receipt is null) execute function deposits_without_proof_are_assigned();

-- What was assigned takes two people, of whom the first is who assigned it.
create or replace function deposit_would_take_two(deposit bigint, to_credit bigint, approver bigint) returns boolean
language sql stable as $$
  select to_credit > d.submitted
    or exists (select from unknown_deposits u where u.deposit_id = d.id)
    or to_credit + coalesce(sum(a.amount) filter (where a.user_id = d.user_id), 0) > min(s.deposit_two_person_above)
    or to_credit + coalesce(sum(a.amount) filter (where a.item = 'deposit'), 0) > min(s.deposit_operator_day_above)
  from cashier_settings s, deposits d left join approved_alone(approver) a on true where d.id = deposit group by d.id
$$;
create or replace function deposit_approvals_match() returns trigger language plpgsql as $$
begin
  perform from deposits d where d.id = new.deposit_id and d.status = 'Pending'
    and (d.method = 'crypto' or exists (select from unknown_deposits u where u.deposit_id = d.id)) for no key update;
  if not found then
    raise exception 'deposit % is not pending', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  if exists (select from deposit_approvals where deposit_id = new.deposit_id and amount <> new.amount) then
    raise exception 'deposit % was approved with another amount', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create or replace function deposits_change_status() returns trigger language plpgsql as $$
declare
  approvers bigint[];
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
  elsif new.status = 'Approved' and (new.method = 'crypto' or exists (select from unknown_deposits u where u.deposit_id = new.id)) then
    select array_agg(operator_id) into approvers from deposit_approvals where deposit_id = new.id and amount = new.credited;
    if approvers is null or cardinality(approvers) = 1 and deposit_takes_two(new.id, new.credited, approvers[1]) then
      raise exception 'deposit % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return new;
end
$$;
