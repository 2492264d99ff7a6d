-- Up Migration
-- Accounts may follow several strategies with common limits and stops. An older node would look for the strategy where it
-- was.
insert into schema_needs (migration, needs) values ('0169_followed_strategies', '0167_take_profits_and_pauses');

create table followed_strategies (
  account_id bigint not null references automations (account_id),
  -- Of signals of one moment, that of the first place is traded.
  place smallint not null check (place between 1 and 5),
  strategy strategy_key not null,
  version smallint not null,
  duration_seconds integer not null check (duration_seconds > 0),
  -- Empty: all symbols.
  symbol_ids smallint[] not null,
  sides followed_sides not null,
  -- 'best': the strike rate that pays most for the side.
  strike_rate automatic_strike_rate not null,
  -- The stake, or its cap if it is a percentage of the balance.
  stake cents not null check (stake >= 100),
  stake_percent smallint check (stake_percent between 1 and 100),
  primary key (account_id, strategy, duration_seconds),
  constraint followed_strategies_place unique (account_id, place)
);
create index followed_strategies_of_signal on followed_strategies (strategy, duration_seconds, account_id);
grant select, insert, update, delete on followed_strategies to cleartick_app;

insert into followed_strategies
select account_id, 1, strategy, version, duration_seconds, symbol_ids, sides, strike_rate, stake, stake_percent from automations;
alter table automations
  drop column strategy, drop column version, drop column duration_seconds, drop column symbol_ids, drop column sides,
  drop column strike_rate, drop column stake, drop column stake_percent;

-- Also counts the symbols of followed strategies as used.
create or replace function instruments_change_by_two_people() returns trigger language plpgsql as $$
declare
  pair constant text[] = '{base,quote,trading_type,scale}';
  terms constant text[] = '{min_sources,depth_usd,largest_spread_bps,largest_deviation_bps,stale_after_ms,venues,demo_only}';
begin
  if current_user = (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid) then
    return coalesce(new, old);
  end if;
  if not exists (
    select from approved_now('instrument-changes', coalesce(new.symbol, old.symbol)) p,
      lateral (select p.payload ->> 'kind' as kind, p.payload -> 'set' as set) c
    where case
      when tg_op = 'INSERT' then
        c.kind = 'add' and c.set ?& (pair || terms) and to_jsonb(new) || c.set = to_jsonb(new) and new.closed_reason is null
      when tg_op = 'DELETE' then c.kind = 'withdraw'
      else to_jsonb(old) || c.set = to_jsonb(new) and (
        c.kind = 'change' and c.set - terms = '{}'
        or c.set - 'closed_reason' = '{}' and c.kind = case when new.closed_reason is null then 'reopen' else 'close' end
      )
    end
  ) then
    raise exception 'this change of the instrument % was not approved by two operators', coalesce(new.symbol, old.symbol)
      using errcode = 'integrity_constraint_violation';
  end if;
  -- The tape refers to it by foreign keys. Trades, signals and followers have none, because they are written so often.
  if tg_op = 'DELETE' and (
    exists (select from trades where symbol_id = old.id)
    or exists (select from signals where symbol_id = old.id)
    or exists (select from followed_strategies where old.id = any (symbol_ids))
  ) then
    raise exception 'the instrument % is in use', old.symbol using errcode = 'foreign_key_violation';
  end if;
  return coalesce(new, old);
end
$$;
