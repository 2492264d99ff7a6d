-- Up Migration
-- A trader closes their account: 14 days later it ends, unless they keep it. Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0144_account_closures', '0123_solvency_entries_in_parts');

create table account_closures (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  requested_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null default clock_timestamp() + interval '14 days',
  -- When the trader kept the account, or it couldn't be closed.
  kept_at timestamptz,
  closed_at timestamptz,
  constraint account_closures_once check (num_nonnulls(kept_at, closed_at) < 2)
);
create unique index account_closures_open on account_closures (user_id) where kept_at is null and closed_at is null;
create index account_closures_due on account_closures (due_at) where kept_at is null and closed_at is null;
create index account_closures_of_user on account_closures (user_id, id);
grant select, insert (user_id), update (kept_at, closed_at) on account_closures to cleartick_app;

create function account_closures_change() returns trigger language plpgsql as $$
begin
  if old.kept_at is not null or old.closed_at is not null or new.closed_at is not null and old.due_at > clock_timestamp() then
    raise exception 'the closure % is final, or not due', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger account_closures_change before update on account_closures
  for each row execute function account_closures_change();
create trigger account_closures_are_kept before delete or truncate on account_closures
  for each statement execute function refuse_change();

-- A confirmed account ends only by its owner's request, and never comes back.
create function users_close() returns trigger language plpgsql as $$
begin
  if not exists (
    select from account_closures c where c.user_id = old.id and c.closed_at >= transaction_timestamp()
  ) or new.ended_at is null then
    raise exception 'user % did not close their account', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger users_close before update of ended_at on users
  for each row when (old.email_confirmed_at is not null and old.ended_at is distinct from new.ended_at)
  execute function users_close();
alter table users drop constraint users_ended_unconfirmed;

grant delete on charts, screen_choices to cleartick_app;

alter table one_time_tokens drop constraint one_time_tokens_purpose_check;
alter table one_time_tokens add constraint one_time_tokens_purpose_check check (purpose in (
  'onboarding', 'confirm_email', 'reset_password', 'stop_factor_reset', 'change_email', 'new_email', 'disown_sign_in',
  'keep_account'
)) not valid;
alter table sessions drop constraint sessions_end_reason_check;
alter table sessions add constraint sessions_end_reason_check check (end_reason in (
  'signed_out', 'ended_by_owner', 'password_changed', 'password_reset', 'token_reused', 'account_replaced',
  'sign_in_locked', 'email_confirmed', 'email_changed', 'disowned', 'account_closed'
)) not valid;
