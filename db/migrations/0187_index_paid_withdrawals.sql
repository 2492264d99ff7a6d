-- Up Migration
-- Withdrawals by when they were paid, for how soon those of the last 30 days were.
drop index concurrently if exists withdrawals_paid;
create index concurrently withdrawals_paid on withdrawals (ended_at) where status = 'Paid';
