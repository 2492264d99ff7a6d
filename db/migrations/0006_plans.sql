-- Up Migration
-- Trading plans: what was paid for them, and the upgrades that wait for an operator. And avatars, which are public by name.

alter table users add constraint users_on_the_ladder
  check (trading_plan in ('', 'Beginner-3000', 'Gold-7600', 'Platinum-21199', 'Diamond-50730'));
-- A picture is served by its name alone, so a name is one user's.
alter table users add constraint users_avatar unique (avatar), add constraint users_avatar_name check (avatar ~ '^[0-9a-f]{40}$');

create table plan_requests (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  from_plan text not null check (from_plan in ('Beginner-3000', 'Gold-7600', 'Platinum-21199')),
  plan text not null check (plan in ('Gold-7600', 'Platinum-21199', 'Diamond-50730')),
  status text not null default 'Pending' check (status in ('Pending', 'Approved', 'Rejected')),
  reason text check (length(reason) between 1 and 500),
  requested_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  -- The price stands in the plan's name; an upgrade costs more than what there is.
  constraint plan_requests_upwards check (split_part(plan, '-', 2)::int > split_part(from_plan, '-', 2)::int),
  constraint plan_requests_reason check ((status = 'Rejected') = (reason is not null)),
  constraint plan_requests_decided check ((status = 'Pending') = (decided_at is null))
);
create unique index plan_requests_pending on plan_requests (user_id) where status = 'Pending';
create index plan_requests_of_user on plan_requests (user_id, id);
create trigger plan_requests_decided_once before update on plan_requests for each row when (old.status <> 'Pending')
  execute function refuse_change();
grant select, insert on plan_requests to cleartick_app;
grant update (status, reason, decided_at) on plan_requests to cleartick_app;

-- One row for each time a plan was paid; its number is the cause of the ledger's movement. Final.
create table plan_charges (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  from_plan text not null,
  plan text not null,
  -- Cents: the plan's price less what the plan before cost.
  amount bigint not null check (amount > 0),
  -- The request that an operator approved; null where the trader bought from 'None'.
  request_id bigint unique references plan_requests,
  key text check (length(key) between 1 and 255),
  fingerprint bytea,
  at timestamptz not null default clock_timestamp(),
  constraint plan_charges_price check (
    amount = 100 * (split_part(plan, '-', 2)::bigint - coalesce(nullif(split_part(from_plan, '-', 2), '')::bigint, 0))
  ),
  constraint plan_charges_requested check ((from_plan = '') = (request_id is null)),
  constraint plan_charges_key_whole check ((key is null) = (fingerprint is null))
);
-- Each step of the ladder is taken once, and 'None' is left once.
create unique index plan_charges_step on plan_charges (user_id, from_plan);
create unique index plan_charges_key on plan_charges (user_id, key) where key is not null;
create trigger plan_charges_are_final before update or delete on plan_charges for each statement execute function refuse_change();
grant select, insert on plan_charges to cleartick_app;
