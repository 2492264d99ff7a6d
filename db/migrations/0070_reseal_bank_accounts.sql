-- Up Migration
-- Lets npm run rekey encrypt the bank account of a withdrawal again: that changes two columns and no status. The server's
-- login may not update them.
create or replace function withdrawals_change_status() returns trigger language plpgsql as $$
declare
  approvers bigint[];
begin
  if tg_op = 'INSERT' then
    if new.status <> 'Pending' then
      raise exception 'withdrawal % does not begin as Pending', new.id using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if new.bank_sealed is distinct from old.bank_sealed
    and to_jsonb(new) - 'bank_sealed' - 'bank_fingerprint' = to_jsonb(old) - 'bank_sealed' - 'bank_fingerprint' then
    return new;
  end if;
  if (old.status, new.status) not in (
    ('Pending', 'Processing'), ('Pending', 'Rejected'), ('Pending', 'Cancelled'), ('Processing', 'Paid'), ('Processing', 'Rejected')
  ) then
    raise exception 'withdrawal % does not go from % to %', new.id, old.status, new.status using errcode = 'integrity_constraint_violation';
  end if;
  if old.processing_at is not null and new.processing_at is distinct from old.processing_at then
    raise exception 'withdrawal % was approved once', new.id using errcode = 'integrity_constraint_violation';
  end if;
  if new.status = 'Processing' then
    select array_agg(operator_id) into approvers from withdrawal_approvals where withdrawal_id = new.id;
    if approvers is null or cardinality(approvers) = 1 and new.amount + approved_alone(approvers[1], new.user_id)
      > (select withdrawal_two_person_above from cashier_settings) then
      raise exception 'withdrawal % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return new;
end
$$;

-- An update that keeps the status passes withdrawals_change_status only if it encrypts the bank account again.
create or replace function withdrawals_wait_for_debts() returns trigger language plpgsql as $$
declare
  debt bigint;
begin
  if tg_op = 'UPDATE' then
    if new.status = old.status then
      return new;
    end if;
  end if;
  select owed into debt from accounts where id = new.user_id * 2 for no key update;
  if debt < 0 then
    raise exception 'the owner of withdrawal % owes money', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
