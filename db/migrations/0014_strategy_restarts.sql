-- Up Migration
-- Strategies that are switched off are switched on again by two risk operators: one proposes, another decides.

create table strategy_restarts (
  id bigint generated always as identity primary key,
  strategy strategy not null,
  reason text not null check (length(reason) between 1 and 500),
  status decision_status not null default 'Pending',
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  constraint strategy_restarts_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint strategy_restarts_four_eyes check (decided_by <> proposed_by),
  constraint strategy_restarts_reason check ((status = 'Rejected') = (decision_reason is not null))
);
create unique index strategy_restarts_pending on strategy_restarts (strategy) where status = 'Pending';
create trigger strategy_restarts_decided_once before update on strategy_restarts for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger strategy_restarts_are_kept before delete on strategy_restarts for each statement execute function refuse_change();
create trigger strategy_restarts_two_people after update of decided_by on strategy_restarts
  for each row execute function require_two_people('proposed_by', 'decided_by');
grant select, insert on strategy_restarts to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason) on strategy_restarts to cleartick_app;

-- A strategy is switched on by a proposal that another operator approved in the same transaction.
create function strategies_restart_by_two_people() returns trigger language plpgsql as $$
begin
  if not exists (
    select from strategy_restarts r where r.strategy = old.strategy and r.status = 'Approved'
      and r.decided_by is not null and r.decided_at >= transaction_timestamp()
  ) then
    raise exception 'switching on the strategy % was not approved by two operators', old.strategy
      using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$$;
create trigger strategies_restart_by_two_people before delete on strategy_switches
  for each row execute function strategies_restart_by_two_people();

-- The desk counts the day's stops.
create index automatic_orders_stops on automatic_orders (day) where reason = 'stop';
