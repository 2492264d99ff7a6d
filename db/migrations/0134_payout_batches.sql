-- Up Migration
-- Coin withdrawals that operators pay together, from one file for their wallet. Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0134_payout_batches', '0123_solvency_entries_in_parts');

create table payout_batches (
  id bigint primary key,
  coin coin not null,
  created_by bigint not null references operators,
  created_at timestamptz not null default clock_timestamp()
);
create index payout_batches_created_by on payout_batches (created_by);
grant select, insert (id, coin, created_by) on payout_batches to cleartick_app;
create trigger payout_batches_are_final before update or delete or truncate on payout_batches
  for each statement execute function refuse_change();

create table payout_batch_items (
  batch_id bigint not null references payout_batches,
  withdrawal_id bigint not null references withdrawals,
  -- When it was taken out without being paid.
  removed_at timestamptz,
  primary key (batch_id, withdrawal_id)
);
-- A withdrawal is in one batch.
create unique index payout_batch_items_present on payout_batch_items (withdrawal_id) where removed_at is null;
grant select, insert (batch_id, withdrawal_id), update (removed_at) on payout_batch_items to cleartick_app;

create function payout_batch_items_change() returns trigger language plpgsql as $$
declare
  found withdrawals;
begin
  select * into found from withdrawals where id = new.withdrawal_id for no key update;
  if found.status <> 'Processing' then
    raise exception 'withdrawal % is not to be paid', new.withdrawal_id using errcode = 'integrity_constraint_violation';
  end if;
  if tg_op = 'UPDATE' then
    if old.removed_at is not null or (new.batch_id, new.withdrawal_id) is distinct from (old.batch_id, old.withdrawal_id) then
      raise exception 'withdrawal % was taken out of its batch once', old.withdrawal_id using errcode = 'integrity_constraint_violation';
    end if;
    new.removed_at = clock_timestamp();
  elsif new.removed_at is not null or found.rate is null
    or found.coin is distinct from (select coin from payout_batches where id = new.batch_id) then
    raise exception 'withdrawal % has no fixed amount in the coin of its batch', new.withdrawal_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger payout_batch_items_change before insert or update on payout_batch_items
  for each row execute function payout_batch_items_change();
create trigger payout_batch_items_are_kept before delete or truncate on payout_batch_items
  for each statement execute function refuse_change();

-- A withdrawal in a batch is paid with it, at the amount of its file, and leaves it only by being taken out.
create function withdrawals_stay_in_their_batch() returns trigger language plpgsql as $$
declare
  batch bigint;
begin
  select batch_id into batch from payout_batch_items where withdrawal_id = new.id and removed_at is null;
  if new.status = 'Paid' then
    if new.payout_id <> coalesce(batch, new.id) then
      raise exception 'withdrawal % is paid by another payout', new.id using errcode = 'integrity_constraint_violation';
    end if;
  elsif batch is not null and (new.status, new.coin_amount, new.rate) is distinct from (old.status, old.coin_amount, old.rate) then
    raise exception 'withdrawal % is in payout batch %', new.id, batch using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger withdrawals_stay_in_their_batch before update on withdrawals for each row
  when (old.status = 'Processing') execute function withdrawals_stay_in_their_batch();

alter table withdrawals drop constraint withdrawals_payout;
alter table withdrawals add constraint withdrawals_payout check (
  case when status = 'Paid' and coin is not null then payout_id is not null and rate is not null else payout_id is null end
) not valid;
