-- Up Migration
-- Notifications of a trader about money and identity; the e-mail of each is sent through the outbox.
-- After `0004`, because a notification belongs to a user.
create type notice_kind as enum ('deposit', 'withdraw', 'verification', 'plan', 'security', 'account', 'trade');

create table notices (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  kind notice_kind not null,
  title text not null check (length(title) between 1 and 120),
  text text not null check (length(text) <= 1000),
  -- The screen it links to; '' for none.
  path text not null default '' check (path = '' or path ~ '^/user/[a-z-]+$'),
  at timestamptz not null default clock_timestamp(),
  read_at timestamptz
);
create index notices_of_user on notices (user_id, id);
create index notices_unread on notices (user_id) where read_at is null;
grant select, insert on notices to cleartick_app;
grant update (read_at) on notices to cleartick_app;
