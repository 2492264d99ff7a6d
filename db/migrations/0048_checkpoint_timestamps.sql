-- Up Migration
-- What an independent authority certifies (RFC 3161): that a checkpoint existed at a time.

create table checkpoint_timestamps (
  frame bigint primary key references checkpoints (frame),
  -- The host that was asked.
  authority text not null check (length(authority) between 1 and 255),
  -- The time that it certifies.
  at timestamptz not null,
  -- Its whole response, DER.
  response bytea not null check (octet_length(response) between 1 and 65536)
);
create trigger checkpoint_timestamps_are_final before update or delete on checkpoint_timestamps for each statement
  execute function refuse_change();
grant select, insert on checkpoint_timestamps to cleartick_app;
