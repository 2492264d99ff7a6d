-- Up Migration
-- People, the ways in, identity checks, and the letters that leave the house.

create table users (
  id bigint generated always as identity primary key,
  -- As typed; compared without case. No character that a mail header gives a meaning to.
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
  avatar text,
  referral_code text not null constraint users_referral_code unique check (referral_code ~ '^[A-Z]{8}$'),
  referred_by bigint references users,
  -- '' or a plan of the ladder: 'Gold-7600'.
  trading_plan text not null default '',
  plan_request text,
  plan_request_status text,
  plan_requested_at timestamptz,
  sign_in_locked_at timestamptz,
  sign_in_lock_reason text,
  created_at timestamptz not null default clock_timestamp(),
  -- Set when somebody registered the same, never confirmed address anew. The row stays: its demo trades still settle.
  ended_at timestamptz,
  constraint users_plan_request_whole check (num_nulls(plan_request, plan_request_status, plan_requested_at) in (0, 3)),
  constraint users_ended_unconfirmed check (ended_at is null or email_confirmed_at is null)
);
create unique index users_living_email on users (lower(email)) where ended_at is null;
grant select, insert, update on users to cleartick_app;

create table sessions (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  created_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  -- The end that nothing moves: 30 days after sign-in where 'remember me' was ticked, else 12 hours.
  expires_at timestamptz not null,
  remembered boolean not null,
  -- 'Firefox on Linux'.
  device text not null check (length(device) <= 60),
  address text not null check (length(address) <= 64),
  ended_at timestamptz,
  end_reason text check (end_reason in ('signed_out', 'ended_by_owner', 'password_changed', 'password_reset',
    'token_reused', 'account_replaced', 'sign_in_locked')),
  constraint sessions_end_whole check (num_nulls(ended_at, end_reason) in (0, 2))
);
create index sessions_of_user on sessions (user_id, id);
create index sessions_ended on sessions (ended_at) where ended_at is not null;
create index sessions_running_out on sessions (expires_at) where ended_at is null;
grant select, insert, update, delete on sessions to cleartick_app;

-- One row for each generation of a session: a renewal token (in the cookie) and the access token given with it.
create table session_tokens (
  renewal_hash bytea primary key check (length(renewal_hash) = 32),
  session_id bigint not null references sessions on delete cascade,
  access_hash bytea not null unique check (length(access_hash) = 32),
  access_expires_at timestamptz not null,
  renewed_at timestamptz,
  child_hash bytea,
  -- The child's two tokens under a key that only the holder of this renewal token can make, so that a second tab gets the same.
  sealed_child bytea,
  constraint session_tokens_child_whole check (num_nulls(renewed_at, child_hash) in (0, 2))
);
create index session_tokens_of_session on session_tokens (session_id);
grant select, insert, update, delete on session_tokens to cleartick_app;

create table one_time_tokens (
  hash bytea primary key check (length(hash) = 32),
  purpose text not null check (purpose in ('onboarding', 'confirm_email', 'reset_password')),
  user_id bigint not null references users,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_tokens_of_user on one_time_tokens (user_id) where used_at is null;
create index one_time_tokens_running_out on one_time_tokens (expires_at);
grant select, insert, update, delete on one_time_tokens to cleartick_app;

-- Every asked-for reset, of known and unknown addresses alike: the answer costs the same, the work is done afterwards.
create table reset_requests (
  id bigint generated always as identity primary key,
  email text not null check (length(email) <= 254),
  asked_at timestamptz not null default clock_timestamp()
);
grant select, insert, delete on reset_requests to cleartick_app;

create table identity_checks (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  method text not null check (method in ('drivers_license', 'international_passport', 'national_id', 'others')),
  status text not null default 'Pending' check (status in ('Pending', 'Approved', 'Rejected')),
  reason text check (length(reason) <= 500),
  -- Name in the private file store; null once the picture was destroyed.
  file text unique,
  created_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  -- Set when a newer one took its place after a rejection, or when the account ended.
  superseded_at timestamptz,
  constraint identity_checks_reason check (status <> 'Rejected' or reason is not null),
  constraint identity_checks_decided check ((status = 'Pending') = (decided_at is null)),
  constraint identity_checks_picture check (file is not null or superseded_at is not null)
);
create unique index identity_checks_living on identity_checks (user_id) where superseded_at is null;
create index identity_checks_of_user on identity_checks (user_id);
grant select, insert, update on identity_checks to cleartick_app;

-- The outbox: a letter is written in the transaction of what it tells, and leaves afterwards.
create table mails (
  id bigint generated always as identity primary key,
  recipient text not null check (length(recipient) <= 254),
  subject text not null check (subject !~ '[[:cntrl:]]'),
  -- Emptied once a letter has left (it may hold a one-time link); the mailbox keeps them.
  text text not null,
  html text not null,
  links text[] not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default clock_timestamp(),
  last_error text,
  finished_at timestamptz
);
create index mails_waiting on mails (next_attempt_at) where state = 'waiting';
create index mails_of_recipient on mails (lower(recipient), id);
grant select, insert, update, delete on mails to cleartick_app;
