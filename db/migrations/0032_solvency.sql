-- Up Migration
-- Signed statements of what is owed to all traders together. Each trader finds their own balances in its tree.
create table solvency_statements (
  number integer primary key check (number > 0),
  -- Unix ms.
  t bigint not null,
  -- Traders whom something is owed, and how much it is in total.
  traders integer not null check (traders >= 0),
  total cents not null check (total >= 0),
  root bytea not null check (octet_length(root) = 32),
  -- sha256 of the signed text of the statement before; zeros for the first.
  previous bytea not null check (octet_length(previous) = 32),
  key text not null references proof_keys (id),
  signature bytea not null check (octet_length(signature) = 64)
);
create trigger solvency_statements_are_final before update or delete on solvency_statements for each statement execute function refuse_change();
grant select, insert on solvency_statements to cleartick_app;

-- What proofs are served from, kept for the newest statements.
create table solvency_trees (
  number integer primary key references solvency_statements (number),
  -- Makes the nonces of the entries.
  secret bytea not null check (octet_length(secret) = 32),
  -- 40 bytes for each node, hash and sum: first all entries, then the level above, up to the root.
  nodes bytea not null check (octet_length(nodes) % 40 = 0)
);
-- Uncompressed, so that one node is read without the others.
alter table solvency_trees alter column nodes set storage external;
create table solvency_entries (
  number integer not null references solvency_trees (number) on delete cascade,
  user_id bigint not null,
  position integer not null,
  available cents not null,
  staked cents not null,
  held cents not null,
  primary key (number, user_id)
);
grant select, insert, delete on solvency_trees, solvency_entries to cleartick_app;

-- A statement on demand: the engine makes one if this is newer than the last.
create table solvency_requests (
  only_row boolean primary key default true check (only_row),
  requested_at timestamptz not null
);
grant select, insert, update on solvency_requests to cleartick_app;
