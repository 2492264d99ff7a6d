-- Up Migration
-- Which losses stopped their follower: losses in a row do so as soon as the last one's payout is copied to its order.
-- Nodes of the previous version stop at the next signal instead, whose order is skipped with the reason 'stop'.
alter table automatic_orders add column stopped boolean not null default false;
grant update (stopped) on automatic_orders to cleartick_app;
