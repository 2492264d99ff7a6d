-- Up Migration
-- Limits that traders set for themselves, time-outs and self-exclusions.

-- What an account staked and lost in the current day, week (from Monday) and month, in UTC. On the row that acceptance and
-- settlement change anyway: counting costs no query, and a limit reads the count under the account's lock. A count
-- belongs to the period of `counted_on`; in a later period it's 0.
alter table accounts
  add column guarded boolean not null default false,
  add column counted_on date not null default '1970-01-01',
  add column staked_day bigint not null default 0,
  add column staked_week bigint not null default 0,
  add column staked_month bigint not null default 0,
  add column lost_day bigint not null default 0,
  add column lost_week bigint not null default 0,
  add column lost_month bigint not null default 0;
comment on column accounts.guarded is 'Its trades are checked against the row of `guards`. Never reset';
comment on column accounts.lost_day is 'Cents lost in settled trades less cents won, so below 0 after a gain';
grant update (guarded, counted_on, staked_day, staked_week, staked_month, lost_day, lost_week, lost_month) on accounts to cleartick_app;

-- One row for each real account that ever had a limit, a time-out or an exclusion. Null: no limit.
create table guards (
  account_id bigint primary key references accounts,
  deposits_day cents check (deposits_day >= 100),
  deposits_week cents check (deposits_week >= 100),
  deposits_month cents check (deposits_month >= 100),
  losses_day cents check (losses_day >= 100),
  losses_week cents check (losses_week >= 100),
  losses_month cents check (losses_month >= 100),
  stakes_day cents check (stakes_day >= 100),
  stakes_week cents check (stakes_week >= 100),
  stakes_month cents check (stakes_month >= 100),
  -- Minutes.
  time_day integer check (time_day between 15 and 1440),
  time_week integer check (time_week between 15 and 10080),
  time_month integer check (time_month between 15 and 44640),
  check_minutes integer check (check_minutes in (15, 30, 60, 120)),
  -- Until when real money may not be deposited or traded; 'infinity' until an exclusion is lifted. From `exclusions`.
  blocked_until timestamptz,
  -- Time with the app open: up to when it's counted, since when, at which movement of the account that began, and seconds
  -- of this session, since the last confirmed reality check, and of the periods of `time_on`.
  seen_at timestamptz,
  session_from timestamptz,
  session_seq bigint not null default 0,
  session_seconds integer not null default 0,
  unchecked_seconds integer not null default 0,
  check_number integer not null default 1,
  time_on date not null default '1970-01-01',
  spent_day integer not null default 0,
  spent_week integer not null default 0,
  spent_month integer not null default 0,
  constraint guards_of_real_accounts check (account_id % 2 = 0)
) with (fillfactor = 60);
grant select, insert (account_id) on guards to cleartick_app;
grant update on guards to cleartick_app;

-- Every change of a limit. A tighter one applies at once. A looser one must be confirmed, from 24 hours after its request
-- and within the 7 days that follow.
create table guard_changes (
  id bigint generated always as identity primary key,
  account_id bigint not null references guards,
  -- A column of `guards`.
  guard text not null check (guard ~ '^((deposits|losses|stakes|time)_(day|week|month)|check_minutes)$'),
  from_value bigint,
  to_value bigint,
  requested_at timestamptz not null default transaction_timestamp(),
  due_at timestamptz not null,
  applied_at timestamptz,
  cancelled_at timestamptz,
  constraint guard_changes_something check (from_value is distinct from to_value),
  constraint guard_changes_loosen_late check (
    from_value is null or to_value < from_value or due_at >= requested_at + interval '24 hours'
  ),
  constraint guard_changes_in_time check (applied_at >= due_at and applied_at < due_at + interval '7 days'),
  constraint guard_changes_one_end check (num_nonnulls(applied_at, cancelled_at) < 2)
);
create unique index guard_changes_pending on guard_changes (account_id, guard) where applied_at is null and cancelled_at is null;
create index guard_changes_of_account on guard_changes (account_id, id);
create trigger guard_changes_end_once before update on guard_changes for each row
  when (old.applied_at is not null or old.cancelled_at is not null) execute function refuse_change();
create trigger guard_changes_are_kept before delete or truncate on guard_changes for each statement execute function refuse_change();
grant select, insert (account_id, guard, from_value, to_value, due_at, applied_at), update (applied_at, cancelled_at)
  on guard_changes to cleartick_app;

-- A limit changes only by a change that this transaction has applied.
create function guards_follow_changes() returns trigger language plpgsql as $$
declare
  missing text;
begin
  select n.key into missing from jsonb_each_text(to_jsonb(new)) n join jsonb_each_text(to_jsonb(old)) o using (key)
  where n.key ~ '^((deposits|losses|stakes|time)_(day|week|month)|check_minutes)$' and n.value is distinct from o.value
    and not exists (
      select from guard_changes c
      where c.account_id = new.account_id and c.guard = n.key and c.applied_at >= transaction_timestamp()
        and c.from_value is not distinct from o.value::bigint and c.to_value is not distinct from n.value::bigint
    )
  limit 1;
  if found then
    raise exception 'the limit % of account % changes without a change that is due', missing, new.account_id
      using errcode = 'integrity_constraint_violation', constraint = 'guards_follow_changes';
  end if;
  return new;
end
$$;
create trigger guards_follow_changes before update of deposits_day, deposits_week, deposits_month, losses_day, losses_week, losses_month,
  stakes_day, stakes_week, stakes_month, time_day, time_week, time_month, check_minutes
  on guards for each row execute function guards_follow_changes();

create type exclusion_kind as enum ('time_out', 'exclusion');

-- Time-outs and self-exclusions. Nobody can shorten one: rows are final, but for the return that a trader requests after
-- the end of an exclusion.
create table exclusions (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  kind exclusion_kind not null,
  starts_at timestamptz not null default clock_timestamp(),
  -- Null: permanent.
  ends_at timestamptz,
  -- The operator who recorded it at the trader's request, and what the trader asked for.
  operator_id bigint,
  reason text check (length(reason) between 1 and 500),
  -- The exclusion of another account of the same person that this one carries over.
  carried_from bigint references exclusions,
  -- What identifies the person, as it was: the normalized address, the names, and the date of birth.
  email_key text not null,
  name_key text not null,
  date_of_birth date,
  -- When an exclusion ends after the trader asked to come back.
  return_at timestamptz,
  constraint exclusions_length check (
    carried_from is not null or case kind
      when 'time_out' then ends_at between starts_at + interval '23 hours 59 minutes' and starts_at + interval '42 days 1 minute'
      else ends_at is null or ends_at >= starts_at + interval '6 months' - interval '1 minute'
    end
  ),
  constraint exclusions_time_out_ends check (kind = 'exclusion' or ends_at is not null and return_at is null),
  constraint exclusions_return_late check (return_at is null or return_at >= ends_at + interval '24 hours'),
  constraint exclusions_by_desk check ((operator_id is null) = (reason is null))
);
create index exclusions_of_user on exclusions (user_id, id);
create index exclusions_by_email on exclusions (email_key) where kind = 'exclusion';
create index exclusions_by_name on exclusions (name_key, date_of_birth) where kind = 'exclusion';
create unique index exclusions_carried_once on exclusions (user_id, carried_from) where carried_from is not null;
create trigger exclusions_are_kept before delete or truncate on exclusions for each statement execute function refuse_change();
grant select, insert (user_id, kind, ends_at, operator_id, reason, carried_from, email_key, name_key, date_of_birth), update (return_at)
  on exclusions to cleartick_app;

-- A return is requested once, after the end, and takes effect 24 hours later.
create function exclusions_return_once() returns trigger language plpgsql as $$
begin
  if old.return_at is not null or new.return_at is null or old.ends_at is null or old.ends_at > clock_timestamp()
    or new.return_at < clock_timestamp() + interval '23 hours 59 minutes'
  then
    raise exception 'exclusion % is not over', old.id using errcode = 'restrict_violation', constraint = 'exclusions_return_once';
  end if;
  return new;
end
$$;
create trigger exclusions_return_once before update on exclusions for each row execute function exclusions_return_once();

-- Whatever a statement writes to `blocked_until`, it becomes what the exclusions say.
create function guards_follow_exclusions() returns trigger language plpgsql as $$
begin
  select max(case when e.kind = 'time_out' then e.ends_at else coalesce(e.return_at, 'infinity') end) into new.blocked_until
  from exclusions e where e.user_id = new.account_id / 2;
  return new;
end
$$;
create trigger guards_follow_exclusions before update of blocked_until on guards for each row execute function guards_follow_exclusions();
