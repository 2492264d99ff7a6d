-- Up Migration
-- Automatic trades: each account may follow one strategy. What follows a signal is reserved first, then accepted like any
-- other order.

create type skip_reason as enum ('stale', 'day', 'limit', 'balance', 'stop', 'locked', 'closed', 'ended');
create type automation_state as enum ('Off', 'Running', 'Paused', 'Stopped');

-- Settings and state of an account's automatic trades.
create table automations (
  account_id bigint primary key,
  mode account_mode not null,
  strategy strategy not null,
  version smallint not null,
  -- Empty: all symbols.
  symbol_ids smallint[] not null,
  duration_seconds integer not null,
  sides text not null check (sides in ('both', 'Buy', 'Sell')),
  -- 'best': the strike rate that pays most for the side.
  strike_rate text not null check (strike_rate in ('best', '75/3', '12/5', '11/13', '1/18', '1/61')),
  -- The stake, or its cap if it is a percentage of the balance.
  stake cents not null check (stake >= 100),
  stake_percent smallint check (stake_percent between 1 and 100),
  -- Bit 0 is Sunday; hours in UTC, from inclusive, to exclusive.
  days smallint not null check (days between 1 and 127),
  from_hour smallint not null check (from_hour between 0 and 23),
  to_hour smallint not null check (to_hour between 1 and 24),
  -- Losses never exceed these, with the next stake included.
  loss_a_day cents not null check (loss_a_day >= 100),
  loss_in_all cents not null check (loss_in_all >= 100),
  trades_a_day smallint not null check (trades_a_day between 1 and 14),
  losses_in_row smallint check (losses_in_row between 1 and 50),
  state automation_state not null default 'Off',
  -- Why it stopped by itself, as text for the trader.
  stop_reason text,
  -- Losses in all and in a row count the orders that follow later signals than this number.
  counted_after bigint not null default 0,
  started_at timestamptz,
  -- What the trader confirmed before real money was traded.
  confirmed text,
  -- Tape time (Unix ms) until which no signal is looked at: the day's limit is used up, or money is missing.
  idle_until bigint not null default 0,
  idle_reason skip_reason,
  constraint automations_mode check ((account_id % 2 = 1) = (mode = 'demo')),
  constraint automations_hours check (from_hour < to_hour),
  constraint automations_stopped check ((state = 'Stopped') = (stop_reason is not null)),
  constraint automations_confirmed check (state <> 'Running' or mode = 'demo' or confirmed is not null)
);
create index automations_running on automations (strategy, duration_seconds) where state = 'Running';
grant select, insert, update on automations to cleartick_app;

create type automatic_status as enum ('Reserved', 'Traded', 'Skipped');

-- One row for each signal that an automation looked at: reserved, then traded, or skipped with a reason.
create table automatic_orders (
  signal bigint not null,
  account_id bigint not null,
  mode account_mode not null,
  -- When the signal was written, and when it was looked at, tape time (Unix ms).
  signal_at bigint not null,
  at bigint not null,
  -- The UTC day of the trade, and which of the day's trades it is.
  day date not null,
  slot smallint check (slot between 1 and 14),
  stake cents not null,
  status automatic_status not null,
  reason skip_reason,
  trade_id bigint unique,
  -- What was paid back; null until the trade has settled.
  payout cents,
  primary key (signal, account_id),
  constraint automatic_orders_skipped check ((status = 'Skipped') = (reason is not null)),
  constraint automatic_orders_slots check ((status = 'Skipped') = (slot is null)),
  constraint automatic_orders_traded check ((status = 'Traded') = (trade_id is not null) and (payout is null or status = 'Traded'))
);
-- The database counts the day's trades: a slot is used once.
create unique index automatic_orders_slot on automatic_orders (account_id, day, slot) where status <> 'Skipped';
-- One automatic trade at a time on an account, so that every stop is checked against known losses.
create unique index automatic_orders_open on automatic_orders (account_id)
  where status = 'Reserved' or status = 'Traded' and payout is null;
create index automatic_orders_of_account on automatic_orders (account_id, signal);
create index automatic_orders_of_day on automatic_orders (day, account_id) where status = 'Traded';
grant select, insert on automatic_orders to cleartick_app;
grant update (status, reason, slot, trade_id, payout) on automatic_orders to cleartick_app;

create function automatic_orders_are_final() returns trigger language plpgsql as $$
begin
  if old.status = 'Skipped' or old.status = 'Traded' and (new.status <> 'Traded' or new.trade_id <> old.trade_id or old.payout is not null) then
    raise exception 'an automatic order is final' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger automatic_orders_are_final before update on automatic_orders for each row execute function automatic_orders_are_final();
create trigger automatic_orders_are_kept before delete or truncate on automatic_orders for each statement execute function refuse_change();

-- An automatic trade takes its reservation in the statement that accepts it. Without one there is no trade: the reservation
-- was given up, the signal is too old, or the day is over.
create function trades_take_reservation() returns trigger language plpgsql as $$
begin
  update automatic_orders o set status = 'Traded', trade_id = new.id
  where o.signal = new.signal and o.account_id = new.account_id and o.status = 'Reserved' and o.stake = new.stake
    and new.trade_time <= o.signal_at + 5000
    and o.day = (timestamp 'epoch' + new.trade_time * interval '1 millisecond')::date;
  if not found then
    raise exception 'signal % is not reserved for account %', new.signal, new.account_id
      using errcode = 'check_violation', constraint = 'trades_reserved';
  end if;
  return new;
end
$$;
create trigger trades_take_reservation before insert on trades for each row when (new.signal is not null)
  execute function trades_take_reservation();

-- Strategies that operators have switched off. Their signals are recorded, and nobody follows them.
create table strategy_switches (
  strategy strategy primary key,
  off_at timestamptz not null default clock_timestamp(),
  why text not null check (length(why) between 1 and 500)
);
grant select, insert, delete on strategy_switches to cleartick_app;

-- Days whose summary was sent.
create table automatic_summaries (
  account_id bigint not null,
  day date not null,
  sent_at timestamptz not null default clock_timestamp(),
  primary key (account_id, day)
);
grant select, insert on automatic_summaries to cleartick_app;

alter type notice_kind add value 'automatic';

-- Traders who bought a plan before its automatic trades worked.
insert into notices (user_id, kind, title, text, path)
select id, 'plan', 'Automatic trades now work',
  'Your plan''s automatic trades are available. They stay off until you set them up and start them.', '/user/automatic'
from users where trading_plan <> '' and ended_at is null;
