-- Up Migration
-- An operator may take his approval back while its item waits for another: a wrong first word is no reason to reject.
-- An approval is never changed, and once its item is decided it stays. Who gave and took it stands in the audit log.
drop trigger deposit_approvals_are_final on deposit_approvals;
drop trigger withdrawal_approvals_are_final on withdrawal_approvals;
create trigger deposit_approvals_are_final before update on deposit_approvals for each statement execute function refuse_change();
create trigger withdrawal_approvals_are_final before update on withdrawal_approvals for each statement execute function refuse_change();

create function approvals_leave_what_waits() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'deposit_approvals' then
    perform from deposits where id = old.deposit_id and status = 'Pending' for no key update;
  else
    perform from withdrawals where id = old.withdrawal_id and status = 'Pending' for no key update;
  end if;
  if not found then
    raise exception 'an approval of what is decided stays' using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$$;
create trigger deposit_approvals_leave_what_waits before delete on deposit_approvals
  for each row execute function approvals_leave_what_waits();
create trigger withdrawal_approvals_leave_what_waits before delete on withdrawal_approvals
  for each row execute function approvals_leave_what_waits();

grant delete on deposit_approvals, withdrawal_approvals to cleartick_app;
