-- Up Migration
-- What the node that writes the tape says of its source of prices, for all the others. It writes it again after a
-- crash, so it needs no log.

create unlogged table feed_state (
  part text primary key check (part in ('facts', 'reports')),
  content jsonb not null,
  at timestamptz not null default clock_timestamp()
);
grant select, insert, update on feed_state to cleartick_app;
