-- Up Migration
-- Trades (rule version FT-1). A trade's terms are fixed when it is accepted; its entry is written once, its outcome once.

create type trade_mode as enum ('Buy', 'Sell');
create type trade_status as enum ('Pending', 'Won', 'Lost', 'Draw', 'Void');

create table trades (
  id bigint not null,
  account_id bigint not null,
  book book not null,
  symbol_id smallint not null,
  source_kind smallint not null,
  stale_after_ms integer not null,
  trade_mode trade_mode not null,
  strike_rate text not null,
  percent smallint not null,
  stake bigint not null,
  duration_seconds integer not null,
  trade_time bigint not null,
  end_time bigint not null,
  rule_version text not null default 'FT-1',
  key text,
  fingerprint bytea,
  status trade_status not null default 'Pending',
  entry_price bigint,
  entry_time bigint,
  entry_seq bigint,
  exit_price bigint,
  exit_time bigint,
  exit_seq bigint,
  settled_at timestamptz,
  payout bigint,
  outcome_reason text,
  constraint trades_pkey primary key (id),
  constraint trades_one_book check ((account_id % 2 = 1) = (book = 'demo')),
  constraint trades_terms check (
    stake >= 100 and percent between 1 and 100 and duration_seconds > 0 and end_time = trade_time + duration_seconds * 1000::bigint
    and (key is null) = (fingerprint is null) and length(key) <= 255
  ),
  constraint trades_ticks check (
    (entry_price is null) = (entry_time is null) and (entry_price is null) = (entry_seq is null)
    and (exit_price is null) = (exit_time is null) and (exit_price is null) = (exit_seq is null)
    and (entry_time is null or (entry_time > trade_time and entry_time <= trade_time + 10000))
    and (exit_time is null or (exit_time > entry_time and exit_time <= end_time and exit_time >= end_time - stale_after_ms))
  ),
  -- What each status pays, and on which prices (T5), once more from the row itself.
  constraint trades_outcome check (
    case status
      when 'Pending' then payout is null and settled_at is null and exit_price is null and outcome_reason is null
      when 'Void' then payout = stake
      when 'Draw' then payout = stake and exit_price = entry_price
      when 'Won' then payout = stake + (stake * percent + 50) / 100
        and case trade_mode when 'Buy' then exit_price > entry_price else exit_price < entry_price end
      when 'Lost' then payout = 0
        and case trade_mode when 'Buy' then exit_price < entry_price else exit_price > entry_price end
    end
    and (status = 'Pending' or (settled_at is not null and outcome_reason is not null))
    and (status in ('Pending', 'Void') or (entry_price is not null and exit_price is not null))
  )
) with (fillfactor = 80);

comment on column trades.trade_time is 'Tape time (Unix ms) at which the stake left the balance';
comment on column trades.source_kind is 'Kind of the symbol''s source at acceptance: 0 live, 1 replay, 2 simulation';
comment on column trades.entry_time is 'Source time (Unix ms) of the entry tick';
comment on column trades.key is 'The client''s Idempotency-Key, one effect per user for good';

create index trades_history on trades (account_id, id);
create index trades_due on trades (symbol_id, end_time) where status = 'Pending';
-- The two accounts of a user are neighbours, so this is one key per user.
create unique index trades_key on trades ((account_id / 2), key) where key is not null;

-- The terms cannot be changed at all (no right to), an outcome only once, an entry only once.
create trigger trades_settle_once before update on trades for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger trades_enter_once before update on trades for each row when (old.entry_seq is not null and new.entry_seq is distinct from old.entry_seq)
  execute function refuse_change();

grant select, insert on trades to cleartick_app;
grant update (status, entry_price, entry_time, entry_seq, exit_price, exit_time, exit_seq, settled_at, payout, outcome_reason) on trades to cleartick_app;

-- What the operator limits, cents. One row.
create table trading_limits (
  only_row boolean primary key default true check (only_row),
  stake_max bigint not null default 1000000 check (stake_max >= 100),
  open_stake_max bigint not null default 5000000 check (open_stake_max >= 100)
);
insert into trading_limits default values;

-- Open stakes of the real book on symbols that have a limit: acceptance adds, a worker sets it to the truth each second.
create table symbol_open (
  symbol_id smallint primary key references instruments (id),
  open_max bigint not null check (open_max >= 0),
  open bigint not null default 0 check (open >= 0)
) with (fillfactor = 50);
insert into symbol_open (symbol_id, open_max) select id, 20000000 from instruments where base in ('BCH', 'LTC') and trading_type is not null;

grant select on trading_limits to cleartick_app;
grant select, update (open) on symbol_open to cleartick_app;

-- Keys that a demo reset was asked under.
create table demo_resets (
  user_id bigint not null,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null,
  cause_id bigint not null,
  primary key (user_id, key)
);
grant select, insert on demo_resets to cleartick_app;
