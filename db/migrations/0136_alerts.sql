-- Up Migration
-- What traders want to be notified of, judged by the engine on the tape. Each fires once, with its notification, and is
-- kept afterwards. Not money.
alter type notice_kind add value 'alert';

create type alert_kind as enum ('price', 'move', 'indicator');
create type alert_direction as enum ('up', 'down', 'either');

create table alerts (
  id bigint generated always as identity,
  user_id bigint not null references users (id),
  -- One of the account's places: it never has more alerts than places.
  slot smallint not null check (slot between 1 and 200),
  kind alert_kind not null,
  symbol_id smallint not null references instruments (id),
  direction alert_direction not null,
  -- A price, at the symbol's scale.
  level bigint check (level > 0),
  -- Whether the price has to rise to it.
  rises boolean,
  -- A move, in hundredths of a percent, and within how long.
  basis_points int check (basis_points > 0),
  minutes smallint check (minutes > 0),
  -- An indicator on closed candles, and the value that it has to cross.
  indicator text check (length(indicator) between 1 and 20),
  inputs double precision[],
  output text check (length(output) between 1 and 20),
  interval_ms int check (interval_ms > 0),
  threshold double precision,
  -- The tick when it was armed. Only later ones count.
  base_price bigint not null check (base_price > 0),
  base_seq bigint not null,
  base_ms bigint not null,
  -- Rises each time that it is armed: what the engine judged by older terms doesn't fire it.
  arming int not null default 1,
  armed_at timestamptz not null default clock_timestamp(),
  -- The transaction that last armed it, by which engines find what is new.
  changed xid8 not null default pg_current_xact_id(),
  -- The tick that fired it. Of an indicator, the last one of its candle.
  fired_at timestamptz,
  fired_price bigint,
  fired_seq bigint,
  fired_ms bigint,
  fired_value double precision,
  notice_id bigint,
  -- Prices of this time were not checked.
  unchecked_from bigint,
  unchecked_until bigint,
  primary key (user_id, id),
  constraint alerts_slot unique (user_id, slot),
  constraint alerts_terms check (
    case kind
      when 'price' then num_nonnulls(level, rises) = 2
      when 'move' then num_nonnulls(basis_points, minutes) = 2
      else num_nonnulls(indicator, inputs, output, interval_ms, threshold) = 5
    end
  ),
  constraint alerts_fired check (num_nonnulls(fired_at, fired_price, fired_seq, fired_ms, notice_id) in (0, 5))
);
create index alerts_armed on alerts (changed) where fired_at is null;
grant select, insert, update, delete on alerts to cleartick_app;

-- Up to where the tape was judged. One row.
create table alert_head (
  judged_ms bigint not null
);
insert into alert_head (judged_ms) values (0);
create unique index alert_head_one on alert_head ((true));
grant select, update on alert_head to cleartick_app;
