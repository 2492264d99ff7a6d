-- Up Migration
-- No one person: people are compared by the keys of their addresses, and what one approves alone adds up.
-- Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0107_no_one_person', '0106_proof_keys_follow');

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

-- What one operator may approve alone in 24 hours, over all traders.
alter table cashier_settings
  add column deposit_operator_day_above cents not null default 1000000 check (deposit_operator_day_above >= 0),
  add column withdrawal_operator_day_above cents not null default 100000 check (withdrawal_operator_day_above >= 0);
create index deposit_approvals_of_operator on deposit_approvals (operator_id, at);
create index withdrawal_approvals_of_operator on withdrawal_approvals (operator_id, at);

-- Returns what one person, under any of their accounts, approved alone in the last 24 hours.
drop function approved_alone(bigint, bigint);
create function approved_alone(approver bigint) returns table (item text, user_id bigint, amount bigint) language sql stable as $$
  with accounts as (
    select o.id from operators o join operators a on email_key_of(a.email) = email_key_of(o.email) where a.id = approver
  )
  select 'deposit', d.user_id, d.credited::bigint from deposit_approvals p join deposits d on d.id = p.deposit_id
  where p.operator_id in (select id from accounts) and p.at > clock_timestamp() - interval '24 hours' and d.status = 'Approved'
    and not exists (select from deposit_approvals o where o.deposit_id = d.id and o.operator_id not in (select id from accounts))
  union all
  select 'withdrawal', w.user_id, w.amount::bigint from withdrawal_approvals p join withdrawals w on w.id = p.withdrawal_id
  where p.operator_id in (select id from accounts) and p.at > clock_timestamp() - interval '24 hours' and w.status in ('Processing', 'Paid')
    and not exists (select from withdrawal_approvals o where o.withdrawal_id = w.id and o.operator_id not in (select id from accounts))
$$;

-- The limits over time, so that verify knows which ones applied to an approval. Earlier approvals are not checked.
create table approval_limits (
  since timestamptz primary key default clock_timestamp(),
  deposit_two_person_above cents not null,
  withdrawal_two_person_above cents not null,
  deposit_operator_day_above cents not null,
  withdrawal_operator_day_above cents not null
);
create trigger approval_limits_are_final before update or delete or truncate on approval_limits
  for each statement execute function refuse_change();
create function keep_approval_limits() returns trigger language plpgsql as $$
begin
  insert into approval_limits (
    deposit_two_person_above, withdrawal_two_person_above, deposit_operator_day_above, withdrawal_operator_day_above
  ) values (
    new.deposit_two_person_above, new.withdrawal_two_person_above, new.deposit_operator_day_above, new.withdrawal_operator_day_above
  );
  return null;
end
$$;
create trigger keep_approval_limits after update on cashier_settings for each row execute function keep_approval_limits();
update cashier_settings set only_row = only_row;
grant select, insert (
  deposit_two_person_above, withdrawal_two_person_above, deposit_operator_day_above, withdrawal_operator_day_above
) on approval_limits to cleartick_app;

-- Until the transaction ends, the person's other approvals wait, so that each sees the sum of those before it, and so
-- do changes of the limits.
create function lock_approval_limits(approver bigint) returns cashier_settings language plpgsql as $$
declare
  limits cashier_settings;
begin
  perform pg_advisory_xact_lock(hashtextextended('approvals of ' || email_key_of(email), 0)) from operators where id = approver;
  select * into strict limits from cashier_settings for share;
  return limits;
end
$$;

-- Whether an operator, under any of their accounts, approved a deposit or an identity check of a trader.
create function has_approved_for(approver bigint, trader bigint) returns boolean language sql stable as $$
  with accounts as (
    select o.id from operators o join operators a on email_key_of(a.email) = email_key_of(o.email) where a.id = approver
  )
  select exists (
    select from deposit_approvals p join deposits d on d.id = p.deposit_id
    where d.user_id = trader and d.status = 'Approved' and p.operator_id in (select id from accounts)
  ) or exists (
    select from audit a
    where a.user_id = trader and a.item_kind = 'identity-checks' and a.action = 'approve' and a.operator_id in (select id from accounts)
  )
$$;

-- Whether a second person must approve: above the threshold, together with what the approver approved alone for this
-- trader in 24 hours, and above the sum that one person may approve alone for all traders. Also for more than was
-- submitted, and for a withdrawal of a trader whose deposit or identity the approver approved.
create function deposit_takes_two(deposit bigint, to_credit bigint, approver bigint) returns boolean language plpgsql as $$
declare
  limits constant cashier_settings = lock_approval_limits(approver);
  takes_two boolean;
begin
  select to_credit > d.submitted
    or to_credit + coalesce(sum(a.amount) filter (where a.user_id = d.user_id), 0) > limits.deposit_two_person_above
    or to_credit + coalesce(sum(a.amount) filter (where a.item = 'deposit'), 0) > limits.deposit_operator_day_above
  into strict takes_two
  from deposits d left join approved_alone(approver) a on true where d.id = deposit group by d.id;
  return takes_two;
end
$$;

create function withdrawal_takes_two(withdrawal bigint, approver bigint) returns boolean language plpgsql as $$
declare
  limits constant cashier_settings = lock_approval_limits(approver);
  takes_two boolean;
begin
  select has_approved_for(approver, w.user_id)
    or w.amount + coalesce(sum(a.amount) filter (where a.user_id = w.user_id), 0) > limits.withdrawal_two_person_above
    or w.amount + coalesce(sum(a.amount) filter (where a.item = 'withdrawal'), 0) > limits.withdrawal_operator_day_above
  into strict takes_two
  from withdrawals w left join approved_alone(approver) a on true where w.id = withdrawal group by w.id;
  return takes_two;
end
$$;

create or replace function deposits_change_status() returns trigger language plpgsql as $$
declare
  approvers bigint[];
begin
  if tg_op = 'INSERT' then
    if new.status <> 'Pending' or new.reversed <> 0 then
      raise exception 'deposit % does not begin as Pending', new.id using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if old.status <> 'Pending' then
    if (new.status, new.credited, new.reason, new.decided_at, new.provider_reference)
       is distinct from (old.status, old.credited, old.reason, old.decided_at, old.provider_reference) then
      raise exception 'deposit % is decided', new.id using errcode = 'integrity_constraint_violation';
    end if;
  elsif new.status = 'Approved' and new.method = 'crypto' then
    select array_agg(operator_id) into approvers from deposit_approvals where deposit_id = new.id and amount = new.credited;
    if approvers is null or cardinality(approvers) = 1 and deposit_takes_two(new.id, new.credited, approvers[1]) then
      raise exception 'deposit % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return new;
end
$$;

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
    if approvers is null or cardinality(approvers) = 1 and withdrawal_takes_two(new.id, approvers[1]) then
      raise exception 'withdrawal % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return new;
end
$$;
