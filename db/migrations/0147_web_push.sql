-- Up Migration
-- A browser that shows notifications while the app is closed, for as long as its session lasts.
create table push_subscriptions (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id),
  session_id bigint not null references sessions (id) on delete cascade,
  -- An address at a push service. Who knows it and the two keys can show notifications there.
  endpoint text not null check (length(endpoint) between 10 and 600),
  public_key bytea not null check (length(public_key) = 65),
  auth_secret bytea not null check (length(auth_secret) = 16),
  created_at timestamptz not null default clock_timestamp(),
  unique (user_id, endpoint)
);
create index push_subscriptions_of_session on push_subscriptions (session_id);
grant select, insert, update, delete on push_subscriptions to cleartick_app;

-- What is still to be sent. A message that was sent, refused or became too old has no row.
create table push_messages (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id),
  subscription_id bigint not null references push_subscriptions (id) on delete cascade,
  kind notice_kind not null,
  title text not null check (length(title) <= 120),
  text text not null check (length(text) <= 1000),
  path text not null check (length(path) <= 200),
  -- What is shown again under the same tag takes the place of the first.
  tag uuid not null default gen_random_uuid(),
  attempts int not null default 0,
  next_attempt_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp()
);
create index push_messages_due on push_messages (next_attempt_at);
create index push_messages_of_subscription on push_messages (subscription_id);
grant select, insert, update, delete on push_messages to cleartick_app;
