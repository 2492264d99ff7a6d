-- Up Migration
-- The second factor of traders: authenticator app, passkeys, recovery codes, and the calls that ask for it again.

create table totp_factors (
  user_id bigint primary key references users,
  -- base32, sealed. It counts from its confirmation on; a new one takes its place once a code confirms that.
  secret bytea,
  confirmed_at timestamptz,
  new_secret bytea,
  -- The period of the last code that was used: each works once.
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

-- What a browser's authenticator was asked; answered once, within five minutes.
create table passkey_challenges (
  challenge text primary key,
  user_id bigint not null references users,
  purpose text not null check (purpose in ('enrol', 'sign_in', 'step_up')),
  expires_at timestamptz not null default clock_timestamp() + interval '5 minutes'
);
create index passkey_challenges_running_out on passkey_challenges (expires_at);
grant select, insert, delete on passkey_challenges to cleartick_app;

-- The call of a session that was last refused with 428, and the token that lets exactly this call through once.
create table step_ups (
  session_id bigint primary key references sessions on delete cascade,
  user_id bigint not null references users,
  -- sha256 over method, path and content of the call.
  fingerprint bytea not null check (length(fingerprint) = 32),
  asked_at timestamptz not null default clock_timestamp(),
  token_hash bytea check (length(token_hash) = 32),
  expires_at timestamptz,
  constraint step_ups_token_whole check ((token_hash is null) = (expires_at is null))
);
grant select, insert, update, delete on step_ups to cleartick_app;
