-- Up Migration
-- Strategies that traders make: a rule as data, or (later) signals from outside.
create table own_strategies (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  name text not null check (length(name) between 1 and 40),
  kind text not null check (kind in ('rule', 'webhook')),
  -- The newest one.
  version integer not null default 1 check (version between 1 and 200),
  created_at timestamptz not null default clock_timestamp(),
  archived_at timestamptz
);
create unique index own_strategies_name on own_strategies (user_id, lower(name)) where archived_at is null;
create index own_strategies_of_user on own_strategies (user_id, id);
grant select, insert (user_id, name, kind), update (name, version, archived_at) on own_strategies to cleartick_app;

-- What a strategy does. Signals name the version that they come from, so a version never changes.
create table own_strategy_versions (
  strategy_id bigint not null references own_strategies,
  version integer not null check (version between 1 and 200),
  -- RuleBody of contract/trading/own-strategies.ts; null: its signals come from outside.
  rule jsonb check (jsonb_typeof(rule) = 'object' and length(rule::text) <= 10000),
  duration_seconds integer not null check (duration_seconds in (60, 180, 300, 900, 1800, 3600)),
  symbol_ids smallint[] not null check (cardinality(symbol_ids) between 1 and 10 and array_position(symbol_ids, null) is null),
  -- The zone of the times in the rule.
  zone text not null check (length(zone) between 1 and 64),
  created_at timestamptz not null default clock_timestamp(),
  primary key (strategy_id, version)
);
grant select, insert (strategy_id, version, rule, duration_seconds, symbol_ids, zone) on own_strategy_versions to cleartick_app;
create trigger own_strategy_versions_are_final before update or delete or truncate on own_strategy_versions
  for each statement execute function refuse_change();

alter table own_strategies add constraint own_strategies_newest
  foreign key (id, version) references own_strategy_versions (strategy_id, version) deferrable initially deferred;

create function own_strategies_change() returns trigger language plpgsql as $$
begin
  if old.archived_at is not null then
    raise exception 'strategy % is archived', old.id
      using errcode = 'integrity_constraint_violation', constraint = 'own_strategies_change';
  end if;
  if new.version not in (old.version, old.version + 1) then
    raise exception 'strategy % skips a version', old.id
      using errcode = 'integrity_constraint_violation', constraint = 'own_strategies_change';
  end if;
  return new;
end
$$;
create trigger own_strategies_change before update on own_strategies for each row execute function own_strategies_change();
create trigger own_strategies_are_kept before delete or truncate on own_strategies
  for each statement execute function refuse_change();
