-- Up Migration
-- Trading plans: requests for an upgrade, and what was charged.
create table plan_requests (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  from_plan plan not null,
  plan plan not null,
  status plan_request_status not null default 'Pending',
  reason text check (length(reason) between 1 and 500),
  requested_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  constraint plan_requests_upwards check (plan > from_plan),
  constraint plan_requests_reason check ((status = 'Rejected') = (reason is not null)),
  constraint plan_requests_decided check ((status = 'Pending') = (decided_at is null))
);
create unique index plan_requests_pending on plan_requests (user_id) where status = 'Pending';
create index plan_requests_of_user on plan_requests (user_id, id);
create index plan_requests_waiting on plan_requests (id) where status = 'Pending';
create trigger plan_requests_decided_once before update on plan_requests for each row when (old.status <> 'Pending')
  execute function refuse_change();
grant select, insert on plan_requests to cleartick_app;
grant update (status, reason, decided_at) on plan_requests to cleartick_app;

-- One final row per payment for a plan; its id is the cause of the ledger's movement.
create table plan_charges (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  from_plan text not null,
  plan text not null,
  -- The price of the plan, less the price of the one before.
  amount cents not null check (amount > 0),
  -- The approved request; null for a first plan.
  request_id bigint unique references plan_requests,
  at timestamptz not null default clock_timestamp(),
  constraint plan_charges_price check (
    amount = 100 * (split_part(plan, '-', 2)::bigint - coalesce(nullif(split_part(from_plan, '-', 2), '')::bigint, 0))
  ),
  constraint plan_charges_requested check ((from_plan = '') = (request_id is null))
);
-- Each step is taken once, and a first plan is bought once.
create unique index plan_charges_step on plan_charges (user_id, from_plan);
create trigger plan_charges_are_final before update or delete on plan_charges for each statement execute function refuse_change();
grant select, insert on plan_charges to cleartick_app;
