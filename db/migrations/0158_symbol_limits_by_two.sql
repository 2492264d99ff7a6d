-- Up Migration
-- The limit of a symbol's open stakes changes only to what a proposal says that this transaction approved, as other
-- settings do. Limits by the depth of prices (thin_max) and the count of open stakes follow the market.
create function symbol_limits_by_two_people() returns trigger language plpgsql as $$
declare
  limited constant smallint = case tg_op when 'DELETE' then old.symbol_id else new.symbol_id end;
  entry constant jsonb = jsonb_build_object(
    'symbol', (select symbol from instruments where id = limited),
    'open_max', case when tg_op <> 'DELETE' then new.open_max::numeric / 100 end
  );
begin
  if not exists (select from approved_settings_now() c where c -> 'symbol_limits' @> jsonb_build_array(entry)) then
    raise exception 'the limit % was not changed by two people', entry
      using errcode = 'integrity_constraint_violation', constraint = 'settings_by_two_people';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;
create trigger symbol_limits_by_two_people before insert on symbol_open
  for each row when (new.open_max is not null) execute function symbol_limits_by_two_people();
create trigger symbol_limits_change_by_two_people before update of open_max on symbol_open
  for each row when (new.open_max is distinct from old.open_max) execute function symbol_limits_by_two_people();
create trigger symbol_limits_leave_by_two_people before delete on symbol_open
  for each row when (old.open_max is not null) execute function symbol_limits_by_two_people();
create trigger symbol_limits_are_kept before truncate on symbol_open for each statement execute function refuse_change();
