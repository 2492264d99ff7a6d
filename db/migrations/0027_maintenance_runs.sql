-- Up Migration
-- When the commands that an operator schedules last ran, for monitoring. The owner writes; the server only reads.

create table maintenance_runs (
  command text primary key check (command in ('verify', 'backup')),
  finished_at timestamptz not null,
  succeeded boolean not null,
  succeeded_at timestamptz
);
grant select on maintenance_runs to cleartick_app;
