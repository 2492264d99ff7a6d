-- Up Migration
-- People are compared by the keys of their addresses. Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0107_people_by_email_key', '0106_proof_keys_follow');

-- Returns an address without case, +tag and the dots that Gmail ignores, as kernel/email-key.ts does.
create function email_key_of(email text) returns text language sql immutable strict parallel safe as $$
  select case when split_part(lower(email), '@', 2) in ('gmail.com', 'googlemail.com')
    then replace(split_part(split_part(lower(email), '@', 1), '+', 1), '.', '') || '@gmail.com'
    else split_part(split_part(lower(email), '@', 1), '+', 1) || '@' || split_part(lower(email), '@', 2) end
$$;
create index users_email_key on users (email_key_of(email));

create or replace function approvals_are_by_two_people() returns trigger language plpgsql as $$
declare
  same boolean;
begin
  if tg_table_name = 'deposit_approvals' then
    select exists (
      select from deposit_approvals a join operators o on o.id = a.operator_id join operators n on n.id = new.operator_id
      where a.deposit_id = new.deposit_id and a.operator_id <> new.operator_id and email_key_of(o.email) = email_key_of(n.email)) into same;
  else
    select exists (
      select from withdrawal_approvals a join operators o on o.id = a.operator_id join operators n on n.id = new.operator_id
      where a.withdrawal_id = new.withdrawal_id and a.operator_id <> new.operator_id and email_key_of(o.email) = email_key_of(n.email)) into same;
  end if;
  if same then
    raise exception 'operator % has approved this before', new.operator_id
      using errcode = 'integrity_constraint_violation', constraint = 'two_people';
  end if;
  return new;
end
$$;

create or replace function approvals_not_of_own_items() returns trigger language plpgsql as $$
declare
  owner_id bigint;
begin
  if tg_table_name = 'deposit_approvals' then
    select user_id into owner_id from deposits where id = new.deposit_id;
  else
    select user_id into owner_id from withdrawals where id = new.withdrawal_id;
  end if;
  if exists (
    select from operators o join users u on email_key_of(u.email) = email_key_of(o.email) where o.id = new.operator_id and u.id = owner_id
  ) then
    raise exception 'operator % cannot approve their own item', new.operator_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;

create or replace function proposals_decided_by_another() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.status <> 'Pending' or row(old.kind, old.id, old.subject, old.payload, old.reason, old.proposed_by, old.proposed_at)
      is distinct from row(new.kind, new.id, new.subject, new.payload, new.reason, new.proposed_by, new.proposed_at)
    then
      raise exception 'proposal % of % is refused another change: it is final', old.id, old.kind using errcode = 'insufficient_privilege';
    end if;
    -- An approval counts in its own transaction, so nobody may date it.
    new.decided_at = case when new.status <> 'Pending' then clock_timestamp() end;
  end if;
  -- Two people have two keys, so that nobody decides their own proposal under an earlier or later account.
  if new.status in ('Approved', 'Rejected')
    and (select count(distinct email_key_of(o.email)) from operators o where o.id in (new.proposed_by, new.decided_by)) < 2
  then
    raise exception 'operator % decides on their own proposal', new.decided_by
      using errcode = 'integrity_constraint_violation', constraint = 'two_people';
  end if;
  return new;
end
$$;

create or replace function trade_remedies_follow_rulings() returns trigger language plpgsql as $$
declare
  wrong bigint;
begin
  select a.trade_id into wrong
  from added a left join trades t on t.id = a.trade_id left join complaint_rulings r on r.id = a.ruling_id
  left join proposals p on p.kind = 'rulings' and p.id = r.id
  where (
      p.status = 'Approved' and r.remedy = 'tick' and r.paid_at is null and t.status = 'Lost' and t.symbol_id = r.symbol_id
      and (t.entry_seq = r.tick_seq or t.exit_seq = r.tick_seq) and t.stake = a.amount and t.account_id = a.account_id
    ) is not true
    or exists (
      select from operators o join users u on email_key_of(u.email) = email_key_of(o.email)
      where o.id in (p.proposed_by, p.decided_by) and u.id = a.account_id / 2
    )
  limit 1;
  if found then
    raise exception 'the stake of trade % is not returned by a ruling of two operators', wrong
      using errcode = 'integrity_constraint_violation', constraint = 'trade_remedies_follow_rulings';
  end if;
  return null;
end
$$;
