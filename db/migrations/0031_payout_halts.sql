-- Up Migration
-- Payouts halt while the books don't agree: ledger, lists and holds are compared every few minutes. Two finance operators
-- resume them, once a later comparison has found no difference.

-- The newest reconciliation that compared everything; one without changes since the last clean one is skipped.
create table reconciliation (
  only_row boolean primary key default true check (only_row),
  finished_at timestamptz not null,
  took_ms integer not null check (took_ms >= 0),
  differences integer not null check (differences >= 0)
);
grant select, insert, update on reconciliation to cleartick_app;

create table payout_halts (
  id bigint generated always as identity primary key,
  started_at timestamptz not null default clock_timestamp(),
  -- What the newest reconciliation with a difference found: of each check its name, what it says, and rows that break it.
  findings json not null,
  found_at timestamptz not null default clock_timestamp(),
  -- Since when reconciliations find nothing; null while a difference stands.
  clean_at timestamptz,
  ended_at timestamptz,
  constraint payout_halts_end_clean check (ended_at is null or clean_at is not null)
);
create unique index payout_halts_open on payout_halts ((true)) where ended_at is null;
create trigger payout_halts_ended_once before update on payout_halts for each row when (old.ended_at is not null)
  execute function refuse_change();
create trigger payout_halts_are_kept before delete on payout_halts for each statement execute function refuse_change();
create trigger payout_halts_are_not_truncated before truncate on payout_halts for each statement execute function refuse_change();
grant select, insert on payout_halts to cleartick_app;
grant update (findings, found_at, clean_at, ended_at) on payout_halts to cleartick_app;

create table payout_resumptions (
  id bigint generated always as identity primary key,
  halt_id bigint not null references payout_halts,
  reason text not null check (length(reason) between 1 and 500),
  status decision_status not null default 'Pending',
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  constraint payout_resumptions_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint payout_resumptions_four_eyes check (decided_by <> proposed_by),
  constraint payout_resumptions_reason check ((status = 'Rejected') = (decision_reason is not null))
);
create unique index payout_resumptions_pending on payout_resumptions (halt_id) where status = 'Pending';
create trigger payout_resumptions_decided_once before update on payout_resumptions for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger payout_resumptions_are_kept before delete on payout_resumptions for each statement execute function refuse_change();
create trigger payout_resumptions_two_people after update of decided_by on payout_resumptions
  for each row execute function require_two_people('proposed_by', 'decided_by');
grant select, insert on payout_resumptions to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason) on payout_resumptions to cleartick_app;

-- A payout takes this lock shared and a new halt takes it alone, so that none is under way when the halt is there.
create function lock_payout_halts() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('payout_halts'));
  return null;
end
$$;
create trigger payout_halts_lock before insert on payout_halts for each statement execute function lock_payout_halts();

create function payouts_halted() returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('payout_halts'));
  return exists (select from payout_halts where ended_at is null);
end
$$;

-- A halt ends with a proposal that another operator approved in the same transaction.
create function payouts_resume_by_two_people() returns trigger language plpgsql as $$
begin
  if not exists (
    select from payout_resumptions r where r.halt_id = old.id and r.status = 'Approved'
      and r.decided_by is not null and r.decided_at >= transaction_timestamp()
  ) then
    raise exception 'resuming payouts was not approved by two operators' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger payouts_resume_by_two_people before update of ended_at on payout_halts
  for each row when (old.ended_at is distinct from new.ended_at) execute function payouts_resume_by_two_people();

-- No withdrawal is approved or paid during a halt.
create function withdrawals_wait_for_reconciliation() returns trigger language plpgsql as $$
begin
  if payouts_halted() then
    raise exception 'payouts are halted: withdrawal % waits', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger withdrawals_wait_for_reconciliation before update of status on withdrawals
  for each row when (old.status <> new.status and new.status in ('Processing', 'Paid'))
  execute function withdrawals_wait_for_reconciliation();
