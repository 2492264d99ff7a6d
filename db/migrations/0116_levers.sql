-- Up Migration
-- Emergency levers: one operator pulls one, two release it. What isn't pulled has no row without an end.
create type lever_kind as enum ('real-trading', 'symbol', 'withdrawals', 'maintenance');

create table levers (
  id bigint generated always as identity primary key,
  kind lever_kind not null,
  -- Its name, because an instrument that is withdrawn and added again gets another id.
  symbol text check (length(symbol) between 1 and 20),
  -- What everyone reads.
  notice text check (length(notice) between 1 and 300),
  reason text not null check (length(reason) between 1 and 500),
  pulled_by bigint not null references operators,
  pulled_at timestamptz not null,
  released_at timestamptz,
  constraint levers_of_symbol check ((kind = 'symbol') = (symbol is not null)),
  constraint levers_notice check ((kind = 'maintenance') = (notice is not null))
);
create unique index levers_pulled on levers (kind, coalesce(symbol, '')) where released_at is null;
create index levers_pulled_by on levers (pulled_by);

-- A payout under way takes this lock shared, so none commits after withdrawals are paused.
create function levers_are_dated() returns trigger language plpgsql as $$
begin
  if new.kind = 'withdrawals' then
    perform pg_advisory_xact_lock(hashtext('payout_halts'));
  end if;
  new.pulled_at = clock_timestamp();
  return new;
end
$$;
create trigger levers_are_dated before insert on levers for each row execute function levers_are_dated();

create function levers_release_by_two_people() returns trigger language plpgsql as $$
begin
  if not exists (select from approved_now('lever-releases', old.id::text)) then
    raise exception 'the release of lever % was not approved by two operators', old.id using errcode = 'integrity_constraint_violation';
  end if;
  new.released_at = clock_timestamp();
  return new;
end
$$;
create trigger levers_release_by_two_people before update on levers for each row when (old.released_at is null)
  execute function levers_release_by_two_people();
create trigger levers_released_once before update on levers for each row when (old.released_at is not null)
  execute function refuse_change();
create trigger levers_are_kept before delete or truncate on levers for each statement execute function refuse_change();

-- The symbols that nobody can trade, and -1 while nobody can trade with real money. A statement that calls it reads what
-- was committed by then, not what was when it began.
create function trading_stops() returns table (symbol_id int) language plpgsql as $$
begin
  return query
    select case l.kind when 'symbol' then i.id::int else -1 end
    from levers l left join instruments i on i.symbol = l.symbol
    where l.released_at is null and l.kind in ('real-trading', 'symbol');
end
$$;

create or replace function payouts_halted() returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('payout_halts'));
  return exists (select from payout_halts where ended_at is null)
    or exists (select from levers where kind = 'withdrawals' and released_at is null);
end
$$;

grant select, insert (kind, symbol, notice, reason, pulled_by), update (released_at) on levers to cleartick_app;
