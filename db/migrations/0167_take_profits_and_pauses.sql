-- Up Migration
-- Automatic trades that stop by profits, pause after losses, and keep to hours in the trader's time zone. An older node
-- would take the hours for UTC, and ignore the rest.
insert into schema_needs (migration, needs) values ('0167_take_profits_and_pauses', '0162_strategy_keys');

alter table automations add column time_zone text not null default 'UTC';
alter table automations add column profit_a_day bigint;
alter table automations add column profit_in_all bigint;
alter table automations add column pause_losses smallint;
alter table automations add column pause_minutes smallint;
-- Losses before a pause count the orders that follow later signals than this number: each pause begins the count again.
alter table automations add column pause_counted_after bigint not null default 0;
-- The newest signal when the settings were saved. Later orders obey them.
alter table automations add column settings_after bigint not null default 9223372036854775807;
comment on column automations.time_zone is 'The zone of its days and hours, as in IANA''s database';
alter table automations
  drop constraint automations_hours,
  add constraint automations_hours check (from_hour <> to_hour) not valid,
  add constraint automations_time_zone check (time_zone ~ '^[A-Za-z0-9_+/-]{1,64}$') not valid,
  add constraint automations_profits check (profit_a_day >= 100 and profit_in_all >= 100) not valid,
  add constraint automations_pause check (
    num_nulls(pause_losses, pause_minutes) % 2 = 0 and pause_losses between 1 and 50 and pause_minutes between 5 and 1440
  ) not valid;

-- The end (tape time, Unix ms) of the pause that this loss began.
alter table automatic_orders add column paused_until bigint;
alter table automatic_orders add constraint automatic_orders_paused check (paused_until is null or payout = 0) not valid;
grant update (paused_until) on automatic_orders to cleartick_app;
