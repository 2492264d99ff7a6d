-- Up Migration
-- A second factor belongs to an owner of the address: confirming an address ends the sessions from before it. And the
-- desk can remove the second factor of a trader who lost it: two compliance operators, then 24 hours in which the trader
-- can stop it.

alter table sessions drop constraint sessions_end_reason_check;
alter table sessions add constraint sessions_end_reason_check check (end_reason in ('signed_out', 'ended_by_owner',
  'password_changed', 'password_reset', 'token_reused', 'account_replaced', 'sign_in_locked', 'email_confirmed'));

alter table one_time_tokens drop constraint one_time_tokens_purpose_check;
alter table one_time_tokens add constraint one_time_tokens_purpose_check
  check (purpose in ('onboarding', 'confirm_email', 'reset_password', 'stop_factor_reset'));

create table factor_resets (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  reason text not null check (length(reason) between 1 and 500),
  -- Approved: waits until `due_at`. Stopped: by the trader. Done: the factors were removed.
  status text not null default 'Pending' check (status in ('Pending', 'Approved', 'Rejected', 'Stopped', 'Done')),
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
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
