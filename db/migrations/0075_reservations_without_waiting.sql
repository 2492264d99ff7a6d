-- Up Migration
-- Acceptance waits for nobody: if another transaction has locked a reservation, the statement fails at once, and the order
-- is tried again by itself. Nodes of the previous version try it again one by one, too.
create or replace function trades_take_reservation() returns trigger language plpgsql as $$
begin
  perform from automatic_orders o where o.signal = new.signal and o.account_id = new.account_id for no key update nowait;
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
