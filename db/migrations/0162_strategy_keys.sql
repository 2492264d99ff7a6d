-- Up Migration
-- A strategy is one of the platform's, or a trader's: 'own-' and its number. Signals of a private strategy are in the same
-- chain as all others, but sealed: the chained text has only a hash of what the signal says and of a random value, so that
-- it's committed before its entry exists and yet nobody else can read it.
insert into schema_needs (migration, needs) values ('0162_strategy_keys', '0160_unknown_deposits');

create domain strategy_key as text check (value ~ '^(trend|reversion|breakout|coin-toss|own-[1-9][0-9]{0,14})$');
alter table signals alter column strategy type strategy_key using strategy::text;
alter table signal_hours alter column strategy type strategy_key using strategy::text;
alter table signal_closes alter column strategy type strategy_key using strategy::text;
alter table signal_spreads alter column strategy type strategy_key using strategy::text;
alter table automations alter column strategy type strategy_key using strategy::text;
alter table strategy_switches alter column strategy type strategy_key using strategy::text;
drop type strategy;

-- The random value of a sealed signal. Null: the signal is public.
alter table signals add column seal bytea;
alter table signals add constraint signals_seal check (seal is null or length(seal) = 32 and starts_with(strategy, 'own-')) not valid;

create or replace function signal_text(row_ signals) returns text language sql stable as $$
  select case
    when row_.seal is null then concat_ws(',', row_.n, said.text, row_.at, row_.frame)
    else concat_ws(',', row_.n, 'sealed', encode(sha256(row_.seal || convert_to(said.text, 'UTF8')), 'hex'), '', '', '', '', row_.at, row_.frame)
  end
  from instruments i cross join lateral (
    select concat_ws(',', row_.strategy, row_.version, i.symbol, row_.side, row_.duration_seconds, row_.candle_close) as text
  ) said where i.id = row_.symbol_id
$$;
