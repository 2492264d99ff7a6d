-- Up Migration
-- Each trader's balances are several entries of random amounts at random places, so a proof shows nobody's exact
-- balance. Trees from before showed one: they go, and the next statement is made at once. Statements and roots stay.
alter table solvency_statements add column entries integer check (entries >= traders);
delete from solvency_trees;
alter table solvency_entries add column part smallint not null check (part >= 0);
alter table solvency_entries drop constraint solvency_entries_pkey;
alter table solvency_entries add primary key (number, user_id, part);
insert into solvency_requests (requested_at) select clock_timestamp() where exists (select from solvency_statements)
on conflict (only_row) do update set requested_at = excluded.requested_at;
