-- Up Migration
-- Failed sign-ins of strangers must not lock an owner out: devices that an account has signed in from are counted
-- separately, and past a bound on all strangers together a link is e-mailed instead.

-- A device is known by a secret in its cookie.
create table known_devices (
  token_hash bytea primary key check (length(token_hash) = 32),
  user_id bigint references users,
  operator_id bigint references operators,
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz not null default clock_timestamp(),
  constraint known_devices_owner check (num_nonnulls(user_id, operator_id) = 1)
);
create index known_devices_of_user on known_devices (user_id, last_used_at) where user_id is not null;
create index known_devices_of_operator on known_devices (operator_id, last_used_at) where operator_id is not null;
grant select, insert, delete on known_devices to cleartick_app;
grant update (last_used_at) on known_devices to cleartick_app;

create table sign_in_links (
  token_hash bytea primary key check (length(token_hash) = 32),
  user_id bigint references users,
  operator_id bigint references operators,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint sign_in_links_owner check (num_nonnulls(user_id, operator_id) = 1)
);
create index sign_in_links_expired on sign_in_links (expires_at);
grant select, insert, delete on sign_in_links to cleartick_app;
grant update (used_at) on sign_in_links to cleartick_app;

-- What an e-mailed link was asked for.
alter table reset_requests add column kind text not null default 'reset_password'
  check (kind in ('reset_password', 'sign_in'));
