-- Up Migration
-- How far expired bodies of the tape have been looked through: earlier ones that are still there are needed by trades.
create table tape_expiry (
  only_row boolean primary key default true check (only_row),
  -- Unix ms, on a full hour.
  until bigint not null default 0
);
insert into tape_expiry default values;
grant select, update (until) on tape_expiry to cleartick_app;
