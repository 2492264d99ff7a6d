-- Up Migration
-- Keys that begin with 'automatic:' belong to automatic trades: with one of them, a client could make the trade of a
-- signal fail. Rows from before are as they are.
alter table trades add constraint trades_automatic_keys
  check (signal is not null or not starts_with(key, 'automatic:')) not valid;
alter table request_keys add constraint request_keys_no_automatic_keys
  check (not starts_with(key, 'automatic:')) not valid;
