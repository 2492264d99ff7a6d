-- Up Migration
-- What one operator could still do alone: lift another role's lock, exclude permanently, end an admin, reject a large
-- deposit, and reset a second factor without the e-mail that lets the trader stop it.
-- Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0110_second_person_of_the_desk', '0107_no_one_person');

-- The roles with which an operator set a lock: one of them can lift it alone.
alter table user_locks add column roles text[] not null default '{}';
update user_locks l set roles = array(
  select r from operators o, unnest(o.roles::text[]) r where o.id = l.operator_id and r in ('risk', 'compliance')
);
revoke update on user_locks from cleartick_app;
create function user_locks_keep_roles() returns trigger language plpgsql as $$
begin
  new.at = clock_timestamp();
  new.roles = array(
    select r from operators o, unnest(o.roles::text[]) r where o.id = new.operator_id and r in ('risk', 'compliance')
  );
  return new;
end
$$;
create trigger user_locks_keep_roles before insert on user_locks for each row execute function user_locks_keep_roles();

-- Who lifted which lock. It's written first, and the lock is removed in the same transaction.
create table lock_lifts (
  id bigint generated always as identity,
  user_id bigint not null references users,
  kind lock_kind not null,
  operator_id bigint not null references operators,
  at timestamptz not null default clock_timestamp(),
  -- The lock, as it was.
  set_by bigint references operators,
  set_at timestamptz,
  roles text[],
  -- The approved proposal; null if the operator has the role that set it.
  proposal_id bigint,
  primary key (user_id, id)
);
create trigger lock_lifts_are_final before update or delete or truncate on lock_lifts
  for each statement execute function refuse_change();
grant select, insert (user_id, kind, operator_id) on lock_lifts to cleartick_app;

create function lock_lifts_by_role_or_two() returns trigger language plpgsql as $$
begin
  select l.operator_id, l.at, l.roles into new.set_by, new.set_at, new.roles
  from user_locks l where l.user_id = new.user_id and l.kind = new.kind;
  if not found then
    raise exception 'user % has no lock of %', new.user_id, new.kind using errcode = 'integrity_constraint_violation';
  end if;
  new.proposal_id = (
    select p.id from approved_now('account-changes', 'unlock ' || new.user_id) p where p.payload -> 'locks' ? new.kind::text
  );
  if new.proposal_id is null and not exists (
    select from operators o where o.id = new.operator_id and o.ended_at is null and o.roles::text[] && new.roles
  ) then
    raise exception 'the lock of % of user % is lifted by neither its role nor two people', new.kind, new.user_id
      using errcode = 'integrity_constraint_violation', constraint = 'lock_lifts_by_role_or_two';
  end if;
  return new;
end
$$;
create trigger lock_lifts_by_role_or_two before insert on lock_lifts
  for each row execute function lock_lifts_by_role_or_two();

create function user_locks_are_lifted() returns trigger language plpgsql as $$
begin
  if not exists (
    select from lock_lifts f
    where f.user_id = old.user_id and f.kind = old.kind and f.set_at = old.at and f.at >= transaction_timestamp()
  ) then
    raise exception 'nobody lifted the lock of % of user %', old.kind, old.user_id using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$$;
create trigger user_locks_are_lifted before delete on user_locks for each row execute function user_locks_are_lifted();
create trigger user_locks_are_kept before truncate on user_locks for each statement execute function refuse_change();

-- Where a lock takes effect, it stays until it's lifted.
create function locks_take_effect() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'accounts' then
    if exists (select from user_locks where user_id = new.user_id and kind = 'trading') then
      raise exception 'trading of user % is locked', new.user_id using errcode = 'integrity_constraint_violation';
    end if;
  elsif exists (select from user_locks where user_id = new.id and kind = 'sign_in') then
    raise exception 'signing in of user % is locked', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger locks_take_effect before update of trading_locked on accounts
  for each row when (old.trading_locked and not new.trading_locked) execute function locks_take_effect();
create trigger locks_take_effect before update of sign_in_locked_at on users
  for each row when (old.sign_in_locked_at is not null and new.sign_in_locked_at is null) execute function locks_take_effect();

-- An operator records a permanent exclusion with the risk or compliance role, or together with another.
create function exclusions_permanent_by_two() returns trigger language plpgsql as $$
begin
  if not exists (
    select from operators o where o.id = new.operator_id and o.ended_at is null and o.roles::text[] && array['risk', 'compliance']
  ) and not exists (select from approved_now('account-changes', 'exclude ' || new.user_id)) then
    raise exception 'the permanent exclusion of user % was not approved by two people', new.user_id
      using errcode = 'integrity_constraint_violation', constraint = 'exclusions_permanent_by_two';
  end if;
  return new;
end
$$;
create trigger exclusions_permanent_by_two before insert on exclusions for each row
  when (new.operator_id is not null and new.kind = 'exclusion' and new.ends_at is null)
  execute function exclusions_permanent_by_two();

-- Ending an admin takes two admins, and nobody returns under an ended account.
create function operators_end_by_two_people() returns trigger language plpgsql as $$
begin
  if old.ended_at is not null then
    raise exception 'operator % has ended', old.id using errcode = 'integrity_constraint_violation';
  end if;
  if 'admin' = any (old.roles::text[]) and not exists (
    select from approved_now('operator-changes', email_key_of(old.email)) p
    where p.payload ->> 'kind' = 'end' and p.payload ->> 'operator_id' = old.id::text
  ) then
    raise exception 'ending the admin % was not approved by two admins', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger operators_end_by_two_people before update of ended_at on operators for each row
  when (old.ended_at is distinct from new.ended_at) execute function operators_end_by_two_people();

-- Rejecting a deposit above the threshold takes two people.
create function deposits_rejected_by_two() returns trigger language plpgsql as $$
begin
  if new.submitted > (select deposit_two_person_above from cashier_settings)
    and not exists (select from approved_now('deposit-rejections', new.id::text) p where p.reason = new.reason)
  then
    raise exception 'the rejection of deposit % was not approved by two people', new.id
      using errcode = 'integrity_constraint_violation', constraint = 'deposits_rejected_by_two';
  end if;
  return new;
end
$$;
create trigger deposits_rejected_by_two before update of status on deposits for each row
  when (new.status = 'Rejected' and old.status = 'Pending' and new.method = 'crypto') execute function deposits_rejected_by_two();

-- From the newest row on, verify looks at rejections too.
alter table approval_limits add column of_rejections boolean not null default false;
alter table approval_limits alter column of_rejections set default true;
update cashier_settings set only_row = only_row;

-- The e-mail with the link that stops a reset; 0 for earlier ones, whose e-mail is not known.
alter table factor_resets add column mail_id bigint not null default 0;
alter table factor_resets alter column mail_id drop default;
create or replace function factor_resets_follow_approval() returns trigger language plpgsql as $$
begin
  if not exists (
    select from approved_now('factor-resets', new.user_id::text) p where p.id = new.id and new.due_at >= p.decided_at + interval '24 hours'
  ) then
    raise exception 'the second factor reset % was not approved by two operators, with 24 hours to stop it', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  if not exists (
    select from mails m join users u on lower(u.email) = lower(m.recipient)
    where m.id = new.mail_id and u.id = new.user_id and m.state = 'waiting' and m.created_at >= transaction_timestamp()
  ) then
    raise exception 'the second factor reset % has no e-mail to its trader', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
grant insert (mail_id) on factor_resets to cleartick_app;

-- Whether the approval of one person would not be enough, as far as it's known: for lists, which lock nothing. The
-- decision locks the limits and counts again.
create or replace function deposit_takes_two(deposit bigint, to_credit bigint, approver bigint) returns boolean language plpgsql as $$
begin
  perform lock_approval_limits(approver);
  return deposit_would_take_two(deposit, to_credit, approver);
end
$$;
create or replace function withdrawal_takes_two(withdrawal bigint, approver bigint) returns boolean language plpgsql as $$
begin
  perform lock_approval_limits(approver);
  return withdrawal_would_take_two(withdrawal, approver);
end
$$;
create function deposit_would_take_two(deposit bigint, to_credit bigint, approver bigint) returns boolean language sql stable as $$
  select to_credit > d.submitted
    or to_credit + coalesce(sum(a.amount) filter (where a.user_id = d.user_id), 0) > min(s.deposit_two_person_above)
    or to_credit + coalesce(sum(a.amount) filter (where a.item = 'deposit'), 0) > min(s.deposit_operator_day_above)
  from cashier_settings s, deposits d left join approved_alone(approver) a on true where d.id = deposit group by d.id
$$;
create function withdrawal_would_take_two(withdrawal bigint, approver bigint) returns boolean language sql stable as $$
  select has_approved_for(approver, w.user_id)
    or w.amount + coalesce(sum(a.amount) filter (where a.user_id = w.user_id), 0) > min(s.withdrawal_two_person_above)
    or w.amount + coalesce(sum(a.amount) filter (where a.item = 'withdrawal'), 0) > min(s.withdrawal_operator_day_above)
  from cashier_settings s, withdrawals w left join approved_alone(approver) a on true where w.id = withdrawal group by w.id
$$;
