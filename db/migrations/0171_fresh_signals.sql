-- Up Migration
-- The newest signals, by the time at which they were written: those from outside are not as old as their candle.
drop index concurrently if exists signals_fresh;
create index concurrently signals_fresh on signals (at) where status = 'Pending';
