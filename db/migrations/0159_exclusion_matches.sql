-- Up Migration
-- What compliance decided about an exclusion that was carried to another account: that it's the excluded person's. A
-- wrong match is lifted by two people instead (exclusions.lifted_at).
create table kept_matches (
  exclusion_id bigint primary key references exclusions,
  operator_id bigint not null references operators,
  reason text not null check (length(reason) between 1 and 500),
  at timestamptz not null default clock_timestamp()
);
create index kept_matches_of_operator on kept_matches (operator_id);
create trigger kept_matches_are_final before update or delete or truncate on kept_matches
  for each statement execute function refuse_change();
grant select, insert (exclusion_id, operator_id, reason) on kept_matches to cleartick_app;

alter table claims drop constraint claims_of_a_queue;
alter table claims add constraint claims_of_a_queue check (
  queue in ('identity-checks', 'deposits', 'withdrawals', 'plan-requests', 'messages', 'chats', 'complaints', 'exclusion-matches',
    'unknown-deposits')
) not valid;
