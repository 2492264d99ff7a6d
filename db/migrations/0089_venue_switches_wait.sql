-- Up Migration
-- Switches of exchanges whose prices open real trades use take two operators, in both directions, and wait for the trades
-- that were open when they were decided.
alter table venue_switches
  -- Tape time (Unix ms) from which it counts; null: at once.
  add column effective_from bigint,
  -- Open real trades on the exchange's symbols, when it was proposed.
  add column open_trades integer;
alter table venue_switches drop constraint venue_switches_back_alone;
grant update (effective_from) on venue_switches to cleartick_app;
