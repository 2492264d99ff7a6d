-- Up Migration
-- A trade that was sold below its stake counts as lost, so it can begin a pause.
alter table automatic_orders
  drop constraint automatic_orders_paused,
  add constraint automatic_orders_paused check (paused_until is null or payout < stake) not valid;
