-- Up Migration
-- Coin deposits that their traders submitted, by when they were credited, for how soon those of the last 30 days were.
drop index concurrently if exists deposits_credited;
create index concurrently deposits_credited on deposits (decided_at) where status = 'Approved' and receipt is not null;
