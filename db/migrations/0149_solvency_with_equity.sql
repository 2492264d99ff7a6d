-- Up Migration
-- What the house itself owned at the time of a statement, next to what it owed to traders. Null in statements from before.
alter table solvency_statements add column equity bigint;
