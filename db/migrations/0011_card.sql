-- Up Migration
-- What the card provider told by its signed word: each event is taken once, whatever it was.
create table card_events (
  id text primary key check (length(id) between 1 and 255),
  kind text not null check (length(kind) <= 100),
  deposit_id bigint references deposits,
  at timestamptz not null default clock_timestamp()
);
create index card_events_of_deposit on card_events (deposit_id) where deposit_id is not null;
create trigger card_events_are_final before update or delete on card_events for each statement execute function refuse_change();
grant select, insert on card_events to cleartick_app;
