-- Up Migration
-- Whether an approver's approval alone is enough, for all items of a page at once. What the approver approved alone in
-- the last day is read once, not once for each item, and not at all if there are no items.

-- The desk's accounts that belong to the same person as this one, itself included.
create function accounts_of_person(operator bigint) returns bigint[] language sql stable as $$
  select array_agg(o.id) from operators o join operators a on email_key_of(a.email) = email_key_of(o.email) where a.id = operator
$$;

create or replace function approved_alone(approver bigint) returns table (item text, user_id bigint, amount bigint)
language sql stable as $$
  select 'deposit', d.user_id, d.credited::bigint from deposit_approvals p join deposits d on d.id = p.deposit_id
  where p.operator_id = any((select accounts_of_person(approver))::bigint[]) and p.at > clock_timestamp() - interval '24 hours'
    and d.status = 'Approved' and not exists (
      select from deposit_approvals o
      where o.deposit_id = d.id and o.operator_id <> all((select accounts_of_person(approver))::bigint[])
    )
  union all
  select 'withdrawal', w.user_id, w.amount::bigint from withdrawal_approvals p join withdrawals w on w.id = p.withdrawal_id
  where p.operator_id = any((select accounts_of_person(approver))::bigint[]) and p.at > clock_timestamp() - interval '24 hours'
    and w.status in ('Processing', 'Paid') and not exists (
      select from withdrawal_approvals o
      where o.withdrawal_id = w.id and o.operator_id <> all((select accounts_of_person(approver))::bigint[])
    )
$$;

create or replace function has_approved_for(approver bigint, trader bigint) returns boolean language sql stable as $$
  select exists (
    select from deposit_approvals p join deposits d on d.id = p.deposit_id
    where d.user_id = trader and d.status = 'Approved' and p.operator_id = any((select accounts_of_person(approver))::bigint[])
  ) or exists (
    select from audit a
    where a.user_id = trader and a.item_kind = 'identity-checks' and a.action = 'approve'
      and a.operator_id = any((select accounts_of_person(approver))::bigint[])
  )
$$;

-- Without `to_credit`, as if each deposit were credited with what was submitted.
create function deposits_would_take_two(ids bigint[], approver bigint, to_credit bigint default null)
returns table(deposit bigint, takes_two boolean) language sql stable as $$
  with alone as materialized (
    select a.user_id, sum(a.amount) as amount, sum(a.amount) filter (where a.item = 'deposit') as deposits
    from approved_alone(approver) a where cardinality(ids) > 0 group by a.user_id
  )
  select d.id, c.amount > d.submitted
    or exists (select from unknown_deposits u where u.deposit_id = d.id)
    or c.amount + coalesce(a.amount, 0) > s.deposit_two_person_above
    or c.amount + coalesce((select sum(deposits) from alone), 0) > s.deposit_operator_day_above
  from cashier_settings s, deposits d
    cross join lateral (select coalesce(to_credit, d.submitted) as amount) c
    left join alone a on a.user_id = d.user_id
  where d.id = any(ids)
$$;

create function withdrawals_would_take_two(ids bigint[], approver bigint)
returns table(withdrawal bigint, takes_two boolean) language sql stable as $$
  with alone as materialized (
    select a.user_id, sum(a.amount) as amount, sum(a.amount) filter (where a.item = 'withdrawal') as withdrawals
    from approved_alone(approver) a where cardinality(ids) > 0 group by a.user_id
  )
  select w.id, has_approved_for(approver, w.user_id)
    or w.amount + coalesce(a.amount, 0) > s.withdrawal_two_person_above
    or w.amount + coalesce((select sum(withdrawals) from alone), 0) > s.withdrawal_operator_day_above
  from cashier_settings s, withdrawals w left join alone a on a.user_id = w.user_id
  where w.id = any(ids)
$$;

create or replace function deposit_would_take_two(deposit bigint, to_credit bigint, approver bigint) returns boolean
language sql stable as $$
  select takes_two from deposits_would_take_two(array[deposit], approver, to_credit)
$$;

create or replace function withdrawal_would_take_two(withdrawal bigint, approver bigint) returns boolean
language sql stable as $$
  select takes_two from withdrawals_would_take_two(array[withdrawal], approver)
$$;
