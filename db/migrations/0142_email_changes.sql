-- Up Migration
-- A trader moves their account to another e-mail address once both addresses have confirmed it. Withdrawals pause after
-- that, and when the trader says that a sign-in or a change wasn't theirs. Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0142_email_changes', '0123_solvency_entries_in_parts');

create table email_changes (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  -- The session that asked for it, the only one that stays.
  session_id bigint not null,
  old_email text not null check (length(old_email) between 3 and 254),
  new_email text not null check (length(new_email) between 3 and 254 and new_email !~ '[[:cntrl:][:space:],:;<>"]'),
  requested_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null default clock_timestamp() + interval '24 hours',
  old_confirmed_at timestamptz,
  new_confirmed_at timestamptz,
  outcome text check (outcome in ('Done', 'Cancelled', 'Disowned', 'Replaced')),
  ended_at timestamptz,
  constraint email_changes_end_whole check (num_nulls(outcome, ended_at) in (0, 2)),
  constraint email_changes_by_both check (outcome <> 'Done' or num_nulls(old_confirmed_at, new_confirmed_at) = 0),
  constraint email_changes_another check (lower(old_email) <> lower(new_email))
);
create unique index email_changes_open on email_changes (user_id) where outcome is null;
create index email_changes_of_user on email_changes (user_id, id);
-- Self-exclusions bind former addresses too.
create index email_changes_former on email_changes (email_key_of(old_email)) where outcome = 'Done';
grant select, insert (user_id, session_id, old_email, new_email),
  update (old_confirmed_at, new_confirmed_at, outcome, ended_at) on email_changes to cleartick_app;

create function email_changes_move() returns trigger language plpgsql as $$
begin
  if old.outcome is not null
    or old.old_confirmed_at is not null and new.old_confirmed_at is distinct from old.old_confirmed_at
    or old.new_confirmed_at is not null and new.new_confirmed_at is distinct from old.new_confirmed_at then
    raise exception 'the change of address % is final', old.id using errcode = 'integrity_constraint_violation';
  end if;
  if new.outcome = 'Done' and old.expires_at <= clock_timestamp() then
    raise exception 'the change of address % has expired', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger email_changes_move before update on email_changes for each row execute function email_changes_move();
create trigger email_changes_are_kept before delete or truncate on email_changes
  for each statement execute function refuse_change();

-- Withdrawals of a trader that are neither requested, approved nor paid meanwhile.
create table withdrawal_pauses (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  cause text not null check (cause in ('email_changed', 'disowned')),
  started_at timestamptz not null default clock_timestamp(),
  -- Null: until the trader signs in with a password that they set by an e-mailed link.
  until timestamptz,
  reset_at timestamptz,
  ended_at timestamptz,
  constraint withdrawal_pauses_until check ((cause = 'disowned') = (until is null)),
  constraint withdrawal_pauses_end check (ended_at is null or reset_at is not null),
  constraint withdrawal_pauses_reset check (reset_at is null or until is null)
);
create index withdrawal_pauses_of_user on withdrawal_pauses (user_id, started_at);
grant select, insert (user_id, cause), update (reset_at, ended_at) on withdrawal_pauses to cleartick_app;

create function withdrawal_pauses_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.started_at = clock_timestamp();
    new.until = case when new.cause = 'email_changed' then new.started_at + interval '24 hours' end;
  elsif old.ended_at is not null or old.reset_at is not null and new.reset_at is distinct from old.reset_at then
    raise exception 'the pause % is final', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger withdrawal_pauses_change before insert or update on withdrawal_pauses
  for each row execute function withdrawal_pauses_change();
create trigger withdrawal_pauses_are_kept before delete or truncate on withdrawal_pauses
  for each statement execute function refuse_change();

create function withdrawals_wait_for_owner() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.status = old.status then
      return new;
    end if;
  end if;
  if exists (
    select from withdrawal_pauses p
    where p.user_id = new.user_id and p.ended_at is null and coalesce(p.until, 'infinity') > clock_timestamp()
  ) then
    raise exception 'withdrawals of user % are paused', new.user_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger withdrawals_wait_for_owner before insert or update on withdrawals
  for each row when (new.status in ('Pending', 'Processing', 'Paid')) execute function withdrawals_wait_for_owner();

-- A confirmed address changes only with both confirmations, and with the pause.
create function users_change_email() returns trigger language plpgsql as $$
begin
  if not exists (
    select from email_changes c
    where c.user_id = old.id and c.outcome = 'Done' and c.old_email = old.email and c.new_email = new.email
      and c.ended_at >= transaction_timestamp()
  ) or not exists (
    select from withdrawal_pauses p
    where p.user_id = old.id and p.cause = 'email_changed' and p.started_at >= transaction_timestamp()
  ) then
    raise exception 'nobody confirmed another address for user %', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger users_change_email before update of email on users
  for each row when (old.email_confirmed_at is not null and new.email <> old.email) execute function users_change_email();

alter table one_time_tokens drop constraint one_time_tokens_purpose_check;
alter table one_time_tokens add constraint one_time_tokens_purpose_check check (purpose in (
  'onboarding', 'confirm_email', 'reset_password', 'stop_factor_reset', 'change_email', 'new_email', 'disown_sign_in'
)) not valid;
alter table sessions drop constraint sessions_end_reason_check;
alter table sessions add constraint sessions_end_reason_check check (end_reason in (
  'signed_out', 'ended_by_owner', 'password_changed', 'password_reset', 'token_reused', 'account_replaced',
  'sign_in_locked', 'email_confirmed', 'email_changed', 'disowned'
)) not valid;
