-- Up Migration
-- Keys that begin with 'automatic:' belong to automatic trades: with one of them, a client could make the trade of a
-- signal fail. Rows from before are as they are. Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0122_keys_of_automatic_trades', '0115_uncredited_payments');
alter table trades add constraint trades_automatic_keys
  check (signal is not null or not starts_with(key, 'automatic:')) not valid;
alter table request_keys add constraint request_keys_no_automatic_keys
  check (not starts_with(key, 'automatic:')) not valid;
