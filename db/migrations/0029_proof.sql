-- Up Migration
-- Signed statements about the tape and the settled trades, once a minute. Anyone can check a trade against them.

-- The public keys of this installation's engines. The private ones never reach the database.
create table proof_keys (
  id text primary key check (id ~ '^[0-9a-f]{32}$'),
  public_key bytea not null unique check (octet_length(public_key) = 32),
  created_at timestamptz not null default clock_timestamp(),
  revoked_at timestamptz,
  revoked_reason text check (length(revoked_reason) between 1 and 500),
  constraint proof_keys_revoked check ((revoked_at is null) = (revoked_reason is null))
);
create trigger proof_keys_revoked_once before update on proof_keys for each row when (old.revoked_at is not null)
  execute function refuse_change();
create trigger proof_keys_are_kept before delete on proof_keys for each statement execute function refuse_change();
grant select, insert on proof_keys to cleartick_app;

create table checkpoints (
  frame bigint primary key check (frame > 0),
  epoch integer not null references tape_epochs (epoch),
  -- The frame's time, Unix ms, and hash.
  t bigint not null,
  hash bytea not null check (octet_length(hash) = 32),
  -- The trades in its tree, by ascending id, eight bytes each.
  trade_ids bytea not null check (octet_length(trade_ids) % 8 = 0),
  -- The hash of each, 32 bytes: what its receipt must lead to.
  leaves bytea not null check (octet_length(leaves) = octet_length(trade_ids) * 4),
  root bytea not null check (octet_length(root) = 32),
  -- Trades settled before this time are in this tree or an earlier one.
  settled_until timestamptz not null,
  key text not null references proof_keys (id),
  signature bytea not null check (octet_length(signature) = 64)
);
create index checkpoints_by_settled on checkpoints (settled_until);
create trigger checkpoints_are_final before update or delete on checkpoints for each statement execute function refuse_change();
grant select, insert on checkpoints to cleartick_app;
