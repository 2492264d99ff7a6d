-- Up Migration
-- How much each lane that accepts orders may still add to the house's worst loss, by factor or symbol and direction.
alter table trading_limits add column worst_loss_percent smallint not null default 50;
alter table trading_limits add constraint trading_limits_worst_loss check (worst_loss_percent between 1 and 100) not valid;
grant update (worst_loss_percent) on trading_limits to cleartick_app;

create table risk_limits (
  -- A factor or a symbol. Without a row, only the share of the equity limits it.
  name text primary key check (length(name) between 1 and 20),
  loss_max cents not null check (loss_max >= 0)
);
grant select, insert, delete on risk_limits to cleartick_app;
grant update (loss_max) on risk_limits to cleartick_app;

create sequence risk_lane_numbers as integer;
create table risk_lanes (
  lane integer primary key,
  seen_at timestamptz not null default clock_timestamp()
);
grant usage on sequence risk_lane_numbers to cleartick_app;
grant select, insert, delete, update (seen_at) on risk_lanes to cleartick_app;

create table risk_rooms (
  lane integer not null references risk_lanes on delete cascade,
  -- Twice the number of the factor, or 1000 and twice the symbol's if it has a limit; 1 more for down (server/risk/room-numbers.ts).
  room integer not null,
  -- Both only grow, but for grants that the engine reduces.
  granted cents not null default 0,
  used cents not null default 0,
  -- The largest profit that an order of the lane had no room for since the engine's last answer.
  wanted cents not null default 0,
  -- The room of all lanes together at the last count, if it was small; below 0: real trading is closed.
  room_left cents,
  primary key (lane, room),
  constraint risk_rooms_within_grant check (used >= 0 and used <= granted)
) with (fillfactor = 50);
grant select, insert, delete, update (granted, used, wanted, room_left) on risk_rooms to cleartick_app;

-- The last count: a second engine that counted before it grants nothing.
create table risk_count (
  only_row boolean primary key default true check (only_row),
  round bigint not null default 0,
  counted_at timestamptz not null default '-infinity',
  -- The figures, in cents as text; null before the first count.
  figures jsonb
) with (fillfactor = 50);
insert into risk_count default values;
grant select, update (round, counted_at, figures) on risk_count to cleartick_app;
