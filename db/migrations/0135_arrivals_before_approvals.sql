-- Up Migration
-- Coins are credited only for a transaction that an operator has read from the blockchain. Stop all nodes of older
-- versions first.
insert into schema_needs (migration, needs) values ('0135_arrivals_before_approvals', '0123_solvency_entries_in_parts');

-- What was credited before has no arrival: verify asks for one from then on.
alter table cashier_settings add column arrivals_since timestamptz not null default now();

create function deposit_approvals_need_an_arrival() returns trigger language plpgsql as $$
begin
  if exists (select from deposits where id = new.deposit_id and method = 'crypto')
    and not exists (select from deposit_arrivals where deposit_id = new.deposit_id and amount >= new.amount) then
    raise exception 'deposit % has no arrival of this amount', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger deposit_approvals_need_an_arrival before insert on deposit_approvals
  for each row execute function deposit_approvals_need_an_arrival();
