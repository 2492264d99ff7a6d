-- Up Migration
-- Signals of the strategies: each is written before the price that it will be judged by exists, and judged like a trade.

create type strategy as enum ('trend', 'reversion', 'breakout', 'coin-toss');

create table signals (
  -- Numbers have no gaps: the chain's order.
  n bigint primary key,
  strategy strategy not null,
  version smallint not null check (version > 0),
  symbol_id smallint not null,
  side trade_side not null,
  duration_seconds integer not null check (duration_seconds > 0),
  -- End of the candle that the signal was computed from, Unix ms.
  candle_close bigint not null,
  source_kind smallint not null,
  stale_after_ms integer not null,
  -- Tape time (Unix ms) at which the signal was written, and the newest frame at that time.
  at bigint not null,
  frame bigint not null,
  end_time bigint not null generated always as (at + duration_seconds * 1000::bigint) stored,
  previous bytea not null check (length(previous) = 32),
  hash bytea not null check (length(hash) = 32),
  status trade_status not null default 'Pending',
  entry_price bigint,
  entry_time bigint,
  entry_seq bigint,
  exit_price bigint,
  exit_time bigint,
  exit_seq bigint,
  outcome_reason text,
  -- A late signal is never written (5 s after its candle's close).
  constraint signals_on_time check (at >= candle_close and at <= candle_close + 5000),
  constraint signals_ticks check (
    num_nulls(entry_price, entry_time, entry_seq) % 3 = 0 and num_nulls(exit_price, exit_time, exit_seq) % 3 = 0
    and entry_time > at and entry_time <= at + 10000
    and exit_time > entry_time and exit_time <= at + duration_seconds * 1000::bigint
  ),
  constraint signals_outcome check (
    case status
      when 'Pending' then num_nonnulls(exit_price, outcome_reason) = 0
      when 'Void' then outcome_reason is not null
      else num_nulls(entry_price, exit_price, outcome_reason) = 0 and status = case
        when exit_price = entry_price then 'Draw'
        when (exit_price > entry_price) = (side = 'Buy') then 'Won'
        else 'Lost'
      end::trade_status
    end
  )
) with (fillfactor = 80);
-- A candle's close gives at most one signal for each strategy, however many workers compute it.
create unique index signals_once on signals (candle_close, strategy, version, symbol_id, duration_seconds);
create index signals_due on signals (symbol_id, end_time) where status = 'Pending';
create index signals_of_strategy on signals (strategy, n);

-- The end of the chain.
create table signal_head (
  only_row boolean primary key default true check (only_row),
  n bigint not null,
  hash bytea not null check (length(hash) = 32)
);
insert into signal_head (n, hash) values (0, decode(repeat('00', 32), 'hex'));

-- The text that a signal's hash covers, after the previous hash: what was known before its outcome.
create function signal_text(row_ signals) returns text language sql stable as $$
  select concat_ws(',', row_.n, row_.strategy, row_.version, i.symbol, row_.side, row_.duration_seconds, row_.candle_close, row_.at, row_.frame)
  from instruments i where i.id = row_.symbol_id
$$;

create function signals_chain() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Locks the head until the commit, so that one transaction writes at a time.
  select n + 1, hash into new.n, new.previous from signal_head for update;
  select greatest(floor(extract(epoch from clock_timestamp()) * 1000)::bigint, t), number into new.at, new.frame from tape_head;
  new.hash = sha256(new.previous || convert_to(signal_text(new), 'UTF8'));
  update signal_head set n = new.n, hash = new.hash;
  return new;
end
$$;
create trigger signals_chain before insert on signals for each row execute function signals_chain();
create trigger signals_judge_once before update on signals for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger signals_enter_once before update on signals for each row
  when (old.entry_seq is not null and new.entry_seq is distinct from old.entry_seq) execute function refuse_change();
create trigger signals_are_kept before delete or truncate on signals for each statement execute function refuse_change();
grant select, insert on signals to cleartick_app;
grant update (status, entry_price, entry_time, entry_seq, exit_price, exit_time, exit_seq, outcome_reason) on signals to cleartick_app;
grant select, update (n) on signal_head to cleartick_app;

-- Outcomes by the hour of the candle's close, updated together with each signal: what the public page shows.
create table signal_hours (
  strategy strategy not null,
  version smallint not null,
  duration_seconds integer not null,
  side trade_side not null,
  -- 0 live, 1 replay, 2 simulation
  source_kind smallint not null,
  -- Start of the hour, Unix ms.
  hour bigint not null check (hour % 3600000 = 0),
  won integer not null default 0 check (won >= 0),
  lost integer not null default 0 check (lost >= 0),
  draws integer not null default 0 check (draws >= 0),
  voids integer not null default 0 check (voids >= 0),
  primary key (hour, strategy, version, duration_seconds, side, source_kind)
);
grant select, insert, update on signal_hours to cleartick_app;

-- The signal that a trade followed; null for trades placed by hand. A signal makes at most one trade on an account.
alter table trades add column signal bigint;
comment on column trades.signal is 'Number of the signal that the trade followed; null if it was placed by hand';
create unique index trades_signal on trades (account_id, signal) where signal is not null;
