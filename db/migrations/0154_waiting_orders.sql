-- Up Migration
-- Orders that wait for a price or a time. The engine triggers each on a tick of the tape; the trade takes its order in the
-- statement that accepts it, so an order makes at most one. The key of such a trade is made from the order and begins with
-- 'waiting:', which no client's key does.
insert into schema_needs (migration, needs) values ('0154_waiting_orders', '0149_solvency_with_equity');
alter type notice_kind add value 'order';
alter type request_effect add value 'waiting_order';

create type waiting_condition as enum ('at_or_above', 'at_or_below', 'at_time');
create type waiting_status as enum ('Waiting', 'Triggered', 'Traded', 'Refused', 'Expired');

create table waiting_orders (
  id bigint generated always as identity,
  account_id bigint not null references accounts (id),
  -- One of the account's places, until the order ends: no more orders wait than there are places.
  slot smallint check (slot between 1 and 20),
  symbol_id smallint not null references instruments (id),
  side trade_side not null,
  strike_rate strike_rate not null,
  stake cents not null check (stake >= 100),
  duration_seconds int not null check (duration_seconds > 0),
  condition waiting_condition not null,
  -- The price, at the symbol's scale.
  level bigint check (level > 0),
  -- The time, Unix ms.
  at_ms bigint,
  -- No later tick triggers it. Null: until it's cancelled.
  valid_until_ms bigint,
  -- The tick when it was placed, or moved to another price. Only later ones count.
  base_price bigint not null check (base_price > 0),
  base_seq bigint not null,
  base_ms bigint not null,
  -- Rises each time that it's moved: what an engine judged by older terms doesn't trigger it.
  arming int not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  -- The transaction that placed or moved it, by which engines find what is new.
  changed xid8 not null default pg_current_xact_id(),
  status waiting_status not null default 'Waiting',
  -- The tick that triggered it.
  trigger_price bigint,
  trigger_seq bigint,
  trigger_ms bigint,
  trade_id bigint,
  -- Why there is no trade.
  reason text check (length(reason) between 1 and 500),
  ended_at timestamptz,
  -- The notification of its end.
  notice_id bigint,
  primary key (account_id, id),
  constraint waiting_orders_slot unique (account_id, slot),
  constraint waiting_orders_trade unique (account_id, trade_id),
  constraint waiting_orders_terms check (
    case condition
      when 'at_time' then level is null and num_nonnulls(at_ms, valid_until_ms) = 2
      else level is not null and at_ms is null
    end
  ),
  constraint waiting_orders_open check (
    num_nonnulls(slot) + num_nonnulls(ended_at) = 1 and (status in ('Waiting', 'Triggered')) = (ended_at is null)
  ),
  constraint waiting_orders_outcome check (
    (status = 'Traded') = (trade_id is not null) and (status = 'Refused') = (reason is not null)
  ),
  constraint waiting_orders_triggered check (
    num_nonnulls(trigger_price, trigger_seq, trigger_ms) = case when status in ('Waiting', 'Expired') then 0 else 3 end
  ),
  constraint waiting_orders_by_its_terms check (
    trigger_seq is null
    or trigger_seq > base_seq and trigger_ms <= coalesce(valid_until_ms, trigger_ms) and case condition
      when 'at_or_above' then trigger_price >= level
      when 'at_or_below' then trigger_price <= level
      else trigger_ms >= at_ms
    end
  )
);
create index waiting_orders_armed on waiting_orders (changed) where status = 'Waiting';
create index waiting_orders_due on waiting_orders (valid_until_ms) where status = 'Waiting';
create index waiting_orders_triggered on waiting_orders (trigger_ms) where status = 'Triggered';
create index waiting_orders_unnoticed on waiting_orders (ended_at) where ended_at is not null and notice_id is null;
-- That an order traded is written by the trade only.
grant select, delete,
  insert (account_id, slot, symbol_id, side, strike_rate, stake, duration_seconds, condition, level, at_ms, valid_until_ms,
    base_price, base_seq, base_ms),
  update (slot, level, base_price, base_seq, base_ms, arming, changed, status, trigger_price, trigger_seq, trigger_ms, reason,
    ended_at, notice_id) on waiting_orders to cleartick_app;

create function waiting_orders_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.status <> 'Waiting' then
      raise exception 'order % has been triggered', old.id using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  if old.ended_at is not null and (old.notice_id is not null or new.status <> old.status or new.reason is distinct from old.reason)
    or old.status = 'Triggered' and new.status in ('Waiting', 'Expired')
    or old.status <> 'Waiting' and (new.level, new.base_price, new.base_seq, new.base_ms, new.arming, new.trigger_price, new.trigger_seq, new.trigger_ms)
      is distinct from (old.level, old.base_price, old.base_seq, old.base_ms, old.arming, old.trigger_price, old.trigger_seq, old.trigger_ms)
  then
    raise exception 'order % is final', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger waiting_orders_change before update or delete on waiting_orders
  for each row execute function waiting_orders_change();

-- The trade of an order: on the same terms, within a minute of the tick that triggered it, and only once.
create function trades_take_waiting_order() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  number bigint = substr(new.key, 9)::bigint;
begin
  perform from waiting_orders o where o.account_id = new.account_id and o.id = number for no key update nowait;
  update waiting_orders o set status = 'Traded', slot = null, trade_id = new.id, ended_at = clock_timestamp()
  where o.account_id = new.account_id and o.id = number and new.key = 'waiting:' || o.id and o.status = 'Triggered'
    and o.symbol_id = new.symbol_id and o.side = new.side and o.strike_rate = new.strike_rate and o.stake = new.stake
    and o.duration_seconds = new.duration_seconds and new.trade_time between o.trigger_ms and o.trigger_ms + 60000;
  if not found then
    raise exception 'order % of account % is not triggered', number, new.account_id
      using errcode = 'check_violation', constraint = 'trades_waiting_orders';
  end if;
  return new;
end
$$;
create trigger trades_take_waiting_order before insert on trades
  for each row when (starts_with(new.key, 'waiting:')) execute function trades_take_waiting_order();
alter table request_keys add constraint request_keys_no_waiting_orders
  check (not starts_with(key, 'waiting:')) not valid;

-- Up to where the tape was judged for orders. One row.
create table waiting_head (
  judged_ms bigint not null
);
insert into waiting_head (judged_ms) values (0);
create unique index waiting_head_one on waiting_head ((true));
grant select, update on waiting_head to cleartick_app;
