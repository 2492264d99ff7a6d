-- Up Migration
-- Users, sessions, second factors and locks.

-- The ladder of plans, lowest first. A name ends in the plan's price.
create type plan as enum ('Beginner-3000', 'Gold-7600', 'Platinum-21199', 'Diamond-50730');
create type plan_request_status as enum ('Pending', 'Approved', 'Rejected', 'Cancelled');

create table users (
  id bigint generated always as identity primary key,
  -- As typed; compared case-insensitively. No character with a meaning in an e-mail header.
  email text not null check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:],:;<>"]'),
  email_confirmed_at timestamptz,
  password_hash text not null,
  firstname text not null check (length(firstname) between 1 and 60),
  lastname text not null check (length(lastname) between 1 and 60),
  phone text not null default '' check (length(phone) <= 32),
  gender text not null default '' check (gender in ('', 'male', 'female', 'others')),
  date_of_birth date,
  country text not null default '' check (length(country) <= 100),
  state text not null default '' check (length(state) <= 100),
  city text not null default '' check (length(city) <= 100),
  address text not null default '' check (length(address) <= 200),
  -- Public by its name alone, so a name belongs to one user.
  avatar text constraint users_avatar unique constraint users_avatar_name check (avatar ~ '^[0-9a-f]{40}$'),
  referral_code text not null constraint users_referral_code unique check (referral_code ~ '^[A-Z]{8}$'),
  referred_by bigint references users,
  trading_plan text not null default '' constraint users_on_the_ladder
    check (trading_plan in ('', 'Beginner-3000', 'Gold-7600', 'Platinum-21199', 'Diamond-50730')),
  plan_request plan,
  plan_request_status plan_request_status,
  plan_requested_at timestamptz,
  sign_in_locked_at timestamptz,
  sign_in_lock_reason text,
  created_at timestamptz not null default clock_timestamp(),
  -- Set when the same, never confirmed address was registered again. The row stays: its demo trades still settle.
  ended_at timestamptz,
  constraint users_plan_request_whole check (num_nulls(plan_request, plan_request_status, plan_requested_at) in (0, 3)),
  constraint users_ended_unconfirmed check (ended_at is null or email_confirmed_at is null)
);
create unique index users_open_email on users (lower(email)) where ended_at is null;
-- Possible second accounts of one person are found by these.
create index users_person on users (lower(firstname), lower(lastname), date_of_birth, id) where date_of_birth is not null;
create index users_phone on users (phone, id) where phone <> '';
grant select, insert, update on users to cleartick_app;

-- Tables of the rooms below that belong to a user.
alter table request_keys add constraint request_keys_user_id_fkey foreign key (user_id) references users;

create table sessions (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  created_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  -- Fixed at sign-in: after 30 days with 'remember me', else after 12 hours.
  expires_at timestamptz not null,
  remembered boolean not null,
  -- 'Firefox on Linux'.
  device text not null check (length(device) <= 60),
  address text not null check (length(address) <= 64),
  ended_at timestamptz,
  end_reason text check (end_reason in ('signed_out', 'ended_by_owner', 'password_changed', 'password_reset',
    'token_reused', 'account_replaced', 'sign_in_locked', 'email_confirmed')),
  constraint sessions_end_whole check (num_nulls(ended_at, end_reason) in (0, 2))
);
create index sessions_of_user on sessions (user_id, id);
create index sessions_ended on sessions (ended_at) where ended_at is not null;
create index sessions_running_out on sessions (expires_at) where ended_at is null;
grant select, insert, update, delete on sessions to cleartick_app;

-- One row per generation of a session: a renewal token (in the cookie) and the access token issued with it.
create table session_tokens (
  renewal_hash bytea primary key check (length(renewal_hash) = 32),
  session_id bigint not null references sessions on delete cascade,
  access_hash bytea not null unique check (length(access_hash) = 32),
  access_expires_at timestamptz not null,
  renewed_at timestamptz,
  child_hash bytea,
  -- The next generation's two tokens, encrypted under a key that only the holder of this renewal token can derive: a
  -- second tab that renews at the same time gets the same ones.
  sealed_child bytea,
  constraint session_tokens_child_whole check (num_nulls(renewed_at, child_hash) in (0, 2))
);
create index session_tokens_of_session on session_tokens (session_id);
grant select, insert, update, delete on session_tokens to cleartick_app;

create table one_time_tokens (
  hash bytea primary key check (length(hash) = 32),
  purpose text not null check (purpose in ('onboarding', 'confirm_email', 'reset_password', 'stop_factor_reset')),
  user_id bigint not null references users,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_tokens_of_user on one_time_tokens (user_id) where used_at is null;
create index one_time_tokens_running_out on one_time_tokens (expires_at);
grant select, insert, update, delete on one_time_tokens to cleartick_app;

-- Requests for an e-mailed link, for known and unknown addresses alike: the response costs the same, the work is done later.
create table reset_requests (
  id bigint generated always as identity primary key,
  email text not null check (length(email) <= 254),
  asked_at timestamptz not null default clock_timestamp(),
  kind text not null default 'reset_password' check (kind in ('reset_password', 'sign_in'))
);
grant select, insert, delete on reset_requests to cleartick_app;

-- Failed sign-ins of strangers must not lock an owner out: devices that an account has signed in from are counted
-- separately, and past a bound on all strangers together a link is e-mailed instead.
--
-- A device is known by a secret in its cookie. It belongs to a user or to an operator.
create table known_devices (
  token_hash bytea primary key check (length(token_hash) = 32),
  user_id bigint references users,
  operator_id bigint,
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
  operator_id bigint,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint sign_in_links_owner check (num_nonnulls(user_id, operator_id) = 1)
);
create index sign_in_links_expired on sign_in_links (expires_at);
grant select, insert, delete on sign_in_links to cleartick_app;
grant update (used_at) on sign_in_links to cleartick_app;

-- The second factor: authenticator app, passkeys and recovery codes.
create table totp_factors (
  user_id bigint primary key references users,
  -- base32, encrypted. Valid once confirmed; a new one replaces it when a code confirms the new one.
  secret bytea,
  confirmed_at timestamptz,
  new_secret bytea,
  -- The period of the last code used: each works once.
  last_step bigint not null default 0,
  constraint totp_factors_confirmed check ((secret is null) = (confirmed_at is null))
);
grant select, insert, update, delete on totp_factors to cleartick_app;

create table passkeys (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  credential_id text not null constraint passkeys_credential unique check (length(credential_id) between 1 and 2000),
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null check (length(name) between 1 and 60),
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz
);
create index passkeys_of_user on passkeys (user_id, id);
grant select, insert, update, delete on passkeys to cleartick_app;

create table recovery_codes (
  user_id bigint not null references users,
  hash bytea not null check (length(hash) = 32),
  used_at timestamptz,
  primary key (user_id, hash)
);
grant select, insert, update, delete on recovery_codes to cleartick_app;

-- A challenge for a browser's authenticator; answered once, within five minutes.
create table passkey_challenges (
  challenge text primary key,
  user_id bigint not null references users,
  purpose text not null check (purpose in ('enrol', 'sign_in', 'step_up')),
  expires_at timestamptz not null default clock_timestamp() + interval '5 minutes'
);
create index passkey_challenges_running_out on passkey_challenges (expires_at);
grant select, insert, delete on passkey_challenges to cleartick_app;

-- Calls refused with 428 until the second factor is shown, and the token that lets exactly that call through once. Several
-- may be pending in a session.
create table step_ups (
  id bigint generated always as identity primary key,
  session_id bigint not null references sessions on delete cascade,
  user_id bigint not null references users,
  -- sha256 over method, path and content of the call.
  fingerprint bytea not null check (length(fingerprint) = 32),
  asked_at timestamptz not null default clock_timestamp(),
  -- Set once the second factor was shown.
  token_hash bytea unique check (length(token_hash) = 32),
  expires_at timestamptz,
  constraint step_ups_token_whole check ((token_hash is null) = (expires_at is null))
);
create unique index step_ups_waiting on step_ups (session_id, fingerprint) where token_hash is null;
create index step_ups_of_session on step_ups (session_id, asked_at);
create index step_ups_of_user on step_ups (user_id);
grant select, insert, update, delete on step_ups to cleartick_app;

-- Removal of the second factor of a trader who lost it: two compliance operators, then 24 hours in which the trader can
-- stop it.
create type factor_reset_status as enum ('Pending', 'Approved', 'Rejected', 'Stopped', 'Done');

create table factor_resets (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  reason text not null check (length(reason) between 1 and 500),
  -- Approved: waits until `due_at`. Stopped: by the trader. Done: the factors were removed.
  status factor_reset_status not null default 'Pending',
  proposed_by bigint not null,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  due_at timestamptz,
  ended_at timestamptz,
  constraint factor_resets_four_eyes check (decided_by <> proposed_by),
  constraint factor_resets_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint factor_resets_reason check ((status = 'Rejected') = (decision_reason is not null)),
  constraint factor_resets_due check ((status in ('Approved', 'Stopped', 'Done')) = (due_at is not null)),
  constraint factor_resets_delay check (due_at >= decided_at + interval '24 hours'),
  constraint factor_resets_ended check ((status in ('Stopped', 'Done')) = (ended_at is not null)),
  constraint factor_resets_not_early check (status <> 'Done' or ended_at >= due_at)
);
create unique index factor_resets_open on factor_resets (user_id) where status in ('Pending', 'Approved');
create index factor_resets_of_user on factor_resets (user_id, id);
create index factor_resets_due_next on factor_resets (due_at) where status = 'Approved';
create trigger factor_resets_final before update on factor_resets for each row
  when (old.status in ('Rejected', 'Stopped', 'Done')) execute function refuse_change();
create trigger factor_resets_are_kept before delete on factor_resets for each statement execute function refuse_change();
grant select, insert on factor_resets to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason, due_at, ended_at) on factor_resets to cleartick_app;

-- What a user may not do, and why. Trading and sign-in check columns of their own, set together with these.
create type lock_kind as enum ('trading', 'deposits', 'withdrawals', 'sign_in');

create table user_locks (
  user_id bigint not null references users,
  kind lock_kind not null,
  operator_id bigint not null,
  reason text not null check (length(reason) between 1 and 500),
  at timestamptz not null default clock_timestamp(),
  primary key (user_id, kind)
);
grant select, insert, update, delete on user_locks to cleartick_app;
