-- Up Migration
-- Grants of demo balance (the first one and resets) and the keys of resets that `npm run archive` removed, one row for each
-- run. They are of days before `until`.
create table expired_grants (
  until date primary key,
  grants bigint not null check (grants >= 0),
  -- What they added to balances, in cents.
  granted bigint not null,
  -- The time of the newest of these movements.
  last_at timestamptz,
  keys bigint not null check (keys >= 0),
  expired_at timestamptz not null default clock_timestamp(),
  -- The transaction that removed the rows.
  removed_in xid8 not null default pg_current_xact_id(),
  constraint expired_grants_some check (grants + keys > 0),
  constraint expired_grants_last_at check ((last_at is null) = (grants = 0) and (last_at is null or (last_at at time zone 'UTC')::date < until))
);
create trigger expired_grants_are_final before update or delete on expired_grants
  for each statement execute function refuse_change();
create trigger expired_grants_are_kept before truncate on expired_grants
  for each statement execute function refuse_change();
grant select on expired_grants to cleartick_app;

-- What the removed grants of an account summed up to.
create table expired_grant_sums (
  account_id bigint primary key references accounts,
  grants bigint not null check (grants > 0),
  granted bigint not null,
  -- The newest removed movement. Up to here the movements that are left have gaps between their numbers.
  last_seq bigint not null,
  last_at timestamptz not null,
  constraint expired_grant_sums_fit check (last_seq >= grants)
);
create trigger expired_grant_sums_are_kept before delete or truncate on expired_grant_sums
  for each statement execute function refuse_change();
grant select on expired_grant_sums to cleartick_app;

-- Movements leave only in the transaction that records them, and only as many and as much as it says: those of trades with
-- their day, and grants of demo balance by themselves.
create or replace function transfers_leave_archived() returns trigger language plpgsql as $$
begin
  if exists (
    select from (
      select count(*) as transfers, bool_and(cause in ('trade_open', 'trade_settle')) as of_trades, bool_and(cause = 'demo_grant') as of_grants,
        coalesce(sum(case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end) filter (where mode = 'real'), 0) as real_result,
        coalesce(sum(case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end) filter (where mode = 'demo'), 0) as demo_result,
        count(*) filter (where mode = 'real') as of_real
      from removed
    ) r left join (
      select removed_in, transfers, real_result, demo_result, false as of_demo, false as of_grants from archived_days
      union all
      select removed_in, transfers, 0, result, true, false from expired_days
      union all
      select removed_in, grants, 0, granted, true, true from expired_grants
    ) d on d.removed_in = pg_current_xact_id()
    where r.transfers > 0 and (case when d.of_grants then r.of_grants else r.of_trades end
      and r.transfers = d.transfers and r.real_result = d.real_result and r.demo_result = d.demo_result
      and not (d.of_demo and r.of_real > 0)) is not true
  ) then
    raise exception 'movements can only be archived' using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;

-- Keys of requests stay, but for those of resets, which leave only as many as their record says.
create function request_keys_expire() returns trigger language plpgsql as $$
begin
  if exists (
    select from (
      select count(*) as keys, bool_and(effect = 'demo_reset') as of_resets, max(at) as last_at from removed
    ) r left join expired_grants e on e.removed_in = pg_current_xact_id()
    where r.keys > 0 and (r.of_resets and r.keys = e.keys and (r.last_at at time zone 'UTC')::date < e.until) is not true
  ) then
    raise exception 'only keys of demo resets can expire' using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;
create trigger request_keys_expire after delete on request_keys
  referencing old table as removed for each statement execute function request_keys_expire();
create or replace trigger request_keys_are_final before update on request_keys
  for each statement execute function refuse_change();
create trigger request_keys_are_kept before truncate on request_keys
  for each statement execute function refuse_change();
