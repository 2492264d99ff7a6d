-- Up Migration
-- Which tape this is. A restored backup goes on from an older end, with numbers that were published before: from there on
-- it is another tape, and says so. Each epoch names the last frame of the one before, by number and hash.
create table tape_epochs (
  epoch integer primary key check (epoch > 0),
  after_frame bigint not null check (after_frame >= 0),
  after_hash bytea not null check (octet_length(after_hash) = 32),
  -- PostgreSQL's own count of recoveries: a database that was restored counts one more.
  timeline integer not null,
  began_at timestamptz not null default clock_timestamp()
);
create trigger tape_epochs_are_final before update or delete on tape_epochs for each statement execute function refuse_change();
grant select, insert on tape_epochs to cleartick_app;
