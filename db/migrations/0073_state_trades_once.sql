-- Up Migration
-- The rest of 0072_unstated_trades. While no checkpoint is signed (the lock is theirs), adds the trades that were settled
-- before and are in no checkpoint, however old, and removes those that were stated in between.
select pg_advisory_xact_lock(7302);

create function stated_ids(trade_ids bytea) returns setof bigint language sql immutable as $$
  select ('x' || encode(substring(trade_ids from n for 8), 'hex'))::bit(64)::bigint
  from generate_series(1, octet_length(trade_ids), 8) n
$$;

delete from unstated_trades where trade_id in (select stated_ids(trade_ids) from checkpoints);
insert into unstated_trades (trade_id, account_id)
select id, account_id from trades
where status <> 'Pending' and id not in (select stated_ids(trade_ids) from checkpoints)
on conflict do nothing;

-- A trade is stated once: only one that awaits it, which it then no longer does.
create function checkpoints_state_trades() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  stated bigint;
begin
  delete from unstated_trades where trade_id in (select stated_ids(new.trade_ids));
  get diagnostics stated = row_count;
  if stated <> octet_length(new.trade_ids) / 8 then
    raise exception 'the checkpoint at frame % has trades that do not await a statement', new.frame using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;
create trigger checkpoints_state_trades after insert on checkpoints for each row execute function checkpoints_state_trades();
