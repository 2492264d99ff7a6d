-- Up Migration
-- Demo trades of a day that `npm run archive` removed without files. What checkpoints state of them stays: their ids and
-- the hash of their leaves, in the order of the checkpoints.
create table expired_days (
  day date primary key,
  trades bigint not null check (trades > 0),
  transfers bigint not null check (transfers >= 2 * trades),
  result bigint not null,
  last_at timestamptz not null,
  keys integer not null check (keys >= 0),
  trade_ids bytea not null check (octet_length(trade_ids) = 8 * trades),
  leaves bytea not null check (octet_length(leaves) = 32),
  expired_at timestamptz not null default clock_timestamp(),
  removed_in xid8 not null default pg_current_xact_id()
);
create trigger expired_days_are_final before update or delete on expired_days
  for each statement execute function refuse_change();
create trigger expired_days_are_kept before truncate on expired_days
  for each statement execute function refuse_change();
grant select on expired_days to cleartick_app;

create or replace function transfers_leave_archived() returns trigger language plpgsql as $$
begin
  if exists (
    select from (
      select count(*) as transfers, bool_and(cause in ('trade_open', 'trade_settle')) as of_trades,
        coalesce(sum(case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end) filter (where mode = 'real'), 0) as real_result,
        coalesce(sum(case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end) filter (where mode = 'demo'), 0) as demo_result,
        count(*) filter (where mode = 'real') as of_real
      from removed
    ) r left join (
      select removed_in, transfers, real_result, demo_result, false as of_demo from archived_days
      union all
      select removed_in, transfers, 0, result, true from expired_days
    ) d on d.removed_in = pg_current_xact_id()
    where r.transfers > 0 and (r.of_trades and r.transfers = d.transfers and r.real_result = d.real_result and r.demo_result = d.demo_result
      and not (d.of_demo and r.of_real > 0)) is not true
  ) then
    raise exception 'movements can only be archived' using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;
