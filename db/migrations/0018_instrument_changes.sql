-- Up Migration
-- Instruments are added, closed and reopened by two admins: one proposes, another decides.

create type instrument_change_kind as enum ('add', 'close', 'reopen');

create table instrument_changes (
  id bigint generated always as identity primary key,
  kind instrument_change_kind not null,
  symbol text not null check (symbol ~ '^[A-Z0-9]{2,20}$'),
  -- The terms of an instrument that is added.
  base text,
  quote text,
  trading_type trading_type,
  scale smallint check (scale between 0 and 15),
  min_sources smallint check (min_sources between 1 and 10),
  largest_spread_bps integer check (largest_spread_bps between 1 and 5000),
  largest_deviation_bps integer check (largest_deviation_bps between 1 and 5000),
  -- Why it is closed, as text for the trader.
  closed_reason text check (length(closed_reason) between 1 and 200),
  reason text not null check (length(reason) between 1 and 500),
  status decision_status not null default 'Pending',
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  constraint instrument_changes_terms check (
    case kind
      when 'add' then num_nulls(base, quote, trading_type, scale, min_sources, largest_spread_bps, largest_deviation_bps) = 0
        and base <> quote and symbol = base || quote
      else num_nonnulls(base, quote, trading_type, scale, min_sources, largest_spread_bps, largest_deviation_bps) = 0
    end
  ),
  constraint instrument_changes_closed_reason check ((kind = 'close') = (closed_reason is not null)),
  constraint instrument_changes_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint instrument_changes_four_eyes check (decided_by <> proposed_by),
  constraint instrument_changes_reason check ((status = 'Rejected') = (decision_reason is not null))
);
create unique index instrument_changes_pending on instrument_changes (symbol) where status = 'Pending';
create trigger instrument_changes_decided_once before update on instrument_changes for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger instrument_changes_are_kept before delete on instrument_changes for each statement execute function refuse_change();
create trigger instrument_changes_two_people after insert or update of decided_by on instrument_changes
  for each row execute function require_two_people('proposed_by', 'decided_by');
grant select, insert on instrument_changes to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason) on instrument_changes to cleartick_app;

-- An instrument changes as a proposal says that another operator approved in the same transaction. Only migrations, which
-- run as the owner, change instruments without one.
create function instruments_change_by_two_people() returns trigger language plpgsql as $$
begin
  if current_user = (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid) then
    return coalesce(new, old);
  end if;
  if tg_op = 'DELETE' or not exists (
    select from instrument_changes c where c.symbol = new.symbol and c.status = 'Approved'
      and c.decided_by is not null and c.decided_at >= transaction_timestamp()
      and c.closed_reason is not distinct from new.closed_reason
      and case when tg_op = 'INSERT' then
        c.kind = 'add'
        and (c.base, c.quote, c.trading_type, c.scale, c.min_sources, c.largest_spread_bps, c.largest_deviation_bps)
          = (new.base, new.quote, new.trading_type, new.scale, new.min_sources, new.largest_spread_bps, new.largest_deviation_bps)
      else
        c.kind <> 'add' and to_jsonb(new) - 'closed_reason' = to_jsonb(old) - 'closed_reason'
      end
  ) then
    raise exception 'this change of the instrument % was not approved by two operators', coalesce(new.symbol, old.symbol)
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger instruments_change_by_two_people before insert or update or delete on instruments
  for each row execute function instruments_change_by_two_people();
grant insert, update (closed_reason) on instruments to cleartick_app;
