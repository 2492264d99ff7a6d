-- Up Migration
-- Inviting an operator and changing roles take two admins; a returning operator is a new operator; and two people are two
-- addresses, so that nobody approves their own proposal under an account from before or after.

create table operator_changes (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('invite', 'roles')),
  email text not null check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:],:;<>"]'),
  -- Whose roles change; null for an invitation.
  operator_id bigint references operators,
  roles text[] not null check (
    cardinality(roles) > 0 and roles <@ array['support', 'compliance', 'finance', 'risk', 'admin', 'auditor']
  ),
  reason text not null default '' check (length(reason) <= 500),
  status text not null default 'Pending' check (status in ('Pending', 'Approved', 'Rejected')),
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  constraint operator_changes_of check ((kind = 'roles') = (operator_id is not null)),
  constraint operator_changes_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint operator_changes_four_eyes check (decided_by <> proposed_by),
  constraint operator_changes_reason check ((status = 'Rejected') = (decision_reason is not null))
);
create unique index operator_changes_pending on operator_changes (lower(email)) where status = 'Pending';
create trigger operator_changes_decided_once before update on operator_changes for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger operator_changes_are_kept before delete on operator_changes for each statement execute function refuse_change();
grant select, insert on operator_changes to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason) on operator_changes to cleartick_app;

-- An address may have several operators over time, one of them at work.
drop index operators_email;
create unique index operators_email on operators (lower(email)) where ended_at is null;

-- Whoever is invited, except from the host, was proposed by one admin and approved by another.
alter table operator_invitations add column change_id bigint unique references operator_changes;
create function invitations_take_two() returns trigger language plpgsql as $$
begin
  if new.invited_by is not null and not exists (
    select from operator_changes c where c.id = new.change_id and c.kind = 'invite' and c.status = 'Approved'
      and lower(c.email) = lower(new.email) and c.roles = new.roles
  ) then
    raise exception 'the invitation of % was not approved by two admins', new.email using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger invitations_take_two before insert on operator_invitations for each row execute function invitations_take_two();

-- Roles change by an approved change of the same transaction, or as the host invites an operator again.
create function roles_take_two() returns trigger language plpgsql as $$
begin
  if not exists (
    select from operator_changes c where c.operator_id = new.id and c.kind = 'roles' and c.status = 'Approved'
      and c.roles = new.roles and c.decided_at >= transaction_timestamp()
  ) and not exists (
    select from operator_invitations i where lower(i.email) = lower(new.email) and i.invited_by is null
      and i.roles = new.roles and i.used_at >= transaction_timestamp()
  ) then
    raise exception 'the roles of operator % were not changed by two admins', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger roles_take_two before update of roles on operators for each row when (old.roles is distinct from new.roles)
  execute function roles_take_two();

-- A person is an address: the second person must have another one. Arguments: the columns of the first and the second.
create function take_two_people() returns trigger language plpgsql as $$
declare
  person jsonb = to_jsonb(new);
begin
  if (select count(distinct lower(o.email)) from operators o
      where o.id in ((person ->> tg_argv[0])::bigint, (person ->> tg_argv[1])::bigint)) < 2
    and person ->> tg_argv[1] is not null
  then
    raise exception 'operator % decides on their own proposal', person ->> tg_argv[1]
      using errcode = 'integrity_constraint_violation', constraint = 'two_people';
  end if;
  return new;
end
$$;
create trigger adjustments_two_people after update of decided_by on adjustments
  for each row execute function take_two_people('proposed_by', 'decided_by');
create trigger settings_changes_two_people after update of decided_by on settings_changes
  for each row execute function take_two_people('proposed_by', 'decided_by');
create trigger reversal_proposals_two_people after update of decided_by on reversal_proposals
  for each row execute function take_two_people('proposed_by', 'decided_by');
create trigger factor_resets_two_people after update of decided_by on factor_resets
  for each row execute function take_two_people('proposed_by', 'decided_by');
create trigger operator_changes_two_people after update of decided_by on operator_changes
  for each row execute function take_two_people('proposed_by', 'decided_by');
create trigger trade_voids_two_people after update of completed_by on trade_voids
  for each row execute function take_two_people('proposed_by', 'completed_by');

create function approvals_are_by_two_people() returns trigger language plpgsql as $$
declare
  same boolean;
begin
  if tg_table_name = 'deposit_approvals' then
    select exists (
      select from deposit_approvals a join operators o on o.id = a.operator_id join operators n on n.id = new.operator_id
      where a.deposit_id = new.deposit_id and a.operator_id <> new.operator_id and lower(o.email) = lower(n.email)) into same;
  else
    select exists (
      select from withdrawal_approvals a join operators o on o.id = a.operator_id join operators n on n.id = new.operator_id
      where a.withdrawal_id = new.withdrawal_id and a.operator_id <> new.operator_id and lower(o.email) = lower(n.email)) into same;
  end if;
  if same then
    raise exception 'operator % has approved this before', new.operator_id
      using errcode = 'integrity_constraint_violation', constraint = 'two_people';
  end if;
  return new;
end
$$;
create trigger deposit_approvals_two_people after insert on deposit_approvals
  for each row execute function approvals_are_by_two_people();
create trigger withdrawal_approvals_two_people after insert on withdrawal_approvals
  for each row execute function approvals_are_by_two_people();
