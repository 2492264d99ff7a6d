-- Up Migration
-- Signals of traders' strategies: recorded once their owner switches them on, in the same chain as the platform's. Sealed,
-- or public from the version on with which the strategy was published. A strategy without a rule gets its signals from
-- outside, at an address with a secret or with a signature.
insert into schema_needs (migration, needs) values ('0170_signals_of_traders', '0162_strategy_keys');

-- Strategies whose signals are recorded: three of a trader at most.
create table recorded_strategies (
  strategy_id bigint primary key references own_strategies (id),
  user_id bigint not null references users (id),
  slot smallint not null check (slot between 1 and 3),
  since timestamptz not null default clock_timestamp(),
  constraint recorded_strategies_slot unique (user_id, slot)
);
grant select, insert, delete on recorded_strategies to cleartick_app;

-- What was published, under a name that nobody can use again. Withdrawing keeps the row: its record stays public.
create table published_strategies (
  strategy_id bigint primary key references own_strategies (id),
  name text not null check (length(name) between 1 and 40),
  first_version int not null check (first_version > 0),
  last_version int check (last_version >= first_version),
  published_at timestamptz not null default clock_timestamp(),
  withdrawn_at timestamptz,
  constraint published_strategies_withdrawn check ((last_version is null) = (withdrawn_at is null))
);
create unique index published_strategies_name on published_strategies (lower(name));
grant select, insert (strategy_id, name, first_version), update (last_version, withdrawn_at) on published_strategies to cleartick_app;
create function published_strategies_change() returns trigger language plpgsql as $$
begin
  if old.withdrawn_at is not null then
    raise exception 'strategy % was withdrawn', old.strategy_id
      using errcode = 'restrict_violation', constraint = 'published_strategies_change';
  end if;
  return new;
end
$$;
create trigger published_strategies_change before update on published_strategies
  for each row execute function published_strategies_change();
create trigger published_strategies_are_kept before delete or truncate on published_strategies
  for each statement execute function refuse_change();

-- Where a strategy's signals come in from outside. Only a hash of the address's secret is kept; the key of signatures is
-- encrypted.
create table signal_addresses (
  strategy_id bigint primary key references own_strategies (id),
  secret_hash bytea not null unique check (length(secret_hash) = 32),
  signing_key bytea not null,
  made_at timestamptz not null default clock_timestamp()
);
grant select, insert, update, delete on signal_addresses to cleartick_app;

-- The newest messages from outside. The node that gets one writes it; the engine then makes it a signal, or says why it's
-- void, so that no node that serves requests holds the chain.
create table received_signals (
  id bigint generated always as identity,
  strategy_id bigint not null references own_strategies (id),
  at timestamptz not null default clock_timestamp(),
  body_hash bytea not null check (length(body_hash) = 32),
  nonce text check (length(nonce) between 8 and 64),
  symbol_id smallint,
  side trade_side,
  signal bigint unique,
  void text check (void in ('malformed', 'late', 'repeated', 'symbol', 'off', 'closed', 'open')),
  -- What is wrong with a malformed one.
  reason text check (length(reason) between 1 and 200),
  constraint received_signals_pkey primary key (strategy_id, id),
  constraint received_signals_outcome check (
    num_nonnulls(signal, void) <= 1 and (void is not null or num_nulls(symbol_id, side) = 0)
    and (reason is null or void = 'malformed')
  )
);
-- Whatever became of it: a message that is sent again later says nothing new.
create unique index received_signals_body on received_signals (strategy_id, body_hash)
  where coalesce(void, '') not in ('malformed', 'repeated');
create unique index received_signals_nonce on received_signals (strategy_id, nonce)
  where coalesce(void, '') not in ('malformed', 'repeated');
create index received_signals_pending on received_signals (id) where signal is null and void is null;
grant select, insert (strategy_id, body_hash, nonce, symbol_id, side, void, reason), update (signal, void), delete on received_signals to cleartick_app;
create function received_signals_decide_once() returns trigger language plpgsql as $$
begin
  if num_nonnulls(old.signal, old.void) > 0 then
    raise exception 'message % is decided', old.id
      using errcode = 'restrict_violation', constraint = 'received_signals_decide_once';
  end if;
  return new;
end
$$;
create trigger received_signals_decide_once before update on received_signals
  for each row execute function received_signals_decide_once();

-- A signal of a trader's strategy says what its version allows, and is public only if the version is. One from outside
-- belongs to the period of its duration in which it came; any other is written at most 5 s after its close.
create function signals_of_traders() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from own_strategies s
    join own_strategy_versions v on v.strategy_id = s.id and v.version = new.version
    join recorded_strategies r on r.strategy_id = s.id
    left join published_strategies p on p.strategy_id = s.id
    where s.id = substring(new.strategy from 5)::bigint and s.version = v.version
      and v.duration_seconds = new.duration_seconds and new.symbol_id = any (v.symbol_ids)
      and (new.seal is null) = coalesce(v.version >= p.first_version and p.withdrawn_at is null, false)
      and new.candle_close % (v.duration_seconds * 1000::bigint) = 0
      and new.at <= new.candle_close + 5000 + case s.kind when 'rule' then 0 else v.duration_seconds * 1000::bigint end;
  if not found then
    raise exception 'strategy % has no such signal', new.strategy
      using errcode = 'integrity_constraint_violation', constraint = 'signals_of_traders';
  end if;
  return new;
end
$$;
create trigger signals_of_traders before insert on signals
  for each row when (starts_with(new.strategy, 'own-')) execute function signals_of_traders();
alter table signals drop constraint signals_on_time;
alter table signals add constraint signals_on_time check (
  at >= candle_close and at <= candle_close + 5000 + case when starts_with(strategy, 'own-') then duration_seconds * 1000::bigint else 0 end
) not valid;
