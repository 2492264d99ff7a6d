-- Up Migration
-- Prices of different kinds (simulation, replay, live) never mix: each period of a symbol, from one change of its source
-- to the next, has its own history. What was simulated before is simulated again.

drop table simulated_history;

-- What a chart shows before the tape of a period: simulated candles, or a venue's own for live prices.
create table price_history (
  symbol_id smallint not null,
  -- The start of the period: the source time of its first tick.
  since bigint not null,
  -- Where the history comes from.
  source price_source not null check (source in ('live', 'simulation')),
  -- The venue whose candles these are.
  venue text,
  -- Generates a simulated history, and nothing after it.
  seed bytea,
  -- The price of the period's first tick, at which a simulated history ends.
  price bigint,
  -- One-minute candles up to the start of the period's first minute, packed.
  packed bytea not null,
  primary key (symbol_id, since),
  foreign key (symbol_id, since) references tape_kinds (symbol_id, source_ms),
  constraint price_history_source check (
    (source = 'live') = (venue is not null) and (source = 'simulation') = (seed is not null and price is not null)
  )
);
create trigger price_history_final before update on price_history for each statement execute function refuse_change();
grant select, insert on price_history to cleartick_app;
