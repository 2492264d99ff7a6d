-- Up Migration
-- How the outcomes of signals are spread over candle closes, for intervals that count closes instead of signals.

-- Decided signals of each close.
create table signal_closes (
  candle_close bigint not null,
  strategy strategy not null,
  version smallint not null,
  duration_seconds integer not null,
  -- 0 live, 1 replay, 2 simulation
  source_kind smallint not null,
  buy_won integer not null,
  buy_lost integer not null,
  sell_won integer not null,
  sell_lost integer not null,
  primary key (candle_close, strategy, version, duration_seconds, source_kind)
);
grant select on signal_closes to cleartick_app;

-- Sums over the closes of each hour, by the sides that are followed.
create table signal_spreads (
  duration_seconds integer not null,
  source_kind smallint not null,
  sides text not null check (sides in ('both', 'Buy', 'Sell')),
  strategy strategy not null,
  version smallint not null,
  -- Start of the hour of the closes, Unix ms.
  hour bigint not null check (hour % 3600000 = 0),
  won bigint not null,
  lost bigint not null,
  -- Closes with a decided signal, and their sums of won², won × lost and lost².
  closes bigint not null,
  ww bigint not null,
  wl bigint not null,
  ll bigint not null,
  primary key (duration_seconds, source_kind, sides, strategy, version, hour)
);
grant select on signal_spreads to cleartick_app;

-- The closes from this time on (Unix ms) are in both tables. Earlier signals are counted as one close an hour, which is
-- valid too: an interval from fewer, larger groups is wider, not wrong.
alter table signal_head add column closes_from bigint not null default 0;

-- Counts signals that were decided, in the statement that decides them, whichever version of the product runs it.
create function signals_count_closes() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  with decided as (
    select a.candle_close, a.strategy, a.version, a.duration_seconds, a.source_kind,
      count(*) filter (where a.side = 'Buy' and a.status = 'Won') as buy_won,
      count(*) filter (where a.side = 'Buy' and a.status = 'Lost') as buy_lost,
      count(*) filter (where a.side = 'Sell' and a.status = 'Won') as sell_won,
      count(*) filter (where a.side = 'Sell' and a.status = 'Lost') as sell_lost
    from after a join before b using (n)
    where b.status = 'Pending' and a.status in ('Won', 'Lost')
    group by 1, 2, 3, 4, 5
  ), counted as (
    insert into signal_closes as c
      (candle_close, strategy, version, duration_seconds, source_kind, buy_won, buy_lost, sell_won, sell_lost)
    select * from decided order by 1, 2, 3, 4, 5
    on conflict (candle_close, strategy, version, duration_seconds, source_kind) do update set
      buy_won = c.buy_won + excluded.buy_won, buy_lost = c.buy_lost + excluded.buy_lost,
      sell_won = c.sell_won + excluded.sell_won, sell_lost = c.sell_lost + excluded.sell_lost
    returning with (old as was, new as now) now.*,
      coalesce(was.buy_won, 0) as old_buy_won, coalesce(was.buy_lost, 0) as old_buy_lost,
      coalesce(was.sell_won, 0) as old_sell_won, coalesce(was.sell_lost, 0) as old_sell_lost
  )
  insert into signal_spreads as s (duration_seconds, source_kind, sides, strategy, version, hour, won, lost, closes, ww, wl, ll)
  select c.duration_seconds, c.source_kind, d.sides, c.strategy, c.version, c.candle_close / 3600000 * 3600000,
    sum(d.won - d.old_won), sum(d.lost - d.old_lost),
    count(*) filter (where d.won + d.lost > 0 and d.old_won + d.old_lost = 0),
    sum(d.won::bigint * d.won - d.old_won::bigint * d.old_won), sum(d.won::bigint * d.lost - d.old_won::bigint * d.old_lost),
    sum(d.lost::bigint * d.lost - d.old_lost::bigint * d.old_lost)
  from counted c cross join lateral (values
    ('both', c.buy_won + c.sell_won, c.buy_lost + c.sell_lost, c.old_buy_won + c.old_sell_won, c.old_buy_lost + c.old_sell_lost),
    ('Buy', c.buy_won, c.buy_lost, c.old_buy_won, c.old_buy_lost),
    ('Sell', c.sell_won, c.sell_lost, c.old_sell_won, c.old_sell_lost)
  ) d(sides, won, lost, old_won, old_lost)
  where d.won + d.lost > 0
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (duration_seconds, source_kind, sides, strategy, version, hour) do update set
    won = s.won + excluded.won, lost = s.lost + excluded.lost, closes = s.closes + excluded.closes,
    ww = s.ww + excluded.ww, wl = s.wl + excluded.wl, ll = s.ll + excluded.ll;
  return null;
end
$$;
create trigger signals_count_closes after update on signals referencing old table as before new table as after
  for each statement execute function signals_count_closes();

-- The trigger holds off outcomes until the commit, so none is missed or counted twice.
insert into signal_spreads (duration_seconds, source_kind, sides, strategy, version, hour, won, lost, closes, ww, wl, ll)
select duration_seconds, source_kind, sides, strategy, version, hour, won, lost, 1, won * won, won * lost, lost * lost
from (
  select duration_seconds, source_kind, s.sides, strategy, version, hour, sum(won) as won, sum(lost) as lost
  from signal_hours h cross join lateral (values ('both'), (h.side::text)) s(sides)
  group by 1, 2, 3, 4, 5, 6
) by_hour
where won + lost > 0;
update signal_head set closes_from = (ceil(extract(epoch from clock_timestamp()) / 3600) * 3600000)::bigint where n > 0;

-- Which way of measuring the confirmed sentence used: 2 counts closes, null counted signals.
alter table automations add column confirmed_method smallint;
grant update (confirmed_method) on automations to cleartick_app;
