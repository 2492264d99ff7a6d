-- Up Migration
-- Taking out an exchange that symbols can't do without is a proposal, decided like every other one.
create type venue_switch_status as enum ('Pending', 'Approved', 'Rejected', 'Withdrawn', 'Done');

alter table venue_switches
  -- Done: it took effect at once, because no symbol lost its price.
  add status venue_switch_status,
  -- How many symbols would have no price, when it was proposed.
  add symbols_lost integer check (symbols_lost > 0),
  add decision_reason text check (length(decision_reason) between 1 and 500);

drop trigger venue_switches_decided_once on venue_switches;
-- A proposal that nobody has confirmed has to be made again.
update venue_switches set status = case
  when not needs_two then 'Done'
  when decided_by is not null then 'Approved'
  else 'Withdrawn'
end::venue_switch_status;
alter table venue_switches
  alter status set not null,
  drop constraint venue_switches_decided,
  drop constraint venue_switches_back_alone,
  drop column needs_two,
  add constraint venue_switches_decided check ((status in ('Approved', 'Rejected')) = (decided_by is not null) and (decided_by is null) = (decided_at is null)),
  add constraint venue_switches_reason check ((status = 'Rejected') = (decision_reason is not null)),
  add constraint venue_switches_back_alone check (is_out or status = 'Done');
create unique index venue_switches_pending on venue_switches (venue) where status = 'Pending';
create trigger venue_switches_decided_once before update on venue_switches for each row when (old.status <> 'Pending')
  execute function refuse_change();
grant update (status, decision_reason) on venue_switches to cleartick_app;

-- For the next migration: a new value of an enum can be used once it is committed.
alter type instrument_change_kind add value 'change';
alter type instrument_change_kind add value 'withdraw';
