-- Up Migration
-- A session may have several calls that wait for the second factor, and several tokens, at the same time: a refused call
-- no longer takes the token of another. Nothing waits longer than five minutes, so the rows from before can go.
drop table step_ups;
create table step_ups (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions on delete cascade,
  user_id bigint not null references users,
  -- sha256 over method, path and content of the call.
  fingerprint bytea not null check (length(fingerprint) = 32),
  asked_at timestamptz not null default clock_timestamp(),
  -- Set once the second factor was shown: the token lets this call through once.
  token_hash bytea unique check (length(token_hash) = 32),
  expires_at timestamptz,
  constraint step_ups_token_whole check ((token_hash is null) = (expires_at is null))
);
create unique index step_ups_waiting on step_ups (session_id, fingerprint) where token_hash is null;
create index step_ups_of_session on step_ups (session_id, asked_at);
create index step_ups_of_user on step_ups (user_id);
grant select, insert, update, delete on step_ups to cleartick_app;
