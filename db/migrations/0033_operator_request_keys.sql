-- Up Migration
-- Idempotency keys of the desk: what an operator did under a key, with the answer it had, for good.
create table operator_request_keys (
  operator_id bigint not null references operators,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null,
  -- The first answer; written right after the commit of what was done.
  answer json,
  at timestamptz not null default clock_timestamp(),
  primary key (operator_id, key)
);
create trigger operator_request_keys_are_final before update on operator_request_keys for each row when (old.answer is not null)
  execute function refuse_change();
create trigger operator_request_keys_are_kept before delete on operator_request_keys for each statement execute function refuse_change();
grant select, insert, update (answer) on operator_request_keys to cleartick_app;

-- The first answer of a keyed call whose result changes later; null where it's read from what was done.
alter table request_keys add column answer json;
