-- Up Migration
-- Exchanges that operators take out of all prices, and put back. A venue is as its newest effective row says.

create table venue_switches (
  id bigint generated always as identity primary key,
  venue text not null check (venue ~ '^[a-z][a-z0-9]{0,31}$'),
  is_out boolean not null,
  reason text not null check (length(reason) between 1 and 500),
  -- Without the venue, symbols would have no price: the row takes effect once a second operator has decided.
  needs_two boolean not null,
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  constraint venue_switches_decided check ((decided_by is null) = (decided_at is null) and (needs_two or decided_by is null)),
  constraint venue_switches_four_eyes check (decided_by <> proposed_by),
  constraint venue_switches_back_alone check (is_out or not needs_two)
);
create index venue_switches_newest on venue_switches (venue, id desc);
create trigger venue_switches_decided_once before update on venue_switches for each row when (old.decided_by is not null)
  execute function refuse_change();
create trigger venue_switches_are_kept before delete on venue_switches for each statement execute function refuse_change();
create trigger venue_switches_two_people after update of decided_by on venue_switches
  for each row execute function require_two_people('proposed_by', 'decided_by');
grant select, insert on venue_switches to cleartick_app;
grant update (decided_by, decided_at) on venue_switches to cleartick_app;
