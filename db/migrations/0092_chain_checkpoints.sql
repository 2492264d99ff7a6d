-- Up Migration
-- Each checkpoint holds the hash of the one before, so that a time stamp or a published line covers all before it.

-- sha256 of the signed text of the checkpoint before; zeros for the first. Null in those from before this migration.
alter table checkpoints add column previous bytea;
alter table checkpoints add constraint checkpoints_previous check (octet_length(previous) = 32) not valid;
