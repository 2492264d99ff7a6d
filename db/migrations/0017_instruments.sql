-- Up Migration
-- How the price of an instrument is made, and whether it can be traded, as data that operators change.
alter table instruments
  -- Prices of at least this many venues must agree.
  add min_sources smallint not null default 2 check (min_sources between 1 and 10),
  -- A quote whose bid and ask differ by more is ignored, in hundredths of a percent.
  add largest_spread_bps integer not null default 500 check (largest_spread_bps between 1 and 5000),
  -- A venue whose price differs by more from the others' is dropped, in hundredths of a percent.
  add largest_deviation_bps integer not null default 100 check (largest_deviation_bps between 1 and 5000),
  -- The venues that prices are taken from; null for all that list it.
  add venues text[] check (cardinality(venues) between 1 and 20),
  -- Why operators closed it for new trades, as text for the trader; null while it is open.
  add closed_reason text check (length(closed_reason) between 1 and 200);

update instruments set not_live_reason = 'EOS became Vaulta (A) in 2025, and exchanges removed its markets.' where base = 'EOS';
update instruments set not_live_reason = 'MKR became SKY in 2025, and exchanges removed its markets.' where base = 'MKR';
update instruments set not_live_reason = 'Too few exchanges still list REP for a price that can be checked.' where base = 'REP';
