-- Up Migration
-- While only two exchanges make a symbol's price, its open real stakes together are limited by the depth of that price.
alter table symbol_open
  -- Null: operators have set no limit.
  alter column open_max drop not null,
  -- Null: enough exchanges make the price.
  add column thin_max cents;
grant update (thin_max) on symbol_open to cleartick_app;
