-- Up Migration
-- Which process has which number in the ids that it makes. Numbers used to be handed out in turn, so after 1,024 starts two
-- running processes could have the same one, and make the same id. The sequence still proposes them, in turn.
create table node_leases (
  number smallint primary key check (number between 0 and 1023),
  holder uuid not null,
  until timestamptz not null
);
grant select, insert, update, delete on node_leases to cleartick_app;
