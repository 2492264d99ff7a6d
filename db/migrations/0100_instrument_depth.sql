-- Up Migration
-- Prices are taken at a depth, exchanges may differ by tenths of a percent only, and operators keep symbols to demo trades.
alter table instruments
  -- An exchange's price is the middle of what this many USD would be sold and bought for there.
  add column depth_usd integer not null default 1000 check (depth_usd between 100 and 1000000),
  -- Real trades are refused, whatever its prices are made from.
  add column demo_only boolean not null default false,
  alter column largest_spread_bps set default 60,
  alter column largest_deviation_bps set default 40;
-- Null: proposed by an earlier version, which knew no such terms.
alter table instrument_changes
  add column depth_usd integer check (depth_usd between 100 and 1000000),
  add column demo_only boolean;

-- What two operators have decided stays as they decided it; the doctor lists it.
with untouched as (
  select i.id, i.base in ('BTC', 'ETH') and i.quote in ('USD', 'USDT', 'EUR') as is_major
  from instruments i
  where (i.min_sources, i.largest_spread_bps, i.largest_deviation_bps) = (2, 500, 100)
    and not exists (
      select from instrument_changes c where c.symbol = i.symbol and c.kind in ('add', 'change') and c.status = 'Approved'
    )
)
update instruments i set
  depth_usd = case when u.is_major then 5000 else 1000 end,
  largest_spread_bps = case when u.is_major then 20 else 60 end,
  largest_deviation_bps = case when u.is_major then 20 else 40 end
from untouched u where u.id = i.id;

-- An instrument changes as a proposal says that another operator approved in the same transaction, and in nothing else.
-- Only migrations, which run as the owner, change instruments without one.
create or replace function instruments_change_by_two_people() returns trigger language plpgsql as $$
declare
  terms constant text[] = '{min_sources,depth_usd,largest_spread_bps,largest_deviation_bps,stale_after_ms,venues,demo_only}';
begin
  if current_user = (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid) then
    return coalesce(new, old);
  end if;
  if not exists (
    select from instrument_changes c where c.symbol = coalesce(new.symbol, old.symbol) and c.status = 'Approved'
      and c.decided_by is not null and c.decided_at >= transaction_timestamp()
      and case
        when tg_op = 'INSERT' then
          c.kind = 'add' and new.closed_reason is null and new.venues is not distinct from c.venues
          and (c.base, c.quote, c.trading_type, c.scale, c.min_sources, c.largest_spread_bps, c.largest_deviation_bps, c.stale_after_ms)
            = (new.base, new.quote, new.trading_type, new.scale, new.min_sources, new.largest_spread_bps, new.largest_deviation_bps, new.stale_after_ms)
          and (coalesce(c.depth_usd, 1000), coalesce(c.demo_only, false)) = (new.depth_usd, new.demo_only)
        when tg_op = 'DELETE' then
          c.kind = 'withdraw'
        when c.kind = 'change' then
          new.venues is not distinct from c.venues
          and (c.min_sources, c.largest_spread_bps, c.largest_deviation_bps, c.stale_after_ms)
            = (new.min_sources, new.largest_spread_bps, new.largest_deviation_bps, new.stale_after_ms)
          and (coalesce(c.depth_usd, old.depth_usd), coalesce(c.demo_only, old.demo_only)) = (new.depth_usd, new.demo_only)
          and to_jsonb(new) - terms = to_jsonb(old) - terms
        else
          c.kind in ('close', 'reopen') and c.closed_reason is not distinct from new.closed_reason
          and to_jsonb(new) - 'closed_reason' = to_jsonb(old) - 'closed_reason'
      end
  ) then
    raise exception 'this change of the instrument % was not approved by two operators', coalesce(new.symbol, old.symbol)
      using errcode = 'integrity_constraint_violation';
  end if;
  -- The tape refers to it by foreign keys. Trades, signals and followers have none, because they are written so often.
  if tg_op = 'DELETE' and (
    exists (select from trades where symbol_id = old.id)
    or exists (select from signals where symbol_id = old.id)
    or exists (select from automations where old.id = any (symbol_ids))
  ) then
    raise exception 'the instrument % is in use', old.symbol using errcode = 'foreign_key_violation';
  end if;
  return coalesce(new, old);
end
$$;
grant update (depth_usd, demo_only) on instruments to cleartick_app;
