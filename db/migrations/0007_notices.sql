-- Up Migration
-- What a trader is told in the app about his money and his identity; the letter of it leaves through the outbox.
create table notices (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  kind text not null check (kind in ('deposit', 'withdraw', 'verification', 'plan', 'security', 'account', 'trade')),
  title text not null check (length(title) between 1 and 120),
  text text not null check (length(text) <= 1000),
  -- Where in the app to look; '' for nowhere.
  path text not null default '' check (path = '' or path ~ '^/user/[a-z-]+$'),
  at timestamptz not null default clock_timestamp(),
  read_at timestamptz
);
create index notices_of_user on notices (user_id, id);
create index notices_unread on notices (user_id) where read_at is null;
grant select, insert on notices to cleartick_app;
grant update (read_at) on notices to cleartick_app;

-- A decision on an identity check is final; only its picture may go, when a newer check or the account's end makes room.
create trigger identity_checks_decided_once before update on identity_checks for each row
  when (old.status <> 'Pending' and (new.status, new.reason, new.decided_at) is distinct from (old.status, old.reason, old.decided_at))
  execute function refuse_change();
