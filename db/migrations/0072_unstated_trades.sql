-- Up Migration
-- Settled trades that are in no checkpoint yet. A checkpoint used to take the trades settled since the one before, by the
-- clock, so one whose settlement committed late was in none forever. Settling writes a trade here, whichever statement or
-- version does it, and the checkpoint that states it removes it (0073_state_trades_once).
create table unstated_trades (
  trade_id bigint not null,
  account_id bigint not null,
  constraint unstated_trades_pkey primary key (account_id, trade_id)
);
grant select on unstated_trades to cleartick_app;

-- Its rights are the owner's: no other statement adds or removes a row.
create function trades_await_statement() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- A trade is updated for the last time when it settles (trades_settle_once).
  insert into unstated_trades (trade_id, account_id) select id, account_id from changed where status <> 'Pending';
  return null;
end
$$;
create trigger trades_await_statement after update on trades
  referencing new table as changed for each statement execute function trades_await_statement();
