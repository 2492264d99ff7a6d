-- Up Migration
-- Operators reverse a deposit by two people: one proposes, another decides. The card provider's events need nobody.
create table reversal_proposals (
  id bigint generated always as identity primary key,
  deposit_id bigint not null references deposits,
  -- Cents.
  amount bigint not null check (amount > 0),
  -- The refund or dispute as it's called where it was made.
  reference text not null check (length(reference) between 1 and 255),
  reason text not null check (length(reason) between 1 and 500),
  status text not null default 'Pending' check (status in ('Pending', 'Approved', 'Rejected')),
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  constraint reversal_proposals_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint reversal_proposals_four_eyes check (decided_by <> proposed_by),
  constraint reversal_proposals_reason check ((status = 'Rejected') = (decision_reason is not null))
);
create unique index reversal_proposals_pending on reversal_proposals (deposit_id) where status = 'Pending';
create index reversal_proposals_of_deposit on reversal_proposals (deposit_id, id);
create trigger reversal_proposals_decided_once before update on reversal_proposals for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger reversal_proposals_are_kept before delete on reversal_proposals for each statement execute function refuse_change();
grant select, insert on reversal_proposals to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason) on reversal_proposals to cleartick_app;

create function deposit_reversals_have_a_cause() returns trigger language plpgsql as $$
begin
  if not exists (select from card_events where id = new.reference)
    and not exists (
      select from reversal_proposals
      where deposit_id = new.deposit_id and amount = new.amount and reference = new.reference and status = 'Approved'
    ) then
    raise exception 'two people reverse deposit %, or its card provider', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger deposit_reversals_have_a_cause before insert on deposit_reversals
  for each row execute function deposit_reversals_have_a_cause();

-- What one operator approved alone for one trader in the last 24 hours, cents: small parts add up to the threshold.
create function approved_alone(approver bigint, trader bigint) returns bigint language sql stable as $$
  select coalesce(sum(amount), 0)::bigint from (
    select d.credited as amount from deposits d join deposit_approvals p on p.deposit_id = d.id and p.operator_id = approver
    where d.user_id = trader and d.status = 'Approved' and p.at > clock_timestamp() - interval '24 hours'
      and not exists (select from deposit_approvals o where o.deposit_id = d.id and o.operator_id <> approver)
    union all
    select w.amount from withdrawals w join withdrawal_approvals p on p.withdrawal_id = w.id and p.operator_id = approver
    where w.user_id = trader and w.status in ('Processing', 'Paid') and p.at > clock_timestamp() - interval '24 hours'
      and not exists (select from withdrawal_approvals o where o.withdrawal_id = w.id and o.operator_id <> approver)
  ) alone
$$;

-- A card deposit is rejected only once its checkout is closed: nobody pays for what was rejected.
alter table deposits
  -- The provider's name of the checkout, and when it was found closed.
  add column checkout text check (length(checkout) between 1 and 255),
  add column checkout_closed_at timestamptz,
  add constraint deposits_checkout_closed check (method = 'crypto' or status <> 'Rejected' or checkout_closed_at is not null) not valid;
grant update (checkout, checkout_closed_at) on deposits to cleartick_app;

create or replace function deposits_take_edges() returns trigger language plpgsql as $$
declare
  approvers bigint[];
begin
  if tg_op = 'INSERT' then
    if new.status <> 'Pending' or new.reversed <> 0 then
      raise exception 'deposit % does not begin as Pending', new.id using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if old.status <> 'Pending' then
    if (new.status, new.credited, new.reason, new.decided_at, new.provider_reference)
       is distinct from (old.status, old.credited, old.reason, old.decided_at, old.provider_reference) then
      raise exception 'deposit % is decided', new.id using errcode = 'integrity_constraint_violation';
    end if;
  elsif new.status = 'Approved' and new.method = 'crypto' then
    select array_agg(operator_id) into approvers from deposit_approvals where deposit_id = new.id and amount = new.credited;
    if approvers is null or cardinality(approvers) = 1 and new.credited + approved_alone(approvers[1], new.user_id)
      > (select deposit_two_person_above from cashier_settings) then
      raise exception 'deposit % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return new;
end
$$;

create or replace function withdrawals_take_edges() returns trigger language plpgsql as $$
declare
  approvers bigint[];
begin
  if tg_op = 'INSERT' then
    if new.status <> 'Pending' then
      raise exception 'withdrawal % does not begin as Pending', new.id using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if (old.status, new.status) not in (
    ('Pending', 'Processing'), ('Pending', 'Rejected'), ('Pending', 'Cancelled'), ('Processing', 'Paid'), ('Processing', 'Rejected')
  ) then
    raise exception 'withdrawal % does not go from % to %', new.id, old.status, new.status using errcode = 'integrity_constraint_violation';
  end if;
  if old.processing_at is not null and new.processing_at is distinct from old.processing_at then
    raise exception 'withdrawal % was approved once', new.id using errcode = 'integrity_constraint_violation';
  end if;
  if new.status = 'Processing' then
    select array_agg(operator_id) into approvers from withdrawal_approvals where withdrawal_id = new.id;
    if approvers is null or cardinality(approvers) = 1 and new.amount + approved_alone(approvers[1], new.user_id)
      > (select withdrawal_two_person_above from cashier_settings) then
      raise exception 'withdrawal % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return new;
end
$$;
