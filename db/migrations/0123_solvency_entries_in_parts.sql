-- Up Migration
-- Each trader's balances are several entries of random amounts at random places, so a proof shows nobody's exact
-- balance. Trees from before showed one: their entries go, and the engine makes a new statement at once. Statements and
-- roots stay. Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0123_solvency_entries_in_parts', '0122_keys_of_automatic_trades');

-- Null in statements from before, in which each trader had one.
alter table solvency_statements add column entries integer;
alter table solvency_statements add constraint solvency_statements_entries check (entries >= traders) not valid;
drop table solvency_entries;
create table solvency_entries (
  number integer not null references solvency_trees (number) on delete cascade,
  user_id bigint not null,
  part smallint not null,
  position integer not null,
  available cents not null,
  staked cents not null,
  held cents not null,
  primary key (number, user_id, part)
);
grant delete, insert, select on solvency_entries to cleartick_app;
