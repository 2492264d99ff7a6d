-- Up Migration
-- One table for all that one operator proposes and another decides. Stop all nodes of older versions first.

create type proposal_status as enum ('Pending', 'Approved', 'Rejected', 'Withdrawn');

create table proposals (
  kind text not null check (kind ~ '^[a-z][a-z-]{2,39}$'),
  -- The public id: unique for its kind, because rows from before this table kept theirs.
  id bigint generated always as identity,
  -- At most one proposal about a subject can be pending. Null: any number can.
  subject text check (length(subject) between 1 and 300),
  payload jsonb not null default '{}' check (jsonb_typeof(payload) = 'object'),
  reason text not null,
  status proposal_status not null default 'Pending',
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  primary key (kind, id),
  -- Only an invitation gives no reason.
  constraint proposals_say_why check (length(reason) <= 500 and (length(reason) >= 1 or kind = 'operator-changes')),
  constraint proposals_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint proposals_reason check (
    case status when 'Rejected' then decision_reason is not null when 'Withdrawn' then true else decision_reason is null end
  ),
  -- What is withdrawn has no effect. These kinds can be, by anyone, their proposer included.
  constraint proposals_withdrawn check (status <> 'Withdrawn' or kind in ('rulings', 'venue-switches')),
  constraint proposals_four_eyes check (status = 'Withdrawn' or decided_by <> proposed_by)
);
create unique index proposals_pending on proposals (kind, subject) where status = 'Pending';
create index proposals_of_subject on proposals (kind, subject);

create function proposals_decided_by_another() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.status <> 'Pending' or row(old.kind, old.id, old.subject, old.payload, old.reason, old.proposed_by, old.proposed_at)
      is distinct from row(new.kind, new.id, new.subject, new.payload, new.reason, new.proposed_by, new.proposed_at)
    then
      raise exception 'proposal % of % is refused another change: it is final', old.id, old.kind using errcode = 'insufficient_privilege';
    end if;
    -- An approval counts in its own transaction, so nobody may date it.
    new.decided_at = case when new.status <> 'Pending' then clock_timestamp() end;
  end if;
  -- Two people are two addresses, so that nobody decides their own proposal under an earlier or later account.
  if new.status in ('Approved', 'Rejected')
    and (select count(distinct lower(o.email)) from operators o where o.id in (new.proposed_by, new.decided_by)) < 2
  then
    raise exception 'operator % decides on their own proposal', new.decided_by
      using errcode = 'integrity_constraint_violation', constraint = 'two_people';
  end if;
  return new;
end
$$;
create trigger proposals_decided_by_another before insert or update on proposals
  for each row execute function proposals_decided_by_another();
create trigger proposals_are_kept before delete or truncate on proposals for each statement execute function refuse_change();
grant select, insert (kind, subject, payload, reason, proposed_by), update (status, decided_by, decision_reason) on proposals to cleartick_app;

-- Returns the proposals about a subject that this transaction approved.
create function approved_now(of_kind text, about text) returns setof proposals language sql stable as $$
  select p.* from proposals p
  where p.kind = of_kind and p.subject = about and p.status = 'Approved' and p.decided_at >= transaction_timestamp()
$$;

-- Details, such as amounts, are written with their proposal and never change. Argument: the kind.
create function details_come_with_proposal() returns trigger language plpgsql as $$
begin
  if not exists (
    select from proposals p where p.kind = tg_argv[0] and p.id = new.id and p.status = 'Pending' and p.proposed_at >= transaction_timestamp()
  ) then
    raise exception 'there is no new proposal % of %', new.id, tg_argv[0] using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;

insert into proposals (kind, id, subject, payload, reason, status, proposed_by, proposed_at, decided_by, decided_at, decision_reason)
overriding system value
select kind, id, subject, payload, reason, status::proposal_status, proposed_by, proposed_at, decided_by, decided_at, decision_reason
from (
  select 'settings' as kind, id, null as subject, jsonb_build_object('changes', changes, 'before', before) as payload,
    reason, status::text, proposed_by, proposed_at, decided_by, decided_at, decision_reason from settings_changes
  union all
  select 'payout-resumptions', id, halt_id::text, '{}',
    reason, status::text, proposed_by, proposed_at, decided_by, decided_at, decision_reason from payout_resumptions
  union all
  select 'strategy-restarts', id, strategy::text, '{}',
    reason, status::text, proposed_by, proposed_at, decided_by, decided_at, decision_reason from strategy_restarts
  union all
  select 'reversals', id, deposit_id::text, '{}',
    reason, status::text, proposed_by, proposed_at, decided_by, decided_at, decision_reason from reversal_proposals
  union all
  select 'operator-changes', id, lower(email),
    jsonb_build_object('kind', kind, 'email', email, 'operator_id', operator_id::text, 'roles', roles),
    reason, status::text, proposed_by, proposed_at, decided_by, decided_at, decision_reason from operator_changes
  union all
  select 'factor-resets', id, user_id::text, '{}', reason, case when status in ('Stopped', 'Done') then 'Approved' else status::text end,
    proposed_by, proposed_at, decided_by, decided_at, decision_reason from factor_resets
) moved;
-- New ids are above all earlier ones, of any kind.
select setval(pg_get_serial_sequence('proposals', 'id'), (select coalesce(max(id), 0) + 1 from proposals));

create or replace function payouts_resume_by_two_people() returns trigger language plpgsql as $$
begin
  if not exists (select from approved_now('payout-resumptions', old.id::text)) then
    raise exception 'resuming payouts was not approved by two operators' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;

create or replace function strategies_restart_by_two_people() returns trigger language plpgsql as $$
begin
  if not exists (select from approved_now('strategy-restarts', old.strategy::text)) then
    raise exception 'switching on the strategy % was not approved by two operators', old.strategy
      using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$$;

create or replace function roles_by_two_people() returns trigger language plpgsql as $$
begin
  if not exists (
    select from proposals p where p.kind = 'operator-changes' and p.status = 'Approved' and p.decided_at >= transaction_timestamp()
      and p.payload ->> 'kind' = 'roles' and p.payload ->> 'operator_id' = new.id::text and p.payload -> 'roles' = to_jsonb(new.roles)
  ) and not exists (
    select from operator_invitations i where lower(i.email) = lower(new.email) and i.invited_by is null
      and i.roles = new.roles and i.used_at >= transaction_timestamp()
  ) then
    raise exception 'the roles of operator % were not changed by two admins', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;

create or replace function invitations_by_two_people() returns trigger language plpgsql as $$
begin
  if new.invited_by is not null and not exists (
    select from proposals p where p.kind = 'operator-changes' and p.id = new.change_id and p.status = 'Approved'
      and p.payload ->> 'kind' = 'invite' and lower(p.payload ->> 'email') = lower(new.email) and p.payload -> 'roles' = to_jsonb(new.roles)
  ) then
    raise exception 'the invitation of % was not approved by two admins', new.email using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
alter table operator_invitations drop constraint operator_invitations_change_id_fkey;

drop table settings_changes, payout_resumptions, strategy_restarts, operator_changes;
drop type operator_change_kind;

-- What a reversal would reverse.
drop trigger reversal_proposals_decided_once on reversal_proposals;
drop trigger reversal_proposals_two_people on reversal_proposals;
drop trigger reversal_proposals_are_kept on reversal_proposals;
alter table reversal_proposals
  drop column reason, drop column status, drop column proposed_by, drop column proposed_at, drop column decided_by,
  drop column decided_at, drop column decision_reason, alter column id drop identity;
create trigger reversal_proposals_come_with_proposal before insert on reversal_proposals
  for each row execute function details_come_with_proposal('reversals');
create trigger reversal_proposals_are_final before update or delete or truncate on reversal_proposals
  for each statement execute function refuse_change();

create or replace function deposit_reversals_need_cause() returns trigger language plpgsql as $$
begin
  if not exists (select from card_events where id = new.reference)
    and not exists (
      select from reversal_proposals r join proposals p on p.kind = 'reversals' and p.id = r.id
      where r.deposit_id = new.deposit_id and r.amount = new.amount and r.reference = new.reference and p.status = 'Approved'
    ) then
    raise exception 'the reversal of deposit % has neither an approved proposal nor an event of the card provider', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;

-- The 24 hours of an approved reset, and what became of it.
create type factor_reset_outcome as enum ('Stopped', 'Done');
drop trigger factor_resets_final on factor_resets;
drop trigger factor_resets_two_people on factor_resets;
drop trigger factor_resets_are_kept on factor_resets;
drop index factor_resets_open;
drop index factor_resets_due_next;
delete from factor_resets where status in ('Pending', 'Rejected');
alter table factor_resets add column outcome factor_reset_outcome;
update factor_resets set outcome = status::text::factor_reset_outcome where status <> 'Approved';
alter table factor_resets
  drop column reason, drop column status, drop column proposed_by, drop column proposed_at, drop column decided_by,
  drop column decided_at, drop column decision_reason, alter column id drop identity, alter column due_at set not null,
  add constraint factor_resets_ended check ((outcome is null) = (ended_at is null)),
  add constraint factor_resets_not_early check (outcome <> 'Done' or ended_at >= due_at);
drop type factor_reset_status;
create unique index factor_resets_open on factor_resets (user_id) where outcome is null;
create index factor_resets_due_next on factor_resets (due_at) where outcome is null;
create function factor_resets_follow_approval() returns trigger language plpgsql as $$
begin
  if not exists (
    select from approved_now('factor-resets', new.user_id::text) p where p.id = new.id and new.due_at >= p.decided_at + interval '24 hours'
  ) then
    raise exception 'the second factor reset % was not approved by two operators, with 24 hours to stop it', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger factor_resets_follow_approval before insert on factor_resets
  for each row execute function factor_resets_follow_approval();
create trigger factor_resets_final before update on factor_resets for each row
  when (old.outcome is not null or row(old.id, old.user_id, old.due_at) is distinct from row(new.id, new.user_id, new.due_at))
  execute function refuse_change();
create trigger factor_resets_are_kept before delete or truncate on factor_resets for each statement execute function refuse_change();
revoke update on factor_resets from cleartick_app;
grant update (outcome, ended_at) on factor_resets to cleartick_app;
