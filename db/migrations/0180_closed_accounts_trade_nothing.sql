-- Up Migration
-- No order is accepted on the accounts of a trader who has closed theirs, however late it comes (E6, H2).
update accounts a set trading_locked = true from users u
  where a.user_id = u.id and not a.trading_locked and u.ended_at is not null
    and (u.email_confirmed_at is not null or u.guest_until is not null);

create function closed_accounts_trade_nothing() returns trigger language plpgsql as $$
begin
  update accounts set trading_locked = true where id in (new.id * 2, new.id * 2 + 1) and not trading_locked;
  return null;
end
$$;

create trigger closed_accounts_trade_nothing after update of ended_at on users for each row
  when (old.ended_at is null and new.ended_at is not null
    and (new.email_confirmed_at is not null or new.guest_until is not null))
  execute function closed_accounts_trade_nothing();

-- Lifting an operator's lock leaves that of the closed account.
create or replace function locks_take_effect() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'accounts' then
    if exists (select from user_locks where user_id = new.user_id and kind = 'trading') then
      raise exception 'trading of user % is locked', new.user_id using errcode = 'integrity_constraint_violation';
    end if;
    new.trading_locked := exists (
      select from users where id = new.user_id and ended_at is not null
        and (email_confirmed_at is not null or guest_until is not null));
  elsif exists (select from user_locks where user_id = new.id and kind = 'sign_in') then
    raise exception 'signing in of user % is locked', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
