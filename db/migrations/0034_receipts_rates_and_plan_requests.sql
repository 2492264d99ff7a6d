-- Up Migration
-- The sha256 of the receipt as it was re-encoded: the same picture with other bytes is found again. And the source of the
-- rate, so that a simulated one says so for good.
alter table deposits
  add column picture_hash bytea check (length(picture_hash) = 32),
  add column rate_source text check (rate_source in ('live', 'replay', 'simulation'));
create index deposits_picture_hash on deposits (picture_hash, id) where picture_hash is not null;

-- A trader withdraws a request for a plan while it is pending.
alter table plan_requests drop constraint plan_requests_status_check,
  add constraint plan_requests_status_check check (status in ('Pending', 'Approved', 'Rejected', 'Cancelled'));
