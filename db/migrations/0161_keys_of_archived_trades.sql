-- Up Migration
-- The keys of archived trades stay used: a repeat places no second trade.
alter type request_effect add value 'archived_trade';
-- How many trades of the day had a key; null for days that were archived before keys were kept.
alter table archived_days add column keys integer;
alter table archived_days add constraint archived_days_keys check (keys >= 0) not valid;
