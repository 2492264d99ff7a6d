-- Up Migration
-- Settings say what one person may do alone, what the house may lose and where deposits go. They change only to what a
-- proposal says that this transaction approved, so only by two people.
create function approved_settings_now() returns setof jsonb language sql stable as $$
  select p.payload -> 'changes' from proposals p
  where p.kind = 'settings' and p.status = 'Approved' and p.decided_at >= transaction_timestamp()
$$;

create function require_approved_setting(name text, value jsonb) returns void language plpgsql as $$
begin
  if not exists (select from approved_settings_now() c where c ? name and c -> name = coalesce(value, 'null')) then
    raise exception 'the setting % was not changed by two people', name
      using errcode = 'integrity_constraint_violation', constraint = 'settings_by_two_people';
  end if;
end
$$;

create function trading_limits_by_two_people() returns trigger language plpgsql as $$
begin
  if new.stake_max <> old.stake_max then
    perform require_approved_setting('stake_max', to_jsonb(new.stake_max::numeric / 100));
  end if;
  if new.open_stake_max <> old.open_stake_max then
    perform require_approved_setting('open_stake_max', to_jsonb(new.open_stake_max::numeric / 100));
  end if;
  if new.worst_loss_percent <> old.worst_loss_percent then
    perform require_approved_setting('worst_loss_percent', to_jsonb(new.worst_loss_percent));
  end if;
  return new;
end
$$;
create trigger trading_limits_by_two_people before update on trading_limits
  for each row execute function trading_limits_by_two_people();
create trigger trading_limits_are_kept before delete or truncate on trading_limits
  for each statement execute function refuse_change();

create function risk_limits_by_two_people() returns trigger language plpgsql as $$
declare
  entry jsonb = case tg_op
    when 'DELETE' then jsonb_build_object('name', old.name, 'loss_max', null)
    else jsonb_build_object('name', new.name, 'loss_max', new.loss_max::numeric / 100) end;
begin
  if not exists (select from approved_settings_now() c where c -> 'loss_limits' @> jsonb_build_array(entry)) then
    raise exception 'the limit % was not changed by two people', entry
      using errcode = 'integrity_constraint_violation', constraint = 'settings_by_two_people';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;
create trigger risk_limits_by_two_people before insert or update or delete on risk_limits
  for each row execute function risk_limits_by_two_people();
create trigger risk_limits_are_kept before truncate on risk_limits for each statement execute function refuse_change();

create function cashier_settings_by_two_people() returns trigger language plpgsql as $$
begin
  if new.deposit_two_person_above <> old.deposit_two_person_above then
    perform require_approved_setting('deposit_two_person_amount', to_jsonb(new.deposit_two_person_above::numeric / 100));
  end if;
  if new.withdrawal_two_person_above <> old.withdrawal_two_person_above then
    perform require_approved_setting('withdraw_two_person_amount', to_jsonb(new.withdrawal_two_person_above::numeric / 100));
  end if;
  if new.deposit_operator_day_above <> old.deposit_operator_day_above then
    perform require_approved_setting('deposit_operator_day_amount', to_jsonb(new.deposit_operator_day_above::numeric / 100));
  end if;
  if new.withdrawal_operator_day_above <> old.withdrawal_operator_day_above then
    perform require_approved_setting('withdraw_operator_day_amount', to_jsonb(new.withdrawal_operator_day_above::numeric / 100));
  end if;
  if new.withdrawals_need_identity <> old.withdrawals_need_identity then
    perform require_approved_setting('withdrawals_need_identity', to_jsonb(new.withdrawals_need_identity));
  end if;
  if (new.btc_address, new.btc_extended_key) is distinct from (old.btc_address, old.btc_extended_key) then
    perform require_approved_setting('btc_address', to_jsonb(coalesce(new.btc_address, new.btc_extended_key)));
  end if;
  if (new.eth_address, new.eth_extended_key) is distinct from (old.eth_address, old.eth_extended_key) then
    perform require_approved_setting('eth_address', to_jsonb(coalesce(new.eth_address, new.eth_extended_key)));
  end if;
  return new;
end
$$;
create trigger cashier_settings_by_two_people before update on cashier_settings
  for each row execute function cashier_settings_by_two_people();
