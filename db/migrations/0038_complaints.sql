-- Up Migration
-- Complaints of traders about a settled trade, a deposit or a withdrawal, with what the server found when it checked again.

create type complaint_item as enum ('trade', 'deposit', 'withdrawal');
create type complaint_reason as enum ('price', 'time', 'result', 'missing', 'amount', 'other');
create type complaint_status as enum ('Open', 'Proposed', 'Rejected', 'Upheld');

create table complaints (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  item complaint_item not null,
  item_id bigint not null,
  reason complaint_reason not null,
  -- What the trader wrote; for the desk and the trader only.
  text text not null check (length(text) <= 500),
  status complaint_status not null default 'Open',
  filed_at timestamptz not null default transaction_timestamp(),
  due_at timestamptz not null default transaction_timestamp() + interval '7 days',
  closed_at timestamptz,
  -- What the server attached, and whether it verified; null until it was checked.
  evidence json,
  verified boolean,
  checked_at timestamptz,
  -- When the check is tried next. A trade's receipt takes a minute.
  check_after timestamptz not null default transaction_timestamp(),
  constraint complaints_checked check (num_nulls(evidence, verified, checked_at) in (0, 3)),
  constraint complaints_closed check ((closed_at is not null) = (status in ('Rejected', 'Upheld')))
);
create unique index complaints_open on complaints (user_id, item, item_id) where closed_at is null;
create index complaints_of_user on complaints (user_id, id);
create index complaints_at_the_desk on complaints (id) where closed_at is null;
create index complaints_unchecked on complaints (check_after) where checked_at is null;
create trigger complaints_close_once before update on complaints for each row when (old.closed_at is not null)
  execute function refuse_change();
create trigger complaints_are_checked_once before update of evidence, verified, checked_at on complaints
  for each row when (old.checked_at is not null) execute function refuse_change();
create trigger complaints_are_kept before delete or truncate on complaints for each statement execute function refuse_change();
grant select, insert (user_id, item, item_id, reason, text) on complaints to cleartick_app;
grant update (status, closed_at, evidence, verified, checked_at, check_after) on complaints to cleartick_app;
