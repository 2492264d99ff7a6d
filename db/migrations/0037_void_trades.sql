-- Up Migration
-- What the public list of incidents reads: the trades that were void, which are few.
drop index concurrently if exists trades_void;
create index concurrently trades_void on trades (settled_at) where status = 'Void';
