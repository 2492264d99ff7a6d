-- Up Migration
-- Plans, strike rates and followed sides become enums, like every other column with a fixed list of values.

-- A trader's plan; '' for none. The ladder's plans alone are the type `plan`.
create type trading_plan as enum ('', 'Beginner-3000', 'Gold-7600', 'Platinum-21199', 'Diamond-50730');
alter table users drop constraint users_on_the_ladder;
alter table users alter column trading_plan drop default;
alter table users alter column trading_plan type trading_plan using trading_plan::trading_plan;
alter table users alter column trading_plan set default '';

-- Buy percent and Sell percent.
create type strike_rate as enum ('75/3', '12/5', '11/13', '1/18', '1/61');
alter table trades alter column strike_rate type strike_rate using strike_rate::strike_rate;

-- 'best': the strike rate that pays most for the side.
create type automatic_strike_rate as enum ('best', '75/3', '12/5', '11/13', '1/18', '1/61');
create type followed_sides as enum ('both', 'Buy', 'Sell');
alter table automations drop constraint automations_strike_rate_check, drop constraint automations_sides_check;
alter table automations
  alter column strike_rate type automatic_strike_rate using strike_rate::automatic_strike_rate,
  alter column sides type followed_sides using sides::followed_sides;

-- An amount is the price of the plan, which is part of its name, less the price of the one before.
alter table plan_charges drop constraint plan_charges_price, drop constraint plan_charges_requested;
alter table plan_charges
  alter column from_plan type trading_plan using from_plan::trading_plan,
  alter column plan type plan using plan::plan;
alter table plan_charges
  add constraint plan_charges_price check (
    amount = 100 * (split_part(plan::text, '-', 2)::bigint - coalesce(nullif(split_part(from_plan::text, '-', 2), '')::bigint, 0))
  ),
  add constraint plan_charges_requested check ((from_plan = '') = (request_id is null));
