-- Up Migration
-- Adjustments, rulings about complaints and voids of trades become proposals, with their amounts in tables of details.
-- Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0104_proposals_of_money', '0103_proposals_of_instruments');

insert into proposals (kind, id, subject, reason, status, proposed_by, proposed_at, decided_by, decided_at, decision_reason)
overriding system value
select 'adjustments', id, null, reason, status::text::proposal_status, proposed_by, proposed_at, decided_by, decided_at, decision_reason
from adjustments
union all
-- A ruling that was sent back is proposed again; its proposer may do this too.
select 'rulings', id, complaint_id::text, reason, case status when 'Rejected' then 'Withdrawn' else status::text::proposal_status end,
  proposed_by, proposed_at, decided_by, decided_at, decision_reason
from complaint_rulings;
select setval('proposals_id_seq', (select max(id) + 1 from (
  select id from proposals union all select id from venue_switches union all select 0
) used));
insert into proposals (kind, subject, reason, status, proposed_by, proposed_at, decided_by, decided_at)
select 'voids', trade_id::text, reason, case when completed_by is null then 'Pending' else 'Approved' end::proposal_status,
  proposed_by, proposed_at, completed_by, completed_at
from trade_voids order by proposed_at;

drop trigger adjustments_decided_once on adjustments;
drop trigger adjustments_two_people on adjustments;
drop trigger adjustments_are_kept on adjustments;
alter table adjustments
  drop column reason, drop column status, drop column proposed_by, drop column proposed_at, drop column decided_by,
  drop column decided_at, drop column decision_reason, alter column id drop identity;
create trigger adjustments_come_with_proposal before insert on adjustments
  for each row execute function details_come_with_proposal('adjustments');
create trigger adjustments_are_final before update or delete or truncate on adjustments
  for each statement execute function refuse_change();

-- A ruling's details say when it was approved and paid; the rest is its proposal.
drop trigger complaint_rulings_decided_once on complaint_rulings;
drop trigger complaint_rulings_two_people on complaint_rulings;
drop index complaint_rulings_unpaid;
drop index complaint_rulings_approved;
drop index complaint_rulings_pending;
alter table complaint_rulings add column approved_at timestamptz;
update complaint_rulings set approved_at = decided_at where status = 'Approved';
alter table complaint_rulings
  drop column reason, drop column status, drop column proposed_by, drop column proposed_at, drop column decided_by,
  drop column decided_at, drop column decision_reason, alter column id drop identity,
  add constraint complaint_rulings_adjusts check ((adjustment_id is not null) = (remedy = 'credit' and approved_at is not null)),
  add constraint complaint_rulings_paid check (paid_at is null or approved_at is not null);
create unique index complaint_rulings_approved on complaint_rulings (complaint_id) where approved_at is not null;
create index complaint_rulings_unpaid on complaint_rulings (id) where approved_at is not null and paid_at is null;
create trigger complaint_rulings_come_with_proposal before insert on complaint_rulings
  for each row execute function details_come_with_proposal('rulings');
create function complaint_rulings_follow_approval() returns trigger language plpgsql as $$
declare
  changes constant text[] = case when old.approved_at is null then '{approved_at,adjustment_id,paid_at}' else '{paid_at}' end;
begin
  if old.paid_at is not null or to_jsonb(new) - changes is distinct from to_jsonb(old) - changes then
    raise exception 'ruling % is refused another change: it is final', old.id using errcode = 'insufficient_privilege';
  end if;
  if old.approved_at is null and not exists (select from approved_now('rulings', old.complaint_id::text) p where p.id = old.id) then
    raise exception 'ruling % was not approved by two operators', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger complaint_rulings_follow_approval before update on complaint_rulings
  for each row execute function complaint_rulings_follow_approval();
grant insert (id), update (approved_at) on complaint_rulings to cleartick_app;

create or replace function complaints_close_by_two_people() returns trigger language plpgsql as $$
begin
  if not exists (
    select from approved_now('rulings', old.id::text) p join complaint_rulings r on r.id = p.id
    where r.complaint_id = old.id and r.upheld = (new.status = 'Upheld')
  ) then
    raise exception 'the ruling about complaint % was not approved by two operators', old.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;

create or replace function trade_remedies_follow_rulings() returns trigger language plpgsql as $$
declare
  wrong bigint;
begin
  select a.trade_id into wrong
  from added a left join trades t on t.id = a.trade_id left join complaint_rulings r on r.id = a.ruling_id
  left join proposals p on p.kind = 'rulings' and p.id = r.id
  where (
      p.status = 'Approved' and r.remedy = 'tick' and r.paid_at is null and t.status = 'Lost' and t.symbol_id = r.symbol_id
      and (t.entry_seq = r.tick_seq or t.exit_seq = r.tick_seq) and t.stake = a.amount and t.account_id = a.account_id
    ) is not true
    or exists (
      select from operators o join users u on lower(u.email) = lower(o.email)
      where o.id in (p.proposed_by, p.decided_by) and u.id = a.account_id / 2
    )
  limit 1;
  if found then
    raise exception 'the stake of trade % is not returned by a ruling of two operators', wrong
      using errcode = 'integrity_constraint_violation', constraint = 'trade_remedies_follow_rulings';
  end if;
  return null;
end
$$;

-- The voids that two operators completed.
drop trigger trade_voids_complete_once on trade_voids;
drop trigger trade_voids_two_people on trade_voids;
drop trigger trade_voids_are_kept on trade_voids;
delete from trade_voids where completed_by is null;
alter table trade_voids
  drop column proposed_by, drop column proposed_at, drop column completed_by,
  alter column completed_at set not null, alter column completed_at set default clock_timestamp(), alter column entered set not null;
create function trade_voids_follow_approval() returns trigger language plpgsql as $$
begin
  if not exists (select from approved_now('voids', new.trade_id::text) p where p.reason = new.reason) then
    raise exception 'the void of trade % was not approved by two operators', new.trade_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger trade_voids_follow_approval before insert on trade_voids
  for each row execute function trade_voids_follow_approval();
create trigger trade_voids_are_final before update or delete or truncate on trade_voids
  for each statement execute function refuse_change();
revoke update on trade_voids from cleartick_app;
drop function require_two_people();
