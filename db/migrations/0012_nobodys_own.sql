-- Up Migration
-- Nobody approves an item of his own (invariant W3): kept by the database too, by the address, without case.
create function approvals_are_of_others() returns trigger language plpgsql as $$
declare
  owner_id bigint;
begin
  if tg_table_name = 'deposit_approvals' then
    select user_id into owner_id from deposits where id = new.deposit_id;
  else
    select user_id into owner_id from withdrawals where id = new.withdrawal_id;
  end if;
  if exists (
    select from operators o join users u on lower(u.email) = lower(o.email) where o.id = new.operator_id and u.id = owner_id
  ) then
    raise exception 'operator % would approve an item of his own', new.operator_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger deposit_approvals_are_of_others before insert on deposit_approvals
  for each row execute function approvals_are_of_others();
create trigger withdrawal_approvals_are_of_others before insert on withdrawal_approvals
  for each row execute function approvals_are_of_others();
