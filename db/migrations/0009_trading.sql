-- Up Migration
-- Trades (rule version FT-1). A trade's terms are fixed when it is accepted; its entry is written once, its outcome once.

create type trade_side as enum ('Buy', 'Sell');
create type trade_status as enum ('Pending', 'Won', 'Lost', 'Draw', 'Void');

create table trades (
  id bigint not null,
  account_id bigint not null,
  mode account_mode not null,
  symbol_id smallint not null,
  source_kind smallint not null,
  stale_after_ms integer not null,
  side trade_side not null,
  strike_rate text not null,
  percent smallint not null,
  stake cents not null,
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
  payout cents,
  outcome_reason text,
  constraint trades_pkey primary key (id),
  constraint trades_one_mode check ((account_id % 2 = 1) = (mode = 'demo')),
  constraint trades_terms check (
    stake >= 100 and percent between 1 and 100 and duration_seconds > 0 and end_time = trade_time + duration_seconds * 1000::bigint
    and (key is null) = (fingerprint is null) and length(key) <= 255
  ),
  -- A tick has all three of its figures or none; a missing one isn't compared.
  constraint trades_ticks check (
    num_nulls(entry_price, entry_time, entry_seq) % 3 = 0 and num_nulls(exit_price, exit_time, exit_seq) % 3 = 0
    and entry_time > trade_time and entry_time <= trade_time + 10000
    and exit_time > entry_time and exit_time <= end_time and exit_time >= end_time - stale_after_ms
  ),
  -- What each status pays, and at which prices (T5), checked again from the row itself.
  constraint trades_outcome check (
    case status
      when 'Pending' then num_nonnulls(payout, settled_at, exit_price, outcome_reason) = 0
      else num_nulls(payout, settled_at, outcome_reason) = 0 and case
        when status = 'Void' then payout = stake
        when num_nulls(entry_price, exit_price) > 0 then false
        when exit_price = entry_price then status = 'Draw' and payout = stake
        when (exit_price > entry_price) = (side = 'Buy') then status = 'Won' and payout = stake + (stake * percent + 50) / 100
        else status = 'Lost' and payout = 0
      end
    end
  )
) with (fillfactor = 80);

comment on column trades.trade_time is 'Tape time (Unix ms) at which the stake left the balance';
comment on column trades.source_kind is 'Kind of the symbol''s source at acceptance: 0 live, 1 replay, 2 simulation';
comment on column trades.entry_time is 'Source time (Unix ms) of the entry tick';
comment on column trades.key is 'The client''s Idempotency-Key, one effect per user, permanently';

create index trades_history on trades (account_id, id);
create index trades_due on trades (symbol_id, end_time) where status = 'Pending';
-- The two accounts of a user are neighbours, so this is one key per user.
create unique index trades_key on trades ((account_id / 2), key) where key is not null;
-- The newest payouts of real trades are public.
create index trades_paid_out on trades (settled_at) where mode = 'real' and status = 'Won';

-- Terms can't be changed (no grant), an outcome only once, an entry only once.
create trigger trades_settle_once before update on trades for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger trades_enter_once before update on trades for each row when (old.entry_seq is not null and new.entry_seq is distinct from old.entry_seq)
  execute function refuse_change();

-- Acceptance checks keys in its own statement, which doesn't see what commits while it waits for its accounts. This checks
-- again, after the locks: no key ever belongs to a trade and to something else.
create function trades_keys_are_unused() returns trigger language plpgsql as $$
begin
  if exists (
    select from added a, lateral (
      select from request_keys k where k.user_id = a.account_id / 2 and k.key = a.key limit 1
    ) used where a.key is not null
  ) then
    raise exception 'a key was used for something else' using errcode = 'unique_violation', constraint = 'request_keys_pkey';
  end if;
  return null;
end
$$;
create trigger trades_keys_are_unused after insert on trades
  referencing new table as added for each statement execute function trades_keys_are_unused();

grant select, insert on trades to cleartick_app;
grant update (status, entry_price, entry_time, entry_seq, exit_price, exit_time, exit_seq, settled_at, payout, outcome_reason) on trades to cleartick_app;

-- Trades that operators voided before their end: proposed by one, completed by another. With the tape they decide outcomes
-- (invariant T3), so a completed one is final.
create table trade_voids (
  trade_id bigint primary key references trades,
  reason text not null check (length(reason) between 1 and 500),
  proposed_by bigint not null,
  proposed_at timestamptz not null default clock_timestamp(),
  completed_by bigint,
  completed_at timestamptz,
  -- Whether the trade had its entry by then; it keeps it.
  entered boolean,
  constraint trade_voids_four_eyes check (completed_by <> proposed_by),
  constraint trade_voids_completed check (num_nulls(completed_by, completed_at, entered) in (0, 3))
);
create trigger trade_voids_complete_once before update on trade_voids for each row when (old.completed_by is not null)
  execute function refuse_change();
create trigger trade_voids_are_kept before delete on trade_voids for each statement execute function refuse_change();
grant select, insert on trade_voids to cleartick_app;
grant update (completed_by, completed_at, entered) on trade_voids to cleartick_app;

-- Limits that the operator sets. One row.
create table trading_limits (
  only_row boolean primary key default true check (only_row),
  stake_max cents not null default 1000000 check (stake_max >= 100),
  open_stake_max cents not null default 5000000 check (open_stake_max >= 100)
);
insert into trading_limits default values;
grant select on trading_limits to cleartick_app;
grant update (stake_max, open_stake_max) on trading_limits to cleartick_app;

-- Open real stakes on symbols that have a limit: acceptance adds, a worker corrects the sum each second.
create table symbol_open (
  symbol_id smallint primary key references instruments (id),
  open_max cents not null check (open_max >= 0),
  open cents not null default 0 check (open >= 0)
) with (fillfactor = 50);
insert into symbol_open (symbol_id, open_max) select id, 20000000 from instruments where base in ('BCH', 'LTC') and trading_type is not null;
grant select, update (open) on symbol_open to cleartick_app;
grant insert, delete, update (open_max) on symbol_open to cleartick_app;

-- The largest limit of open stakes of the last day: what was accepted under a higher one may still be open.
create table open_stake_limits (
  open_stake_max cents not null,
  until timestamptz not null default clock_timestamp()
);
grant select, insert on open_stake_limits to cleartick_app;

-- Outcomes of settled trades by mode and kind of source, up to a trade's id: updated, never recounted.
create table trade_figures (
  mode account_mode not null,
  source_kind smallint not null,
  won bigint not null default 0 check (won >= 0),
  lost bigint not null default 0 check (lost >= 0),
  draws bigint not null default 0 check (draws >= 0),
  voids bigint not null default 0 check (voids >= 0),
  -- End of the first and the last of them, Unix ms.
  first_end bigint not null,
  last_end bigint not null,
  primary key (mode, source_kind)
);
create table trade_figures_head (
  only_row boolean primary key default true check (only_row),
  counted_to bigint not null default 0
);
insert into trade_figures_head default values;
grant select, insert, update on trade_figures to cleartick_app;
grant select, update (counted_to) on trade_figures_head to cleartick_app;
