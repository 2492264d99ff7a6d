-- Made by `npm run db:dump` from db/migrations; do not edit.

create type account_mode as enum ('real', 'demo');

create type alert_direction as enum ('up', 'down', 'either');

create type alert_kind as enum ('price', 'move', 'indicator');

create type automatic_status as enum ('Reserved', 'Traded', 'Skipped');

create type automatic_strike_rate as enum ('best', '75/3', '12/5', '11/13', '1/18', '1/61');

create type automation_state as enum ('Off', 'Running', 'Paused', 'Stopped');

create type bank_account_type as enum ('Checking', 'Savings');

create type card_effect as enum ('taken', 'returned');

create type cause as enum ('trade_open', 'trade_settle', 'deposit_credit', 'withdraw_hold', 'withdraw_paid', 'withdraw_release', 'plan_charge', 'adjust', 'deposit_reversal', 'demo_grant', 'deposit_reinstatement', 'debt_repayment', 'trade_remedy', 'trade_sale');

create type check_kind as enum ('identity', 'address');

create type check_method as enum ('drivers_license', 'international_passport', 'national_id', 'utility_bill', 'bank_statement', 'tax_document', 'others');

create type coin as enum ('BTC', 'ETH');

create type complaint_finding as enum ('records_agree', 'within_rules', 'already_settled', 'wrong_price', 'late_price', 'our_mistake', 'too_slow');

create type complaint_item as enum ('trade', 'deposit', 'withdrawal');

create type complaint_reason as enum ('price', 'time', 'result', 'missing', 'amount', 'other');

create type complaint_remedy as enum ('none', 'tick', 'credit');

create type complaint_status as enum ('Open', 'Proposed', 'Rejected', 'Upheld');

create type complaint_tick as enum ('entry', 'exit');

create type conversation_status as enum ('Open', 'Closed');

create type decision_status as enum ('Pending', 'Approved', 'Rejected');

create type deposit_method as enum ('crypto', 'card');

create type deposit_status as enum ('Pending', 'Approved', 'Rejected');

create type exclusion_kind as enum ('time_out', 'exclusion');

create type factor_reset_outcome as enum ('Stopped', 'Done');

create type followed_sides as enum ('both', 'Buy', 'Sell');

create type lever_kind as enum ('real-trading', 'symbol', 'withdrawals', 'maintenance');

create type lock_kind as enum ('trading', 'deposits', 'withdrawals', 'sign_in');

create type mail_budget as enum ('usual', 'confirm', 'reply', 'none');

create type mail_state as enum ('waiting', 'sent', 'failed');

create type notice_kind as enum ('deposit', 'withdraw', 'verification', 'plan', 'security', 'account', 'trade', 'automatic', 'alert', 'trade-ending', 'trade-settled', 'order');

create type plan as enum ('Beginner-3000', 'Gold-7600', 'Platinum-21199', 'Diamond-50730');

create type plan_request_status as enum ('Pending', 'Approved', 'Rejected', 'Cancelled');

create type price_source as enum ('live', 'replay', 'simulation');

create type proposal_status as enum ('Pending', 'Approved', 'Rejected', 'Withdrawn');

create type request_effect as enum ('deposit', 'withdrawal', 'cancel', 'plan', 'demo_reset', 'sale', 'waiting_order', 'archived_trade');

create type skip_reason as enum ('stale', 'day', 'limit', 'balance', 'stop', 'locked', 'closed', 'ended', 'profit', 'pause', 'odds');

create type slot as enum ('balance', 'escrow', 'hold', 'owed', 'house', 'external_in', 'external_out', 'mint');

create type strike_rate as enum ('75/3', '12/5', '11/13', '1/18', '1/61');

create type trade_side as enum ('Buy', 'Sell');

create type trade_status as enum ('Pending', 'Won', 'Lost', 'Draw', 'Void', 'Sold');

create type trading_plan as enum ('', 'Beginner-3000', 'Gold-7600', 'Platinum-21199', 'Diamond-50730');

create type trading_type as enum ('Cryptocurrency', 'Currencies');

create type waiting_condition as enum ('at_or_above', 'at_or_below', 'at_time');

create type waiting_status as enum ('Waiting', 'Triggered', 'Traded', 'Refused', 'Expired');

create type withdrawal_method as enum ('crypto', 'bank');

create type withdrawal_status as enum ('Pending', 'Processing', 'Paid', 'Rejected', 'Cancelled');

create domain cents as bigint;

create domain operator_roles as text[] CHECK (((cardinality(VALUE) > 0) AND (VALUE <@ ARRAY['support'::text, 'compliance'::text, 'finance'::text, 'risk'::text, 'admin'::text, 'auditor'::text])));

create domain strategy_key as text CHECK ((VALUE ~ '^(trend|reversion|breakout|coin-toss|own-[1-9][0-9]{0,14})$'::text));

create sequence node_numbers as integer increment 1 minvalue 0 maxvalue 1023 start 0 cache 1 cycle;

create sequence risk_lane_numbers as integer increment 1 minvalue 1 maxvalue 2147483647 start 1 cache 1;

create aggregate total(bigint) (sfunc = int8pl, stype = bigint, initcond = '0');

CREATE OR REPLACE FUNCTION public.account_closures_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.kept_at is not null or old.closed_at is not null or new.closed_at is not null and old.due_at > clock_timestamp() then
    raise exception 'the closure % is final, or not due', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.accounts_follow_transfers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  broken bigint;
begin
  -- Subtracts old rows from new ones in one pass and one sort, however many accounts a statement touches. (A join would
  -- keep the plan of a session's first statement for its largest.)
  select d.id into broken
  from (
    select id, max(seq) as seq_to, min(seq) as seq_from, total(sign * balance) as balance, total(sign * escrow) as escrow,
      total(sign * hold) as hold, total(sign * owed) as owed
    from (
      select id, seq, balance, escrow, hold, owed, 1 as sign from changed_to
      union all
      select id, seq, balance, escrow, hold, owed, -1 from changed_from
    ) both_sides
    group by id
  ) d
  left join lateral (
    select count(*) as parts,
      total(case when t.credit = 'balance' then t.amount when t.debit = 'balance' then -t.amount else 0 end) as balance,
      total(case when t.credit = 'escrow' then t.amount when t.debit = 'escrow' then -t.amount else 0 end) as escrow,
      total(case when t.credit = 'hold' then t.amount when t.debit = 'hold' then -t.amount else 0 end) as hold,
      total(case when t.credit = 'owed' then t.amount when t.debit = 'owed' then -t.amount else 0 end) as owed
    from transfers t where t.account_id = d.id and t.account_seq > d.seq_from and t.account_seq <= d.seq_to
  ) m on true
  where m.parts <> d.seq_to - d.seq_from or m.balance <> d.balance or m.escrow <> d.escrow or m.hold <> d.hold or m.owed <> d.owed
  limit 1;
  if found then
    raise exception 'account % changes by something other than its movements', broken using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.accounts_of_person(operator bigint)
 RETURNS bigint[]
 LANGUAGE sql
 STABLE
AS $function$
  select array_agg(o.id) from operators o join operators a on email_key_of(a.email) = email_key_of(o.email) where a.id = operator
$function$
;

CREATE OR REPLACE FUNCTION public.accounts_start_empty()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.balance <> 0 or new.escrow <> 0 or new.hold <> 0 or new.owed <> 0 or new.seq <> 0 then
    raise exception 'account % does not begin empty', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.approvals_are_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.approvals_not_of_own_items()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.approvals_revoked_while_pending()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_table_name = 'deposit_approvals' then
    perform from deposits where id = old.deposit_id and status = 'Pending' for no key update;
  else
    perform from withdrawals where id = old.withdrawal_id and status = 'Pending' for no key update;
  end if;
  if not found then
    raise exception 'an approval of a decided item cannot be revoked' using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$function$
;

CREATE OR REPLACE FUNCTION public.approved_alone(approver bigint)
 RETURNS TABLE(item text, user_id bigint, amount bigint)
 LANGUAGE sql
 STABLE
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.approved_now(of_kind text, about text)
 RETURNS SETOF proposals
 LANGUAGE sql
 STABLE
AS $function$
  select p.* from proposals p
  where p.kind = of_kind and p.subject = about and p.status = 'Approved' and p.decided_at >= transaction_timestamp()
$function$
;

CREATE OR REPLACE FUNCTION public.approved_settings_now()
 RETURNS SETOF jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select p.payload -> 'changes' from proposals p
  where p.kind = 'settings' and p.status = 'Approved' and p.decided_at >= transaction_timestamp()
$function$
;

CREATE OR REPLACE FUNCTION public.audit_broken()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  with linked as (
    select a.n, a.hash, a.previous, audit_hash(a) as proper, lag(a.n, 1, 0::bigint) over (order by a.n) as n_before,
      lag(a.hash, 1, decode(repeat('00', 32), 'hex')) over (order by a.n) as hash_before
    from audit a
  ), found as (
    select n_before + 1 as n, format('row %s is missing', n_before + 1) as says from linked where n <> n_before + 1
    union all
    select n, format('row %s was changed', n) from linked where n = n_before + 1 and hash <> proper
    union all
    select n, format('row %s does not follow row %s', n, n_before) from linked
    where n = n_before + 1 and hash = proper and previous <> hash_before
    union all
    select m.n + 1, format('row %s is missing', m.n + 1)
    from (select coalesce(max(n), 0) as n from audit) m, audit_head h where h.n > m.n
    union all
    select h.n, format('row %s is not the one that was written last', h.n)
    from audit_head h left join audit a on a.n = h.n
    where (select coalesce(max(n), 0) from audit) = h.n and h.n > 0 and a.hash <> h.hash
    union all
    select h.n + 1, format('row %s was never written by the chain', h.n + 1)
    from audit_head h where (select max(n) from audit) > h.n
  )
  select says from found order by n limit 1
$function$
;

CREATE OR REPLACE FUNCTION public.audit_chain()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- Locks the head until the commit, so that one transaction writes at a time.
  select n + 1, hash into new.n, new.previous from audit_head for update;
  new.at = clock_timestamp();
  new.hash = audit_hash(new);
  update audit_head set n = new.n, hash = new.hash;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.audit_hash(row_ audit)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select sha256(row_.previous || convert_to(jsonb_build_array(
    row_.n, (extract(epoch from row_.at) * 1000000)::bigint, row_.operator_id, row_.operator, row_.action, row_.item_kind,
    row_.item_id, row_.user_id, row_.before, row_.after, row_.why)::text, 'UTF8'))
$function$
;

CREATE OR REPLACE FUNCTION public.audit_operator_action()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into audit (operator_id, operator, action, item_kind, item_id, user_id, before, after, why)
  values (new.operator_id, new.operator, new.action, new.item_kind, new.item_id, new.user_id, new.before, new.after, new.why);
  delete from operator_actions where id = new.id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.automatic_orders_are_final()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status = 'Skipped' or old.status = 'Traded' and (new.status <> 'Traded' or new.trade_id <> old.trade_id or old.payout is not null) then
    raise exception 'an automatic order is final' using errcode = 'restrict_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.capital_follows_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  newest capital;
begin
  perform pg_advisory_xact_lock(hashtext('house_capital'));
  select * into newest from capital order by seq desc limit 1;
  if new.move_id is null and (newest.seq is not null or new.amount <> 10000000000) then
    raise exception 'play capital comes first, and once' using errcode = 'integrity_constraint_violation';
  end if;
  if new.move_id is not null and not exists (
    select from approved_now('capital-moves', 'capital') p join capital_moves m on m.id = p.id
    where p.id = new.move_id and m.amount = new.amount
  ) then
    raise exception 'capital move % was not approved by two operators', new.move_id using errcode = 'integrity_constraint_violation';
  end if;
  new.seq = coalesce(newest.seq, 0) + 1;
  new.capital_after = coalesce(newest.capital_after, 0) + new.amount;
  new.at = clock_timestamp();
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.cashier_settings_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.checkpoints_state_trades()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  stated bigint;
begin
  delete from unstated_trades where trade_id in (select stated_ids(new.trade_ids));
  get diagnostics stated = row_count;
  if stated <> octet_length(new.trade_ids) / 8 then
    raise exception 'the checkpoint at frame % has trades that do not await a statement', new.frame using errcode = 'restrict_violation';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.closed_accounts_trade_nothing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update accounts set trading_locked = true where id in (new.id * 2, new.id * 2 + 1) and not trading_locked;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.compare_names(a text, b text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case
    when bool_or(l = r and cardinality(l) > 0 or (l <@ r or r <@ l) and least(cardinality(l), cardinality(r)) > 1) then 'same'
    when bool_or(l && r) then 'near'
  end
  from (values (name_parts(a, false)), (name_parts(a, true))) one(l), (values (name_parts(b, false)), (name_parts(b, true))) other(r)
$function$
;

CREATE OR REPLACE FUNCTION public.complaint_rulings_follow_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  changes constant text[] = case when old.approved_at is null then '{approved_at,adjustment_id,paid_at}' else '{paid_at}' end;
begin
  if old.paid_at is not null or to_jsonb(new) - changes is distinct from to_jsonb(old) - changes then
    raise exception 'ruling % is refused another change: it is final', old.id using errcode = 'insufficient_privilege';
  end if;
  if old.approved_at is null and not exists (select from approved_now('rulings', old.complaint_id::text) p where p.id = old.id) then
    raise exception 'ruling % was not approved by two operators', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.complaints_close_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from approved_now('rulings', old.id::text) p join complaint_rulings r on r.id = p.id
    where r.complaint_id = old.id and r.upheld = (new.status = 'Upheld')
  ) then
    raise exception 'the ruling about complaint % was not approved by two operators', old.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.conversations_end_in_time()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' or old.at > clock_timestamp() - make_interval(
    days => coalesce((select days from retention_rules where kind = 'conversations'), 3650)
  ) then
    raise exception '% % is kept', tg_table_name, old.id using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposit_approvals_match()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from deposits d where d.id = new.deposit_id and d.status = 'Pending'
    and (d.method = 'crypto' or exists (select from unknown_deposits u where u.deposit_id = d.id)) for no key update;
  if not found then
    raise exception 'deposit % is not pending', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  if exists (select from deposit_approvals where deposit_id = new.deposit_id and amount <> new.amount) then
    raise exception 'deposit % was approved with another amount', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposit_approvals_need_an_arrival()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from deposits where id = new.deposit_id and method = 'crypto')
    and not exists (select from deposit_arrivals where deposit_id = new.deposit_id and amount >= new.amount) then
    raise exception 'deposit % has no arrival of this amount', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposit_arrivals_before_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from deposits d where d.id = new.deposit_id and d.status = 'Pending' and (d.user_id, d.coin) = (new.user_id, new.coin)
      and not exists (select from deposit_approvals a where a.deposit_id = d.id)
  ) then
    raise exception 'deposit % takes no arrival', new.deposit_id
      using errcode = 'integrity_constraint_violation', constraint = 'deposit_arrivals_before_approval';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposit_reversals_need_cause()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from card_events where id = new.reference)
    and not exists (
      select from reversal_proposals r join proposals p on p.kind = 'reversals' and p.id = r.id
      where r.deposit_id = new.deposit_id and r.amount = new.amount and r.reference = new.reference and p.status = 'Approved'
    ) then
    raise exception 'the reversal of deposit % has neither an approved proposal nor an event of the card provider', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposit_takes_two(deposit bigint, to_credit bigint, approver bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform lock_approval_limits(approver);
  return deposit_would_take_two(deposit, to_credit, approver);
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposit_would_take_two(deposit bigint, to_credit bigint, approver bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select takes_two from deposits_would_take_two(array[deposit], approver, to_credit)
$function$
;

CREATE OR REPLACE FUNCTION public.deposits_are_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  d deposits;
begin
  select * into d from deposits where id = new.id;
  if d.status = 'Approved' and d.credited is distinct from (
    select sum(amount) from transfers where cause = 'deposit_credit' and cause_id = d.id and account_id = d.user_id * 2
  ) then
    raise exception 'deposit % was approved and not credited', d.id using errcode = 'integrity_constraint_violation';
  end if;
  if d.reversed <> (
      select coalesce((select sum(amount) from deposit_reversals where deposit_id = d.id), 0)
        - coalesce((select sum(amount) from deposit_reinstatements where deposit_id = d.id), 0)
    ) or d.reversed <> (
      select coalesce(sum(case t.cause when 'deposit_reversal' then t.amount else -t.amount end), 0)
      from (
        select 'deposit_reversal'::cause as cause, id from deposit_reversals where deposit_id = d.id
        union all
        select 'deposit_reinstatement', id from deposit_reinstatements where deposit_id = d.id
      ) r join transfers t on t.cause = r.cause and t.cause_id = r.id and t.account_id = d.user_id * 2
    ) then
    raise exception 'the reversals of deposit % do not add up', d.id using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposits_change_status()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  elsif new.status = 'Approved' and (new.method = 'crypto' or exists (select from unknown_deposits u where u.deposit_id = new.id)) then
    select array_agg(operator_id) into approvers from deposit_approvals where deposit_id = new.id and amount = new.credited;
    if approvers is null or cardinality(approvers) = 1 and deposit_takes_two(new.id, new.credited, approvers[1]) then
      raise exception 'deposit % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposits_follow_requests()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- One without a request is made and submitted at once.
  if new.requested_at between clock_timestamp() - interval '5 seconds' and clock_timestamp() then
    return new;
  end if;
  if not exists (
    select from deposit_requests r where r.id = new.id
      and (r.user_id, r.coin, r.submitted, r.coin_amount, r.rate, r.address, r.created_at)
        is not distinct from (new.user_id, new.coin, new.submitted, new.coin_amount, new.rate, new.address, new.requested_at)
      and r.created_at > clock_timestamp() - interval '24 hours'
  ) then
    raise exception 'deposit % is not what was requested', new.id
      using errcode = 'integrity_constraint_violation', constraint = 'deposits_follow_requests';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposits_rejected_by_two()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.submitted > (select deposit_two_person_above from cashier_settings)
    and not exists (select from approved_now('deposit-rejections', new.id::text) p where p.reason = new.reason)
  then
    raise exception 'the rejection of deposit % was not approved by two people', new.id
      using errcode = 'integrity_constraint_violation', constraint = 'deposits_rejected_by_two';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposits_without_proof_are_assigned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from unknown_deposits where deposit_id = new.id) then
    raise exception 'deposit % has no payment proof', new.id
      using errcode = 'integrity_constraint_violation', constraint = 'deposits_without_proof_are_assigned';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.deposits_would_take_two(ids bigint[], approver bigint, to_credit bigint DEFAULT NULL::bigint)
 RETURNS TABLE(deposit bigint, takes_two boolean)
 LANGUAGE sql
 STABLE
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.details_come_with_proposal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from proposals p where p.kind = tg_argv[0] and p.id = new.id and p.status = 'Pending' and p.proposed_at >= transaction_timestamp()
  ) then
    raise exception 'there is no new proposal % of %', new.id, tg_argv[0] using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.email_changes_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.outcome is not null
    or old.old_confirmed_at is not null and new.old_confirmed_at is distinct from old.old_confirmed_at
    or old.new_confirmed_at is not null and new.new_confirmed_at is distinct from old.new_confirmed_at then
    raise exception 'the change of address % is final', old.id using errcode = 'integrity_constraint_violation';
  end if;
  if new.outcome = 'Done' and old.expires_at <= clock_timestamp() then
    raise exception 'the change of address % has expired', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.email_key_of(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case when split_part(lower(email), '@', 2) in ('gmail.com', 'googlemail.com')
    then replace(split_part(split_part(lower(email), '@', 1), '+', 1), '.', '') || '@gmail.com'
    else split_part(split_part(lower(email), '@', 1), '+', 1) || '@' || split_part(lower(email), '@', 2) end
$function$
;

CREATE OR REPLACE FUNCTION public.exclusion_until(e exclusions)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when e.lifted_at is not null then e.lifted_at when e.kind = 'time_out' then e.ends_at
    else coalesce(e.return_at, 'infinity') end
$function$
;

CREATE OR REPLACE FUNCTION public.exclusions_permanent_by_two()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from operators o where o.id = new.operator_id and o.ended_at is null and o.roles::text[] && array['risk', 'compliance']
  ) and not exists (select from approved_now('account-changes', 'exclude ' || new.user_id)) then
    raise exception 'the permanent exclusion of user % was not approved by two people', new.user_id
      using errcode = 'integrity_constraint_violation', constraint = 'exclusions_permanent_by_two';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.exclusions_return_once()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.lifted_at is distinct from old.lifted_at or new.lifted_by is distinct from old.lifted_by then
    select p.id into new.lifted_by from approved_now('account-changes', 'lift-match ' || old.user_id) p
    where p.payload ->> 'exclusion' = old.id::text;
    if not found or old.carried_from is null or old.lifted_at is not null or new.return_at is distinct from old.return_at then
      raise exception 'lifting exclusion % was not approved by two people', old.id
        using errcode = 'integrity_constraint_violation', constraint = 'exclusions_lifted_by_two';
    end if;
    new.lifted_at = clock_timestamp();
    return new;
  end if;
  if old.return_at is not null or new.return_at is null or old.ends_at is null or old.ends_at > clock_timestamp()
    or new.return_at < clock_timestamp() + interval '23 hours 59 minutes'
  then
    raise exception 'exclusion % is not over', old.id using errcode = 'restrict_violation', constraint = 'exclusions_return_once';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.factor_resets_follow_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from approved_now('factor-resets', new.user_id::text) p where p.id = new.id and new.due_at >= p.decided_at + interval '24 hours'
  ) then
    raise exception 'the second factor reset % was not approved by two operators, with 24 hours to stop it', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  if not exists (
    select from mails m join users u on lower(u.email) = lower(m.recipient)
    where m.id = new.mail_id and u.id = new.user_id and m.state = 'waiting' and m.created_at >= transaction_timestamp()
  ) then
    raise exception 'the second factor reset % has no e-mail to its trader', new.id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.frame_orders_bind()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  bound bigint[];
begin
  with gone as (
    delete from unbound_orders where id = any (new.trade_ids) returning trade_ids
  )
  select array_agg(id order by id) into bound from gone, unnest(gone.trade_ids) id;
  if bound is distinct from new.trade_ids then
    raise exception 'frame % binds orders that do not await it', new.frame using errcode = 'restrict_violation';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.guards_follow_changes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  missing text;
begin
  select n.key into missing from jsonb_each_text(to_jsonb(new)) n join jsonb_each_text(to_jsonb(old)) o using (key)
  where n.key ~ '^((deposits|losses|stakes|time)_(day|week|month)|check_minutes)$' and n.value is distinct from o.value
    and not exists (
      select from guard_changes c
      where c.account_id = new.account_id and c.guard = n.key and c.applied_at >= transaction_timestamp()
        and c.from_value is not distinct from o.value::bigint and c.to_value is not distinct from n.value::bigint
    )
  limit 1;
  if found then
    raise exception 'the limit % of account % changes without a change that is due', missing, new.account_id
      using errcode = 'integrity_constraint_violation', constraint = 'guards_follow_changes';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.guards_follow_exclusions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select max(exclusion_until(e)) into new.blocked_until from exclusions e where e.user_id = new.account_id / 2;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.has_approved_for(approver bigint, trader bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from deposit_approvals p join deposits d on d.id = p.deposit_id
    where d.user_id = trader and d.status = 'Approved' and p.operator_id = any((select accounts_of_person(approver))::bigint[])
  ) or exists (
    select from audit a
    where a.user_id = trader and a.item_kind = 'identity-checks' and a.action = 'approve'
      and a.operator_id = any((select accounts_of_person(approver))::bigint[])
  )
$function$
;

CREATE OR REPLACE FUNCTION public.instruments_change_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  pair constant text[] = '{base,quote,trading_type,scale}';
  terms constant text[] = '{min_sources,depth_usd,largest_spread_bps,largest_deviation_bps,stale_after_ms,venues,demo_only}';
begin
  if current_user = (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid) then
    return coalesce(new, old);
  end if;
  if not exists (
    select from approved_now('instrument-changes', coalesce(new.symbol, old.symbol)) p,
      lateral (select p.payload ->> 'kind' as kind, p.payload -> 'set' as set) c
    where case
      when tg_op = 'INSERT' then
        c.kind = 'add' and c.set ?& (pair || terms) and to_jsonb(new) || c.set = to_jsonb(new) and new.closed_reason is null
      when tg_op = 'DELETE' then c.kind = 'withdraw'
      else to_jsonb(old) || c.set = to_jsonb(new) and (
        c.kind = 'change' and c.set - terms = '{}'
        or c.set - 'closed_reason' = '{}' and c.kind = case when new.closed_reason is null then 'reopen' else 'close' end
      )
    end
  ) then
    raise exception 'this change of the instrument % was not approved by two operators', coalesce(new.symbol, old.symbol)
      using errcode = 'integrity_constraint_violation';
  end if;
  -- The tape refers to it by foreign keys. Trades, signals and followers have none, because they are written so often.
  if tg_op = 'DELETE' and (
    exists (select from trades where symbol_id = old.id)
    or exists (select from signals where symbol_id = old.id)
    or exists (select from followed_strategies where old.id = any (symbol_ids))
  ) then
    raise exception 'the instrument % is in use', old.symbol using errcode = 'foreign_key_violation';
  end if;
  return coalesce(new, old);
end
$function$
;

CREATE OR REPLACE FUNCTION public.invitations_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.invited_by is not null and not exists (
    select from proposals p where p.kind = 'operator-changes' and p.id = new.change_id and p.status = 'Approved'
      and p.payload ->> 'kind' = 'invite' and lower(p.payload ->> 'email') = lower(new.email) and p.payload -> 'roles' = to_jsonb(new.roles)
  ) then
    raise exception 'the invitation of % was not approved by two admins', new.email using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.is_price_list_document(document jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(
    jsonb_typeof(document -> 'lists') = 'array' and jsonb_typeof(document -> 'rules') = 'array'
    and jsonb_array_length(document -> 'lists') between 1 and 20 and jsonb_array_length(document -> 'rules') <= 50
    and not exists (
      select from jsonb_array_elements(document -> 'lists') l
      where jsonb_array_length(l -> 'pairs') not between 1 and 8
        or exists (select from jsonb_array_elements_text(l -> 'pairs') p where p !~ '^([1-9][0-9]?|100)/([1-9][0-9]?|100)$')
    )
    and not exists (
      select from jsonb_array_elements(document -> 'rules') r
      where not coalesce((r ->> 'list')::int between 1 and jsonb_array_length(document -> 'lists')
        and (r ->> 'from_hour')::int between 0 and 23 and (r ->> 'to_hour')::int between 1 and 24
        and jsonb_typeof(r -> 'symbols') = 'array' and jsonb_typeof(r -> 'durations') = 'array'
        and jsonb_typeof(r -> 'days') = 'array' and r ? 'group', false)
    ), false)
$function$
;

CREATE OR REPLACE FUNCTION public.keep_approval_limits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into approval_limits (
    deposit_two_person_above, withdrawal_two_person_above, deposit_operator_day_above, withdrawal_operator_day_above
  ) values (
    new.deposit_two_person_above, new.withdrawal_two_person_above, new.deposit_operator_day_above, new.withdrawal_operator_day_above
  );
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.levers_are_dated()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.kind = 'withdrawals' then
    perform pg_advisory_xact_lock(hashtext('payout_halts'));
  end if;
  new.pulled_at = clock_timestamp();
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.levers_release_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from approved_now('lever-releases', old.id::text)) then
    raise exception 'the release of lever % was not approved by two operators', old.id using errcode = 'integrity_constraint_violation';
  end if;
  new.released_at = clock_timestamp();
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.lock_approval_limits(approver bigint)
 RETURNS cashier_settings
 LANGUAGE plpgsql
AS $function$
declare
  limits cashier_settings;
begin
  perform pg_advisory_xact_lock(hashtextextended('approvals of ' || email_key_of(email), 0)) from operators where id = approver;
  select * into strict limits from cashier_settings for share;
  return limits;
end
$function$
;

CREATE OR REPLACE FUNCTION public.lock_lifts_by_role_or_two()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select l.operator_id, l.at, l.roles into new.set_by, new.set_at, new.roles
  from user_locks l where l.user_id = new.user_id and l.kind = new.kind;
  if not found then
    raise exception 'user % has no lock of %', new.user_id, new.kind using errcode = 'integrity_constraint_violation';
  end if;
  new.proposal_id = (
    select p.id from approved_now('account-changes', 'unlock ' || new.user_id) p where p.payload -> 'locks' ? new.kind::text
  );
  if new.proposal_id is null and not exists (
    select from operators o where o.id = new.operator_id and o.ended_at is null and o.roles::text[] && new.roles
  ) then
    raise exception 'the lock of % of user % is lifted by neither its role nor two people', new.kind, new.user_id
      using errcode = 'integrity_constraint_violation', constraint = 'lock_lifts_by_role_or_two';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.lock_payout_halts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(hashtext('payout_halts'));
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.locks_take_effect()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.name_parts(name text, by_look boolean)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  with folded as (
    select regexp_replace(
      replace(replace(replace(replace(replace(replace(replace(replace(replace(
        lower(normalize(name, NFKD) collate pg_c_utf8),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'ø', 'o'), 'ł', 'l'), 'đ', 'd'), 'ð', 'd'), 'þ', 'th'), 'ı', 'i'),
      '[\u0300-\u036f]', '', 'g') as name
  ), parts as (
    select part from folded, regexp_split_to_table(folded.name, '[^[:alnum:]]+') part where part <> ''
  )
  select coalesce(array_agg(distinct folded order by folded), '{}') from (
    select case when by_look or part ~ '[a-z0-9]'
      then translate(part, 'авекмнорстухьіјѕԁһԛԝӏүαβεηικνορτυχγω0135', 'abekmhopctyxbijsdhqwlyaenikvoptuxywooies')
      else translate(
        replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
          part, 'щ', 'shch'), 'ж', 'zh'), 'ч', 'ch'), 'ш', 'sh'), 'ц', 'ts'), 'ю', 'yu'), 'я', 'ya'), 'х', 'kh'), 'θ', 'th'), 'ψ', 'ps'), 'χ', 'ch'),
        'абвгдезиклмнопрстуфыэіїєґαβγδεζηικλμνξοπρστυφςωъь', 'abvgdeziklmnoprstufyeiiegavgdeziiklmnxoprstufso')
    end as folded from parts
  ) each where folded <> ''
$function$
;

CREATE OR REPLACE FUNCTION public.offered_pairs(document jsonb, symbol text, trading_type text, duration integer, at_ms bigint)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select document -> 'lists' -> (coalesce((
    select (r.rule ->> 'list')::int
    from jsonb_array_elements(document -> 'rules') with ordinality r(rule, place),
      lateral (select (at_ms / 3600000 % 24)::int as hour, ((at_ms / 86400000 + 4) % 7)::int as day,
        (r.rule ->> 'from_hour')::int as from_hour, (r.rule ->> 'to_hour')::int as to_hour) h
    where (r.rule -> 'symbols' = '[]' or r.rule -> 'symbols' ? symbol)
      and (r.rule -> 'group' = 'null' or r.rule ->> 'group' = trading_type)
      and (r.rule -> 'durations' = '[]' or r.rule -> 'durations' @> to_jsonb(duration))
      and case when h.from_hour < h.to_hour then
          h.hour >= h.from_hour and h.hour < h.to_hour and r.rule -> 'days' @> to_jsonb(h.day)
        else
          h.hour >= h.from_hour and r.rule -> 'days' @> to_jsonb(h.day)
          or h.hour < h.to_hour and r.rule -> 'days' @> to_jsonb((h.day + 6) % 7)
        end
    order by r.place limit 1
  ), 1) - 1) -> 'pairs'
$function$
;

CREATE OR REPLACE FUNCTION public.operators_end_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.ended_at is not null then
    raise exception 'operator % has ended', old.id using errcode = 'integrity_constraint_violation';
  end if;
  if 'admin' = any (old.roles::text[]) and not exists (
    select from approved_now('operator-changes', email_key_of(old.email)) p
    where p.payload ->> 'kind' = 'end' and p.payload ->> 'operator_id' = old.id::text
  ) then
    raise exception 'ending the admin % was not approved by two admins', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.own_strategies_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.archived_at is not null then
    raise exception 'strategy % is archived', old.id
      using errcode = 'integrity_constraint_violation', constraint = 'own_strategies_change';
  end if;
  if new.version not in (old.version, old.version + 1) then
    raise exception 'strategy % skips a version', old.id
      using errcode = 'integrity_constraint_violation', constraint = 'own_strategies_change';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.payout_addresses_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.removed_at is not null and new.removed_at is distinct from old.removed_at
    or new.bank_sealed is not distinct from old.bank_sealed and new.bank_fingerprint is distinct from old.bank_fingerprint then
    raise exception 'the address % is final', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.payout_batch_items_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  found withdrawals;
begin
  select * into found from withdrawals where id = new.withdrawal_id for no key update;
  if found.status <> 'Processing' then
    raise exception 'withdrawal % is not to be paid', new.withdrawal_id using errcode = 'integrity_constraint_violation';
  end if;
  if tg_op = 'UPDATE' then
    if old.removed_at is not null or (new.batch_id, new.withdrawal_id) is distinct from (old.batch_id, old.withdrawal_id) then
      raise exception 'withdrawal % was taken out of its batch once', old.withdrawal_id using errcode = 'integrity_constraint_violation';
    end if;
    new.removed_at = clock_timestamp();
  elsif new.removed_at is not null or found.rate is null
    or found.coin is distinct from (select coin from payout_batches where id = new.batch_id) then
    raise exception 'withdrawal % has no fixed amount in the coin of its batch', new.withdrawal_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.payout_guards_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.off_at is not null and old.off_at is null then
    new.off_at = clock_timestamp() + interval '24 hours';
    new.on_since = old.on_since;
  elsif new.off_at is not null then
    new.off_at = old.off_at;
    new.on_since = old.on_since;
  elsif old.off_at <= clock_timestamp() then
    new.on_since = clock_timestamp();
  else
    new.on_since = old.on_since;
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.payout_key(coin coin, wallet text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN ((coin = 'ETH'::coin) OR (wallet ~* '^bc1'::text)) THEN lower(wallet) ELSE wallet END
;

CREATE OR REPLACE FUNCTION public.payouts_halted()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock_shared(hashtext('payout_halts'));
  return exists (select from payout_halts where ended_at is null)
    or exists (select from levers where kind = 'withdrawals' and released_at is null);
end
$function$
;

CREATE OR REPLACE FUNCTION public.payouts_resume_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from approved_now('payout-resumptions', old.id::text)) then
    raise exception 'resuming payouts was not approved by two operators' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.price_lists_begin_later()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if clock_timestamp() > new.made_at + interval '2 seconds' then
    raise exception 'the approval of these price lists took too long' using errcode = 'lock_not_available';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.price_lists_follow_approval()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  newest price_list_versions;
  pair text;
begin
  perform pg_advisory_xact_lock(hashtext('price_lists'));
  select * into strict newest from price_list_versions order by version desc limit 1;
  select (p.payload -> 'dry_run' ->> 'edge')::boolean into new.edge from approved_now('price-lists', 'price-lists') p
  where p.id = new.proposal_id and p.payload -> 'document' = new.document;
  if new.edge is null then
    raise exception 'these price lists were not approved by two operators'
      using errcode = 'integrity_constraint_violation', constraint = 'price_lists_by_two_people';
  end if;
  new.version = newest.version + 1;
  new.made_at = clock_timestamp();
  new.from_ms = greatest(
    floor(extract(epoch from new.made_at) * 1000)::bigint + 5000, (select t + 5000 from tape_head), newest.from_ms + 1
  );
  for pair in
    select distinct p from jsonb_array_elements(new.document -> 'lists') l, jsonb_array_elements_text(l -> 'pairs') p
  loop
    execute format('alter type strike_rate add value if not exists %L', pair);
    execute format('alter type automatic_strike_rate add value if not exists %L', pair);
  end loop;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.proof_keys_begin_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from approved_now('proof-keys', new.id)) then
    raise exception 'beginning the key % was not approved by two admins', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.proposals_decided_by_another()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.published_strategies_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.withdrawn_at is not null then
    raise exception 'strategy % was withdrawn', old.strategy_id
      using errcode = 'restrict_violation', constraint = 'published_strategies_change';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.received_signals_decide_once()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if num_nonnulls(old.signal, old.void) > 0 then
    raise exception 'message % is decided', old.id
      using errcode = 'restrict_violation', constraint = 'received_signals_decide_once';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% on % is refused: its rows are final', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end
$function$
;

CREATE OR REPLACE FUNCTION public.request_keys_expire()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from (
      select count(*) as keys, bool_and(effect = 'demo_reset') as of_resets, max(at) as last_at from removed
    ) r left join expired_grants e on e.removed_in = pg_current_xact_id()
    where r.keys > 0 and (r.of_resets and r.keys = e.keys and (r.last_at at time zone 'UTC')::date < e.until) is not true
  ) then
    raise exception 'only keys of demo resets can expire' using errcode = 'restrict_violation';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.require_approved_setting(name text, value jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from approved_settings_now() c where c ? name and c -> name = coalesce(value, 'null')) then
    raise exception 'the setting % was not changed by two people', name
      using errcode = 'integrity_constraint_violation', constraint = 'settings_by_two_people';
  end if;
end
$function$
;

CREATE OR REPLACE FUNCTION public.revoked_keys_sign_nothing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from proof_keys where id = new.key and revoked_at is not null) then
    raise exception 'the key % is revoked', new.key using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.risk_limits_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.roles_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from proposals p where p.kind = 'operator-changes' and p.status = 'Approved' and p.decided_at >= transaction_timestamp()
      and p.payload ->> 'kind' = 'roles' and p.payload ->> 'operator_id' = new.id::text and p.payload -> 'roles' = to_jsonb(new.roles)
  ) and not exists (
    select from operator_invitations i where lower(i.email) = lower(new.email) and i.invited_by is null
      and i.roles = new.roles and i.used_at >= transaction_timestamp()
  ) then
    raise exception 'the roles of operator % were not changed by two admins', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.sale_orders_follow_trades()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from trades t where t.id = new.trade_id and t.account_id = new.account_id and t.sale_ordered_at = new.at
      and case when new.outcome is null then t.status = 'Pending'
        else t.status = 'Sold' and t.payout = new.payout and t.exit_seq = new.tick_seq and t.exit_time = new.tick_time
          and t.exit_price = new.tick_price end
  ) then
    raise exception 'the order to sell trade % does not follow it', new.trade_id
      using errcode = 'integrity_constraint_violation', constraint = 'sale_orders_follow_trades';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.signal_text(row_ signals)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when row_.seal is null then concat_ws(',', row_.n, said.text, row_.at, row_.frame)
    else concat_ws(',', row_.n, 'sealed', encode(sha256(row_.seal || convert_to(said.text, 'UTF8')), 'hex'), '', '', '', '', row_.at, row_.frame)
  end
  from instruments i cross join lateral (
    select concat_ws(',', row_.strategy, row_.version, i.symbol, row_.side, row_.duration_seconds, row_.candle_close) as text
  ) said where i.id = row_.symbol_id
$function$
;

CREATE OR REPLACE FUNCTION public.signals_chain()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- Locks the head until the commit, so that one transaction writes at a time.
  select n + 1, hash into new.n, new.previous from signal_head for update;
  select greatest(floor(extract(epoch from clock_timestamp()) * 1000)::bigint, t), number into new.at, new.frame from tape_head;
  new.hash = sha256(new.previous || convert_to(signal_text(new), 'UTF8'));
  update signal_head set n = new.n, hash = new.hash;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.signals_count_closes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  with decided as (
    select a.candle_close, a.strategy, a.version, a.duration_seconds, a.source_kind,
      count(*) filter (where a.side = 'Buy' and a.status = 'Won') as buy_won,
      count(*) filter (where a.side = 'Buy' and a.status = 'Lost') as buy_lost,
      count(*) filter (where a.side = 'Sell' and a.status = 'Won') as sell_won,
      count(*) filter (where a.side = 'Sell' and a.status = 'Lost') as sell_lost
    from after a join before b using (n)
    where b.status = 'Pending' and a.status in ('Won', 'Lost')
    group by 1, 2, 3, 4, 5
  ), counted as (
    insert into signal_closes as c
      (candle_close, strategy, version, duration_seconds, source_kind, buy_won, buy_lost, sell_won, sell_lost)
    select * from decided order by 1, 2, 3, 4, 5
    on conflict (candle_close, strategy, version, duration_seconds, source_kind) do update set
      buy_won = c.buy_won + excluded.buy_won, buy_lost = c.buy_lost + excluded.buy_lost,
      sell_won = c.sell_won + excluded.sell_won, sell_lost = c.sell_lost + excluded.sell_lost
    returning with (old as was, new as now) now.*,
      coalesce(was.buy_won, 0) as old_buy_won, coalesce(was.buy_lost, 0) as old_buy_lost,
      coalesce(was.sell_won, 0) as old_sell_won, coalesce(was.sell_lost, 0) as old_sell_lost
  )
  insert into signal_spreads as s (duration_seconds, source_kind, sides, strategy, version, hour, won, lost, closes, ww, wl, ll)
  select c.duration_seconds, c.source_kind, d.sides, c.strategy, c.version, c.candle_close / 3600000 * 3600000,
    sum(d.won - d.old_won), sum(d.lost - d.old_lost),
    count(*) filter (where d.won + d.lost > 0 and d.old_won + d.old_lost = 0),
    sum(d.won::bigint * d.won - d.old_won::bigint * d.old_won), sum(d.won::bigint * d.lost - d.old_won::bigint * d.old_lost),
    sum(d.lost::bigint * d.lost - d.old_lost::bigint * d.old_lost)
  from counted c cross join lateral (values
    ('both', c.buy_won + c.sell_won, c.buy_lost + c.sell_lost, c.old_buy_won + c.old_sell_won, c.old_buy_lost + c.old_sell_lost),
    ('Buy', c.buy_won, c.buy_lost, c.old_buy_won, c.old_buy_lost),
    ('Sell', c.sell_won, c.sell_lost, c.old_sell_won, c.old_sell_lost)
  ) d(sides, won, lost, old_won, old_lost)
  where d.won + d.lost > 0
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (duration_seconds, source_kind, sides, strategy, version, hour) do update set
    won = s.won + excluded.won, lost = s.lost + excluded.lost, closes = s.closes + excluded.closes,
    ww = s.ww + excluded.ww, wl = s.wl + excluded.wl, ll = s.ll + excluded.ll;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.signals_of_traders()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform from own_strategies s
    join own_strategy_versions v on v.strategy_id = s.id and v.version = new.version
    join recorded_strategies r on r.strategy_id = s.id
    left join published_strategies p on p.strategy_id = s.id
    where s.id = substring(new.strategy from 5)::bigint and s.version = v.version
      and v.duration_seconds = new.duration_seconds and new.symbol_id = any (v.symbol_ids)
      and (new.seal is null) = coalesce(v.version >= p.first_version and p.withdrawn_at is null, false)
      and new.candle_close % (v.duration_seconds * 1000::bigint) = 0
      and new.at <= new.candle_close + 5000 + case s.kind when 'rule' then 0 else v.duration_seconds * 1000::bigint end;
  if not found then
    raise exception 'strategy % has no such signal', new.strategy
      using errcode = 'integrity_constraint_violation', constraint = 'signals_of_traders';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.stated_ids(trade_ids bytea)
 RETURNS SETOF bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select ('x' || encode(substring(trade_ids from n for 8), 'hex'))::bit(64)::bigint
  from generate_series(1, octet_length(trade_ids), 8) n
$function$
;

CREATE OR REPLACE FUNCTION public.strategies_restart_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from approved_now('strategy-restarts', old.strategy::text)) then
    raise exception 'switching on the strategy % was not approved by two operators', old.strategy
      using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$function$
;

CREATE OR REPLACE FUNCTION public.symbol_limits_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.terms_changes_follow_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from approved_now('instrument-changes', new.symbol) p where p.id = new.id and p.payload ->> 'kind' = 'change'
  ) then
    raise exception 'the change of % was not approved by two operators', new.symbol using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.trade_remedies_follow_rulings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  wrong bigint;
begin
  select a.trade_id into wrong
  from added a left join trades t on t.id = a.trade_id left join complaint_rulings r on r.id = a.ruling_id
  left join proposals p on p.kind = 'rulings' and p.id = r.id
  where (
      p.status = 'Approved' and r.remedy = 'tick' and r.paid_at is null and t.symbol_id = r.symbol_id
      and (t.status = 'Lost' or t.status = 'Sold' and r.covers_sales)
      and (t.entry_seq = r.tick_seq or t.exit_seq = r.tick_seq) and t.stake - t.payout = a.amount and t.account_id = a.account_id
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
$function$
;

CREATE OR REPLACE FUNCTION public.trade_voids_follow_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from approved_now('voids', new.trade_id::text) p where p.reason = new.reason) then
    raise exception 'the void of trade % was not approved by two operators', new.trade_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.trades_await_frame()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into unbound_orders (id, trade_ids)
  select min(id), array_agg(id order by id) from added where salt is not null having count(*) > 0;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.trades_await_statement()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- A trade is updated for the last time when it settles (trades_settle_once).
  insert into unstated_trades (trade_id, account_id) select id, account_id from changed where status <> 'Pending';
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.trades_keys_are_unused()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from added a, lateral (
      select from request_keys k where k.user_id = a.account_id / 2 and k.key = a.key limit 1
    ) used where a.key is not null
  ) then
    raise exception 'a key was used for something else' using errcode = 'unique_violation', constraint = 'request_keys_pkey';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.trades_take_reservation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from automatic_orders o where o.signal = new.signal and o.account_id = new.account_id for no key update nowait;
  update automatic_orders o set status = 'Traded', trade_id = new.id
  where o.signal = new.signal and o.account_id = new.account_id and o.status = 'Reserved' and o.stake = new.stake
    and new.trade_time <= o.signal_at + 5000
    and o.day = (timestamp 'epoch' + new.trade_time * interval '1 millisecond')::date;
  if not found then
    raise exception 'signal % is not reserved for account %', new.signal, new.account_id
      using errcode = 'check_violation', constraint = 'trades_reserved';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.trades_take_waiting_order()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  number bigint = substr(new.key, 9)::bigint;
begin
  perform from waiting_orders o where o.account_id = new.account_id and o.id = number for no key update nowait;
  update waiting_orders o set status = 'Traded', slot = null, trade_id = new.id, ended_at = clock_timestamp()
  where o.account_id = new.account_id and o.id = number and new.key = 'waiting:' || o.id and o.status = 'Triggered'
    and o.symbol_id = new.symbol_id and o.side = new.side and o.strike_rate = new.strike_rate and o.stake = new.stake
    and o.duration_seconds = new.duration_seconds and new.trade_time between o.trigger_ms and o.trigger_ms + 60000;
  if not found then
    raise exception 'order % of account % is not triggered', number, new.account_id
      using errcode = 'check_violation', constraint = 'trades_waiting_orders';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.trading_limits_by_two_people()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.trading_stops()
 RETURNS TABLE(symbol_id integer)
 LANGUAGE plpgsql
AS $function$
begin
  return query
    select case l.kind when 'symbol' then i.id::int else -1 end
    from levers l left join instruments i on i.symbol = l.symbol
    where l.released_at is null and l.kind in ('real-trading', 'symbol');
end
$function$
;

CREATE OR REPLACE FUNCTION public.transfers_leave_archived()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from (
      select count(*) as transfers, bool_and(cause in ('trade_open', 'trade_settle')) as of_trades, bool_and(cause = 'demo_grant') as of_grants,
        coalesce(sum(case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end) filter (where mode = 'real'), 0) as real_result,
        coalesce(sum(case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end) filter (where mode = 'demo'), 0) as demo_result,
        count(*) filter (where mode = 'real') as of_real
      from removed
    ) r left join (
      select removed_in, transfers, real_result, demo_result, false as of_demo, false as of_grants from archived_days
      union all
      select removed_in, transfers, 0, result, true, false from expired_days
      union all
      select removed_in, grants, 0, granted, true, true from expired_grants
    ) d on d.removed_in = pg_current_xact_id()
    where r.transfers > 0 and (case when d.of_grants then r.of_grants else r.of_trades end
      and r.transfers = d.transfers and r.real_result = d.real_result and r.demo_result = d.demo_result
      and not (d.of_demo and r.of_real > 0)) is not true
  ) then
    raise exception 'movements can only be archived' using errcode = 'restrict_violation';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.transfers_move_accounts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  account bigint;
  rule text;
begin
  select t.account_id, r.broken into account, rule
  from added t
  left join lateral (select a.seq from accounts a where a.id = t.account_id and a.mode = t.mode) a on true
  cross join lateral (
    select case
      when (t.mode = 'demo') <> (t.debit = 'mint' or t.credit = 'mint') and t.cause not in ('trade_open', 'trade_settle', 'trade_sale', 'adjust', 'trade_remedy')
        then 'transfers_demo_is_play'
      when not case t.cause
        when 'trade_open' then t.debit = 'balance' and t.credit = 'escrow'
        when 'trade_sale' then
          t.debit = 'escrow' and t.credit in ('balance', 'house') or t.debit = 'house' and t.credit = 'balance'
        when 'trade_settle' then
          t.debit = 'escrow' and t.credit in ('balance', 'house') or t.debit = 'house' and t.credit = 'balance'
        when 'deposit_credit' then t.debit = 'external_in' and t.credit in ('balance', 'owed')
        when 'deposit_reversal' then t.debit in ('balance', 'owed') and t.credit = 'external_in'
        when 'deposit_reinstatement' then t.debit = 'external_in' and t.credit in ('balance', 'owed')
        when 'debt_repayment' then t.debit = 'balance' and t.credit = 'owed'
        when 'withdraw_hold' then t.debit = 'balance' and t.credit = 'hold'
        when 'withdraw_release' then t.debit = 'hold' and t.credit = 'balance'
        when 'withdraw_paid' then t.debit = 'hold' and t.credit = 'external_out'
        when 'plan_charge' then t.debit = 'balance' and t.credit = 'house'
        when 'adjust' then
          t.debit = 'house' and t.credit in ('balance', 'owed') or t.debit = 'balance' and t.credit = 'house'
        when 'demo_grant' then t.debit = 'mint' and t.credit = 'balance' or t.debit = 'balance' and t.credit = 'mint'
        when 'trade_remedy' then t.debit = 'house' and t.credit in ('balance', 'owed')
          and exists (select from trade_remedies m where m.trade_id = t.cause_id and m.account_id = t.account_id)
        else false
      end then 'transfers_published_ways'
      when a.seq is null or a.seq < t.account_seq then 'transfers_move_accounts'
    end as broken
  ) r
  where r.broken is not null
  limit 1;
  if found then
    raise exception 'a movement of account % is refused by %', account, rule using errcode = 'integrity_constraint_violation', constraint = rule;
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.uncredited_payments_close_once()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'payment % is closed already', old.payment using errcode = 'integrity_constraint_violation';
end
$function$
;

CREATE OR REPLACE FUNCTION public.unknown_deposits_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.returned_at is not null or exists (select from deposits where id = old.deposit_id and status <> 'Rejected') then
    raise exception 'unknown deposit % is decided', old.id
      using errcode = 'integrity_constraint_violation', constraint = 'unknown_deposits_change';
  end if;
  if new.returned_at is not null and not exists (select from approved_now('deposit-returns', new.id::text)) then
    raise exception 'the return of unknown deposit % was not approved by two people', old.id
      using errcode = 'integrity_constraint_violation', constraint = 'unknown_deposits_returned_by_two';
  end if;
  if new.deposit_id is distinct from old.deposit_id and not exists (
    select from deposits d where d.id = new.deposit_id and d.status = 'Pending' and d.submitted = new.amount
      and (d.coin, d.coin_amount, d.rate, d.address) is not distinct from (new.coin, new.coins, new.rate, new.address)
      and d.provider_reference is not distinct from case when new.coin is null then new.reference end
  ) then
    raise exception 'unknown deposit % is not what was assigned', old.id
      using errcode = 'integrity_constraint_violation', constraint = 'unknown_deposits_change';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.user_locks_are_lifted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from lock_lifts f
    where f.user_id = old.user_id and f.kind = old.kind and f.set_at = old.at and f.at >= transaction_timestamp()
  ) then
    raise exception 'nobody lifted the lock of % of user %', old.kind, old.user_id using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$function$
;

CREATE OR REPLACE FUNCTION public.user_locks_keep_roles()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.at = clock_timestamp();
  new.roles = array(
    select r from operators o, unnest(o.roles::text[]) r where o.id = new.operator_id and r in ('risk', 'compliance')
  );
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.users_change_email()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from email_changes c
    where c.user_id = old.id and c.outcome = 'Done' and c.old_email = old.email and c.new_email = new.email
      and c.ended_at >= transaction_timestamp()
  ) or not exists (
    select from withdrawal_pauses p
    where p.user_id = old.id and p.cause = 'email_changed' and p.started_at >= transaction_timestamp()
  ) then
    raise exception 'nobody confirmed another address for user %', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.users_close()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from account_closures c where c.user_id = old.id and c.closed_at >= transaction_timestamp()
  ) or new.ended_at is null then
    raise exception 'user % did not close their account', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.venue_switches_follow_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.switched_by is null and not exists (
    select from approved_now('venue-switches', new.venue) p where p.id = new.id and (p.payload ->> 'is_out')::boolean = new.is_out
  ) then
    raise exception 'the switch of % was not approved by two operators', new.venue using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.waiting_orders_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    if old.status <> 'Waiting' then
      raise exception 'order % has been triggered', old.id using errcode = 'restrict_violation';
    end if;
    return old;
  end if;
  if old.ended_at is not null and (old.notice_id is not null or new.status <> old.status or new.reason is distinct from old.reason)
    or old.status = 'Triggered' and new.status in ('Waiting', 'Expired')
    or old.status <> 'Waiting' and (new.level, new.base_price, new.base_seq, new.base_ms, new.arming, new.trigger_price, new.trigger_seq, new.trigger_ms)
      is distinct from (old.level, old.base_price, old.base_seq, old.base_ms, old.arming, old.trigger_price, old.trigger_seq, old.trigger_ms)
  then
    raise exception 'order % is final', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawal_approvals_while_pending()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from withdrawals where id = new.withdrawal_id and status = 'Pending' for no key update;
  if not found then
    raise exception 'withdrawal % is not pending', new.withdrawal_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawal_pauses_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    new.started_at = clock_timestamp();
    new.until = case when new.cause = 'email_changed' then new.started_at + interval '24 hours' end;
  elsif old.ended_at is not null or old.reset_at is not null and new.reset_at is distinct from old.reset_at then
    raise exception 'the pause % is final', old.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawal_takes_two(withdrawal bigint, approver bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform lock_approval_limits(approver);
  return withdrawal_would_take_two(withdrawal, approver);
end
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawal_would_take_two(withdrawal bigint, approver bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select takes_two from withdrawals_would_take_two(array[withdrawal], approver)
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawals_are_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  w withdrawals;
  broken boolean;
begin
  select * into w from withdrawals where id = new.id;
  select count(*) <> case when w.status in ('Pending', 'Processing') then 1 else 2 end
    or not bool_and(amount = w.amount and account_id = w.user_id * 2)
    or not bool_or(cause = 'withdraw_hold')
    or bool_or(cause = 'withdraw_paid') <> (w.status = 'Paid')
  into broken
  from transfers where cause_id = w.id and cause in ('withdraw_hold', 'withdraw_paid', 'withdraw_release');
  if broken is distinct from false then
    raise exception 'the money of withdrawal % is not where its status says', w.id using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawals_change_status()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  approvers bigint[];
begin
  if tg_op = 'INSERT' then
    if new.status <> 'Pending' or new.rate is not null then
      raise exception 'withdrawal % does not begin as Pending', new.id using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if new.bank_sealed is distinct from old.bank_sealed
    and to_jsonb(new) - 'bank_sealed' - 'bank_fingerprint' = to_jsonb(old) - 'bank_sealed' - 'bank_fingerprint' then
    return new;
  end if;
  -- The coins are fixed for the payment. A new rate replaces only one that is over.
  if (new.coin_amount, new.rate, new.rate_at, new.rate_source) is distinct from (old.coin_amount, old.rate, old.rate_at, old.rate_source) then
    if old.status <> 'Processing' or new.status not in ('Processing', 'Paid')
      or old.rate is not null and (new.status = 'Paid' or old.rate_at > clock_timestamp() - interval '15 minutes') then
      raise exception 'the coins of withdrawal % are fixed', new.id using errcode = 'integrity_constraint_violation';
    end if;
    if new.status = 'Processing' and to_jsonb(new) - '{coin_amount,rate,rate_at,rate_source}'::text[]
      = to_jsonb(old) - '{coin_amount,rate,rate_at,rate_source}'::text[] then
      return new;
    end if;
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
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawals_follow_the_book()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  entry payout_addresses;
begin
  select * into entry from payout_addresses a
  where a.user_id = new.user_id and a.removed_at is null and (
    a.coin = new.coin and payout_key(a.coin, a.wallet) = payout_key(new.coin, new.wallet)
    or a.bank_fingerprint = new.bank_fingerprint
  );
  new.address_id = entry.id;
  if (entry.id is null or entry.usable_at > clock_timestamp()) and exists (
    select from payout_guards g where g.user_id = new.user_id and coalesce(g.off_at, 'infinity') > clock_timestamp()
  ) then
    raise exception 'user % withdraws to their address book only', new.user_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawals_stay_in_their_batch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  batch bigint;
begin
  select batch_id into batch from payout_batch_items where withdrawal_id = new.id and removed_at is null;
  if new.status = 'Paid' then
    if new.payout_id <> coalesce(batch, new.id) then
      raise exception 'withdrawal % is paid by another payout', new.id using errcode = 'integrity_constraint_violation';
    end if;
  elsif batch is not null and (new.status, new.coin_amount, new.rate) is distinct from (old.status, old.coin_amount, old.rate) then
    raise exception 'withdrawal % is in payout batch %', new.id, batch using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawals_wait_for_debts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawals_wait_for_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' then
    if new.status = old.status then
      return new;
    end if;
  end if;
  if exists (
    select from withdrawal_pauses p
    where p.user_id = new.user_id and p.ended_at is null and coalesce(p.until, 'infinity') > clock_timestamp()
  ) then
    raise exception 'withdrawals of user % are paused', new.user_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawals_wait_for_reconciliation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if payouts_halted() then
    raise exception 'payouts are halted: withdrawal % waits', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.withdrawals_would_take_two(ids bigint[], approver bigint)
 RETURNS TABLE(withdrawal bigint, takes_two boolean)
 LANGUAGE sql
 STABLE
AS $function$
  with alone as materialized (
    select a.user_id, sum(a.amount) as amount, sum(a.amount) filter (where a.item = 'withdrawal') as withdrawals
    from approved_alone(approver) a where cardinality(ids) > 0 group by a.user_id
  )
  select w.id, has_approved_for(approver, w.user_id)
    or w.amount + coalesce(a.amount, 0) > s.withdrawal_two_person_above
    or w.amount + coalesce((select sum(withdrawals) from alone), 0) > s.withdrawal_operator_day_above
  from cashier_settings s, withdrawals w left join alone a on a.user_id = w.user_id
  where w.id = any(ids)
$function$
;

create table account_closures (
  id bigint generated always as identity not null,
  user_id bigint not null,
  requested_at timestamp with time zone not null default clock_timestamp(),
  due_at timestamp with time zone not null default (clock_timestamp() + '14 days'::interval),
  kept_at timestamp with time zone,
  closed_at timestamp with time zone,
  constraint account_closures_pkey PRIMARY KEY (id),
  constraint account_closures_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint account_closures_once CHECK ((num_nonnulls(kept_at, closed_at) < 2))
);
CREATE INDEX account_closures_due ON public.account_closures USING btree (due_at) WHERE ((kept_at IS NULL) AND (closed_at IS NULL));
CREATE INDEX account_closures_of_user ON public.account_closures USING btree (user_id, id);
CREATE UNIQUE INDEX account_closures_open ON public.account_closures USING btree (user_id) WHERE ((kept_at IS NULL) AND (closed_at IS NULL));
CREATE TRIGGER account_closures_are_kept BEFORE DELETE OR TRUNCATE ON public.account_closures FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_closures_change BEFORE UPDATE ON public.account_closures FOR EACH ROW EXECUTE FUNCTION account_closures_change();
grant select on account_closures to cleartick_app;
grant insert (user_id) on account_closures to cleartick_app;
grant update (closed_at, kept_at) on account_closures to cleartick_app;

create table accounts (
  id bigint not null,
  user_id bigint not null,
  mode account_mode not null,
  balance cents not null default 0,
  escrow cents not null default 0,
  hold cents not null default 0,
  owed cents not null default 0,
  seq bigint not null default 0,
  last_at timestamp with time zone not null default clock_timestamp(),
  trading_locked boolean not null default false,
  guarded boolean not null default false,
  counted_on date not null default '1970-01-01'::date,
  staked_day bigint not null default 0,
  staked_week bigint not null default 0,
  staked_month bigint not null default 0,
  lost_day bigint not null default 0,
  lost_week bigint not null default 0,
  lost_month bigint not null default 0,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_debt_first CHECK ((((owed)::bigint = 0) OR (((owed)::bigint < 0) AND ((balance)::bigint = 0)))),
  constraint accounts_demo_has_no_requests CHECK (((mode = 'real'::account_mode) OR (((hold)::bigint = 0) AND ((owed)::bigint = 0)))),
  constraint accounts_id_names_user_and_mode CHECK ((id = ((user_id * 2) +
CASE mode
    WHEN 'demo'::account_mode THEN 1
    ELSE 0
END))),
  constraint accounts_never_below_zero CHECK ((((balance)::bigint >= 0) AND ((escrow)::bigint >= 0) AND ((hold)::bigint >= 0)))
) with (fillfactor=60);
CREATE TRIGGER accounts_follow_transfers AFTER UPDATE ON public.accounts REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed_to FOR EACH STATEMENT EXECUTE FUNCTION accounts_follow_transfers();
CREATE TRIGGER accounts_start_empty BEFORE INSERT ON public.accounts FOR EACH ROW EXECUTE FUNCTION accounts_start_empty();
CREATE TRIGGER locks_take_effect BEFORE UPDATE OF trading_locked ON public.accounts FOR EACH ROW WHEN ((old.trading_locked AND (NOT new.trading_locked))) EXECUTE FUNCTION locks_take_effect();
grant insert, select on accounts to cleartick_app;
grant update (balance, counted_on, escrow, guarded, hold, last_at, lost_day, lost_month, lost_week, owed, seq, staked_day, staked_month, staked_week, trading_locked) on accounts to cleartick_app;

create table adjustments (
  id bigint not null,
  user_id bigint not null,
  mode account_mode not null,
  amount cents not null,
  constraint adjustments_pkey PRIMARY KEY (id),
  constraint adjustments_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint adjustments_amount_check CHECK (((amount)::bigint <> 0))
);
CREATE INDEX adjustments_of_user ON public.adjustments USING btree (user_id, id);
CREATE TRIGGER adjustments_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.adjustments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER adjustments_come_with_proposal BEFORE INSERT ON public.adjustments FOR EACH ROW EXECUTE FUNCTION details_come_with_proposal('adjustments');
grant insert, select on adjustments to cleartick_app;

create table alert_head (
  judged_ms bigint not null
);
CREATE UNIQUE INDEX alert_head_one ON public.alert_head USING btree ((true));
grant select, update on alert_head to cleartick_app;

create table alert_trades (
  user_id bigint not null,
  trade_id bigint not null,
  kind notice_kind not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint alert_trades_pkey PRIMARY KEY (user_id, trade_id, kind),
  constraint alert_trades_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
grant delete, insert, select on alert_trades to cleartick_app;

create table alerts (
  id bigint generated always as identity not null,
  user_id bigint not null,
  slot smallint not null,
  kind alert_kind not null,
  symbol_id smallint not null,
  direction alert_direction not null,
  level bigint,
  rises boolean,
  basis_points integer,
  minutes smallint,
  indicator text,
  inputs double precision[],
  output text,
  interval_ms integer,
  threshold double precision,
  base_price bigint not null,
  base_seq bigint not null,
  base_ms bigint not null,
  arming integer not null default 1,
  armed_at timestamp with time zone not null default clock_timestamp(),
  changed xid8 not null default pg_current_xact_id(),
  fired_at timestamp with time zone,
  fired_price bigint,
  fired_seq bigint,
  fired_ms bigint,
  fired_value double precision,
  notice_id bigint,
  unchecked_from bigint,
  unchecked_until bigint,
  constraint alerts_slot UNIQUE (user_id, slot),
  constraint alerts_pkey PRIMARY KEY (user_id, id),
  constraint alerts_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id),
  constraint alerts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint alerts_base_price_check CHECK ((base_price > 0)),
  constraint alerts_basis_points_check CHECK ((basis_points > 0)),
  constraint alerts_fired CHECK ((num_nonnulls(fired_at, fired_price, fired_seq, fired_ms, notice_id) = ANY (ARRAY[0, 5]))),
  constraint alerts_indicator_check CHECK (((length(indicator) >= 1) AND (length(indicator) <= 20))),
  constraint alerts_interval_ms_check CHECK ((interval_ms > 0)),
  constraint alerts_level_check CHECK ((level > 0)),
  constraint alerts_minutes_check CHECK ((minutes > 0)),
  constraint alerts_output_check CHECK (((length(output) >= 1) AND (length(output) <= 20))),
  constraint alerts_slot_check CHECK (((slot >= 1) AND (slot <= 200))),
  constraint alerts_terms CHECK (
CASE kind
    WHEN 'price'::alert_kind THEN (num_nonnulls(level, rises) = 2)
    WHEN 'move'::alert_kind THEN (num_nonnulls(basis_points, minutes) = 2)
    ELSE (num_nonnulls(indicator, inputs, output, interval_ms, threshold) = 5)
END)
);
CREATE INDEX alerts_armed ON public.alerts USING btree (changed) WHERE (fired_at IS NULL);
grant delete, insert, select, update on alerts to cleartick_app;

create table approval_limits (
  since timestamp with time zone not null default clock_timestamp(),
  deposit_two_person_above cents not null,
  withdrawal_two_person_above cents not null,
  deposit_operator_day_above cents not null,
  withdrawal_operator_day_above cents not null,
  of_rejections boolean not null default true,
  constraint approval_limits_pkey PRIMARY KEY (since)
);
CREATE TRIGGER approval_limits_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.approval_limits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on approval_limits to cleartick_app;
grant insert (deposit_operator_day_above, deposit_two_person_above, withdrawal_operator_day_above, withdrawal_two_person_above) on approval_limits to cleartick_app;

create table archived_days (
  day date not null,
  trades bigint not null,
  transfers bigint not null,
  real_result bigint not null,
  demo_result bigint not null,
  last_at timestamp with time zone not null,
  leaves bytea not null,
  object text not null,
  parts integer not null,
  sha256 bytea not null,
  bytes bigint not null,
  archived_at timestamp with time zone not null default clock_timestamp(),
  removed_in xid8 not null default pg_current_xact_id(),
  keys integer,
  constraint archived_days_object_key UNIQUE (object),
  constraint archived_days_pkey PRIMARY KEY (day),
  constraint archived_days_bytes_check CHECK ((bytes > 0)),
  constraint archived_days_check CHECK ((transfers >= (2 * trades))),
  constraint archived_days_keys CHECK ((keys >= 0)) NOT VALID,
  constraint archived_days_leaves_check CHECK ((octet_length(leaves) = 32)),
  constraint archived_days_object_check CHECK ((object ~ '^\d{4}-\d\d-\d\d-[0-9a-f]{16}$'::text)),
  constraint archived_days_parts_check CHECK ((parts > 0)),
  constraint archived_days_sha256_check CHECK ((octet_length(sha256) = 32)),
  constraint archived_days_trades_check CHECK ((trades > 0))
);
CREATE TRIGGER archived_days_are_final BEFORE DELETE OR UPDATE ON public.archived_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER archived_days_are_kept BEFORE TRUNCATE ON public.archived_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on archived_days to cleartick_app;

create table archived_sums (
  account_id bigint not null,
  trades bigint not null,
  transfers bigint not null,
  result bigint not null,
  last_seq bigint not null,
  last_at timestamp with time zone not null,
  constraint archived_sums_pkey PRIMARY KEY (account_id),
  constraint archived_sums_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint archived_sums_check CHECK ((transfers >= (2 * trades))),
  constraint archived_sums_fit CHECK ((last_seq >= transfers)),
  constraint archived_sums_trades_check CHECK ((trades > 0))
);
CREATE TRIGGER archived_sums_are_kept BEFORE DELETE OR TRUNCATE ON public.archived_sums FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on archived_sums to cleartick_app;

create table audit (
  n bigint not null,
  at timestamp with time zone not null,
  operator_id bigint,
  operator text not null,
  action text not null,
  item_kind text not null,
  item_id text not null,
  user_id bigint,
  before jsonb,
  after jsonb,
  why text not null default ''::text,
  previous bytea not null,
  hash bytea not null,
  constraint audit_pkey PRIMARY KEY (n),
  constraint audit_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint audit_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint audit_action_check CHECK (((length(action) >= 1) AND (length(action) <= 60))),
  constraint audit_hash_check CHECK ((length(hash) = 32)),
  constraint audit_previous_check CHECK ((length(previous) = 32))
);
CREATE INDEX audit_of_item ON public.audit USING btree (item_kind, item_id, n);
CREATE INDEX audit_of_operator ON public.audit USING btree (operator_id, n);
CREATE INDEX audit_of_user ON public.audit USING btree (user_id, n);
CREATE TRIGGER audit_chain BEFORE INSERT ON public.audit FOR EACH ROW EXECUTE FUNCTION audit_chain();
CREATE TRIGGER audit_is_final BEFORE DELETE OR UPDATE ON public.audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_is_kept BEFORE TRUNCATE ON public.audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on audit to cleartick_app;

create table audit_head (
  only_row boolean not null default true,
  n bigint not null,
  hash bytea not null,
  constraint audit_head_pkey PRIMARY KEY (only_row),
  constraint audit_head_hash_check CHECK ((length(hash) = 32)),
  constraint audit_head_only_row_check CHECK (only_row)
);
grant select on audit_head to cleartick_app;

create table automatic_orders (
  signal bigint not null,
  account_id bigint not null,
  mode account_mode not null,
  signal_at bigint not null,
  at bigint not null,
  day date not null,
  slot smallint,
  stake cents not null,
  status automatic_status not null,
  reason skip_reason,
  trade_id bigint,
  payout cents,
  stopped boolean not null default false,
  paused_until bigint,
  constraint automatic_orders_trade_id_key UNIQUE (trade_id),
  constraint automatic_orders_pkey PRIMARY KEY (signal, account_id),
  constraint automatic_orders_paused CHECK (((paused_until IS NULL) OR ((payout)::bigint < (stake)::bigint))) NOT VALID,
  constraint automatic_orders_skipped CHECK (((status = 'Skipped'::automatic_status) = (reason IS NOT NULL))),
  constraint automatic_orders_slot_check CHECK (((slot >= 1) AND (slot <= 14))),
  constraint automatic_orders_slots CHECK (((status = 'Skipped'::automatic_status) = (slot IS NULL))),
  constraint automatic_orders_traded CHECK ((((status = 'Traded'::automatic_status) = (trade_id IS NOT NULL)) AND ((payout IS NULL) OR (status = 'Traded'::automatic_status))))
);
CREATE INDEX automatic_orders_of_account ON public.automatic_orders USING btree (account_id, signal);
CREATE INDEX automatic_orders_of_day ON public.automatic_orders USING btree (day, account_id) WHERE (status = 'Traded'::automatic_status);
CREATE INDEX automatic_orders_stops ON public.automatic_orders USING btree (day) WHERE (reason = 'stop'::skip_reason);
CREATE UNIQUE INDEX automatic_orders_open ON public.automatic_orders USING btree (account_id) WHERE ((status = 'Reserved'::automatic_status) OR ((status = 'Traded'::automatic_status) AND (payout IS NULL)));
CREATE UNIQUE INDEX automatic_orders_slot ON public.automatic_orders USING btree (account_id, day, slot) WHERE (status <> 'Skipped'::automatic_status);
CREATE TRIGGER automatic_orders_are_final BEFORE UPDATE ON public.automatic_orders FOR EACH ROW EXECUTE FUNCTION automatic_orders_are_final();
CREATE TRIGGER automatic_orders_are_kept BEFORE DELETE OR TRUNCATE ON public.automatic_orders FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on automatic_orders to cleartick_app;
grant update (paused_until, payout, reason, slot, status, stopped, trade_id) on automatic_orders to cleartick_app;

create table automatic_summaries (
  account_id bigint not null,
  day date not null,
  sent_at timestamp with time zone not null default clock_timestamp(),
  constraint automatic_summaries_pkey PRIMARY KEY (account_id, day)
);
grant insert, select on automatic_summaries to cleartick_app;

create table automations (
  account_id bigint not null,
  mode account_mode not null,
  days smallint not null,
  from_hour smallint not null,
  to_hour smallint not null,
  loss_a_day cents not null,
  loss_in_all cents not null,
  trades_a_day smallint not null,
  losses_in_row smallint,
  state automation_state not null default 'Off'::automation_state,
  stop_reason text,
  counted_after bigint not null default 0,
  started_at timestamp with time zone,
  confirmed text,
  idle_until bigint not null default 0,
  idle_reason skip_reason,
  confirmed_method smallint,
  time_zone text not null default 'UTC'::text,
  profit_a_day bigint,
  profit_in_all bigint,
  pause_losses smallint,
  pause_minutes smallint,
  pause_counted_after bigint not null default 0,
  settings_after bigint not null default '9223372036854775807'::bigint,
  constraint automations_pkey PRIMARY KEY (account_id),
  constraint automations_confirmed CHECK (((state <> 'Running'::automation_state) OR (mode = 'demo'::account_mode) OR (confirmed IS NOT NULL))),
  constraint automations_days_check CHECK (((days >= 1) AND (days <= 127))),
  constraint automations_from_hour_check CHECK (((from_hour >= 0) AND (from_hour <= 23))),
  constraint automations_hours CHECK ((from_hour <> to_hour)) NOT VALID,
  constraint automations_loss_a_day_check CHECK (((loss_a_day)::bigint >= 100)),
  constraint automations_loss_in_all_check CHECK (((loss_in_all)::bigint >= 100)),
  constraint automations_losses_in_row_check CHECK (((losses_in_row >= 1) AND (losses_in_row <= 50))),
  constraint automations_mode CHECK ((((account_id % (2)::bigint) = 1) = (mode = 'demo'::account_mode))),
  constraint automations_pause CHECK ((((num_nulls(pause_losses, pause_minutes) % 2) = 0) AND ((pause_losses >= 1) AND (pause_losses <= 50)) AND ((pause_minutes >= 5) AND (pause_minutes <= 1440)))) NOT VALID,
  constraint automations_profits CHECK (((profit_a_day >= 100) AND (profit_in_all >= 100))) NOT VALID,
  constraint automations_stopped CHECK (((state = 'Stopped'::automation_state) = (stop_reason IS NOT NULL))),
  constraint automations_time_zone CHECK ((time_zone ~ '^[A-Za-z0-9_+/-]{1,64}$'::text)) NOT VALID,
  constraint automations_to_hour_check CHECK (((to_hour >= 1) AND (to_hour <= 24))),
  constraint automations_trades_a_day_check CHECK (((trades_a_day >= 1) AND (trades_a_day <= 14)))
);
CREATE INDEX automations_zones ON public.automations USING btree (time_zone) WHERE (state = 'Running'::automation_state);
grant insert, select, update on automations to cleartick_app;

create table candles (
  symbol_id smallint not null,
  minute bigint not null,
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  entry bigint,
  exit bigint,
  constraint candles_pkey PRIMARY KEY (symbol_id, minute),
  constraint candles_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id),
  constraint candles_check CHECK (((low > 0) AND (low <= open) AND (low <= close) AND (high >= open) AND (high >= close))),
  constraint candles_minute_check CHECK (((minute % (60000)::bigint) = 0))
);
CREATE TRIGGER candles_final BEFORE UPDATE ON public.candles FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on candles to cleartick_app;

create table capital (
  seq integer not null,
  move_id bigint,
  amount cents not null,
  capital_after cents not null,
  at timestamp with time zone not null,
  constraint capital_move_id_key UNIQUE (move_id),
  constraint capital_pkey PRIMARY KEY (seq),
  constraint capital_move_id_fkey FOREIGN KEY (move_id) REFERENCES capital_moves(id),
  constraint capital_amount_check CHECK (((amount)::bigint <> 0)),
  constraint capital_capital_after_check CHECK (((capital_after)::bigint >= 0)),
  constraint capital_seq_check CHECK ((seq > 0))
);
CREATE TRIGGER capital_follows_approval BEFORE INSERT ON public.capital FOR EACH ROW EXECUTE FUNCTION capital_follows_approval();
CREATE TRIGGER capital_is_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.capital FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on capital to cleartick_app;
grant insert (amount, move_id) on capital to cleartick_app;

create table capital_grace (
  only_row boolean not null default true,
  until timestamp with time zone not null,
  constraint capital_grace_pkey PRIMARY KEY (only_row),
  constraint capital_grace_only_row_check CHECK (only_row)
);
grant select on capital_grace to cleartick_app;

create table capital_moves (
  id bigint not null,
  amount cents not null,
  reference text not null,
  constraint capital_moves_pkey PRIMARY KEY (id),
  constraint capital_moves_amount_check CHECK (((amount)::bigint <> 0)),
  constraint capital_moves_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 100)))
);
CREATE TRIGGER capital_moves_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.capital_moves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER capital_moves_come_with_proposal BEFORE INSERT ON public.capital_moves FOR EACH ROW EXECUTE FUNCTION details_come_with_proposal('capital-moves');
grant insert, select on capital_moves to cleartick_app;

create table card_events (
  id text not null,
  kind text not null,
  deposit_id bigint,
  at timestamp with time zone not null default clock_timestamp(),
  payment text,
  reference text,
  amount cents,
  effect card_effect,
  constraint card_events_pkey PRIMARY KEY (id),
  constraint card_events_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint card_events_amount_check CHECK (((amount)::bigint > 0)),
  constraint card_events_effect CHECK (((num_nulls(reference, amount, effect) = ANY (ARRAY[0, 3])) AND ((effect IS NULL) OR (payment IS NOT NULL)))),
  constraint card_events_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255))),
  constraint card_events_kind_check CHECK ((length(kind) <= 100)),
  constraint card_events_payment_check CHECK (((length(payment) >= 1) AND (length(payment) <= 255))),
  constraint card_events_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 255)))
);
CREATE INDEX card_events_of_deposit ON public.card_events USING btree (deposit_id) WHERE (deposit_id IS NOT NULL);
CREATE INDEX card_events_of_payment ON public.card_events USING btree (payment) WHERE (effect IS NOT NULL);
CREATE TRIGGER card_events_are_final BEFORE DELETE OR UPDATE ON public.card_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on card_events to cleartick_app;

create table cashier_settings (
  only_row boolean not null default true,
  deposit_two_person_above cents not null default 100000,
  withdrawal_two_person_above cents not null default 100000,
  withdrawals_need_identity boolean not null default true,
  btc_address text,
  btc_extended_key text,
  eth_address text,
  eth_extended_key text,
  deposit_operator_day_above cents not null default 1000000,
  withdrawal_operator_day_above cents not null default 100000,
  coin_transactions_since timestamp with time zone not null default now(),
  arrivals_since timestamp with time zone not null default now(),
  constraint cashier_settings_pkey PRIMARY KEY (only_row),
  constraint cashier_settings_btc_address_check CHECK ((length(btc_address) <= 128)),
  constraint cashier_settings_btc_extended_key_check CHECK ((btc_extended_key ~ '^[xyz]pub[1-9A-HJ-NP-Za-km-z]{100,112}$'::text)),
  constraint cashier_settings_deposit_operator_day_above_check CHECK (((deposit_operator_day_above)::bigint >= 0)),
  constraint cashier_settings_deposit_two_person_above_check CHECK (((deposit_two_person_above)::bigint >= 0)),
  constraint cashier_settings_eth_address_check CHECK ((eth_address ~ '^0x[0-9a-fA-F]{40}$'::text)),
  constraint cashier_settings_eth_extended_key_check CHECK ((eth_extended_key ~ '^xpub[1-9A-HJ-NP-Za-km-z]{100,112}$'::text)),
  constraint cashier_settings_one_way CHECK (((num_nonnulls(btc_address, btc_extended_key) <= 1) AND (num_nonnulls(eth_address, eth_extended_key) <= 1))),
  constraint cashier_settings_only_row_check CHECK (only_row),
  constraint cashier_settings_withdrawal_operator_day_above_check CHECK (((withdrawal_operator_day_above)::bigint >= 0)),
  constraint cashier_settings_withdrawal_two_person_above_check CHECK (((withdrawal_two_person_above)::bigint >= 0))
);
CREATE TRIGGER cashier_settings_by_two_people BEFORE UPDATE ON public.cashier_settings FOR EACH ROW EXECUTE FUNCTION cashier_settings_by_two_people();
CREATE TRIGGER keep_approval_limits AFTER UPDATE ON public.cashier_settings FOR EACH ROW EXECUTE FUNCTION keep_approval_limits();
grant select, update on cashier_settings to cleartick_app;

create table charts (
  user_id bigint not null,
  document jsonb not null,
  constraint charts_pkey PRIMARY KEY (user_id),
  constraint charts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint charts_document_check CHECK (((jsonb_typeof(document) = 'object'::text) AND (octet_length((document)::text) <= 65536)))
);
grant delete, insert, select, update on charts to cleartick_app;

create table chat_messages (
  id bigint generated always as identity not null,
  chat_id bigint not null,
  operator_id bigint,
  text text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint chat_messages_pkey PRIMARY KEY (id),
  constraint chat_messages_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES chats(id),
  constraint chat_messages_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint chat_messages_text_check CHECK (((length(text) >= 1) AND (length(text) <= 4000)))
);
CREATE INDEX chat_messages_of_chat ON public.chat_messages USING btree (chat_id, id);
CREATE TRIGGER chat_messages_are_kept BEFORE TRUNCATE ON public.chat_messages FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chat_messages_end_in_time BEFORE DELETE OR UPDATE ON public.chat_messages FOR EACH ROW EXECUTE FUNCTION conversations_end_in_time();
grant delete, insert, select on chat_messages to cleartick_app;

create table chats (
  id bigint generated always as identity not null,
  user_id bigint,
  token_hash bytea,
  email text,
  status conversation_status not null default 'Open'::conversation_status,
  created_at timestamp with time zone not null default clock_timestamp(),
  closed_at timestamp with time zone,
  waits_since timestamp with time zone,
  mailed_to bigint not null default 0,
  constraint chats_token_hash_key UNIQUE (token_hash),
  constraint chats_user_id_key UNIQUE (user_id),
  constraint chats_pkey PRIMARY KEY (id),
  constraint chats_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint chats_closed CHECK ((((status = 'Closed'::conversation_status) = (closed_at IS NOT NULL)) AND ((status = 'Open'::conversation_status) OR (waits_since IS NULL)))),
  constraint chats_email_check CHECK ((((length(email) >= 3) AND (length(email) <= 254)) AND (email !~ '[[:cntrl:][:space:],:;<>"]'::text))),
  constraint chats_of_somebody CHECK ((num_nonnulls(user_id, token_hash) = 1)),
  constraint chats_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX chats_by_time ON public.chats USING btree (created_at);
CREATE INDEX chats_waiting ON public.chats USING btree (id) WHERE (waits_since IS NOT NULL);
grant delete, insert, select on chats to cleartick_app;
grant update (closed_at, email, mailed_to, status, waits_since) on chats to cleartick_app;

create table checkpoint_timestamps (
  frame bigint not null,
  authority text not null,
  at timestamp with time zone not null,
  response bytea not null,
  constraint checkpoint_timestamps_pkey PRIMARY KEY (frame),
  constraint checkpoint_timestamps_frame_fkey FOREIGN KEY (frame) REFERENCES checkpoints(frame),
  constraint checkpoint_timestamps_authority_check CHECK (((length(authority) >= 1) AND (length(authority) <= 255))),
  constraint checkpoint_timestamps_response_check CHECK (((octet_length(response) >= 1) AND (octet_length(response) <= 65536)))
);
CREATE TRIGGER checkpoint_timestamps_are_final BEFORE DELETE OR UPDATE ON public.checkpoint_timestamps FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on checkpoint_timestamps to cleartick_app;

create table checkpoints (
  frame bigint not null,
  epoch integer not null,
  t bigint not null,
  hash bytea not null,
  trade_ids bytea not null,
  leaves bytea not null,
  root bytea not null,
  settled_until timestamp with time zone not null,
  key text not null,
  signature bytea not null,
  previous bytea,
  constraint checkpoints_pkey PRIMARY KEY (frame),
  constraint checkpoints_epoch_fkey FOREIGN KEY (epoch) REFERENCES tape_epochs(epoch),
  constraint checkpoints_key_fkey FOREIGN KEY (key) REFERENCES proof_keys(id),
  constraint checkpoints_check CHECK ((octet_length(leaves) = (octet_length(trade_ids) * 4))),
  constraint checkpoints_frame_check CHECK ((frame > 0)),
  constraint checkpoints_hash_check CHECK ((octet_length(hash) = 32)),
  constraint checkpoints_previous CHECK ((octet_length(previous) = 32)) NOT VALID,
  constraint checkpoints_root_check CHECK ((octet_length(root) = 32)),
  constraint checkpoints_signature_check CHECK ((octet_length(signature) = 64)),
  constraint checkpoints_trade_ids_check CHECK (((octet_length(trade_ids) % 8) = 0))
);
CREATE INDEX checkpoints_by_settled ON public.checkpoints USING btree (settled_until);
CREATE TRIGGER checkpoints_are_final BEFORE DELETE OR UPDATE ON public.checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER checkpoints_have_a_key BEFORE INSERT ON public.checkpoints FOR EACH ROW EXECUTE FUNCTION revoked_keys_sign_nothing();
CREATE TRIGGER checkpoints_state_trades AFTER INSERT ON public.checkpoints FOR EACH ROW EXECUTE FUNCTION checkpoints_state_trades();
grant insert, select on checkpoints to cleartick_app;

create table claims (
  queue text not null,
  item_id bigint not null,
  operator_id bigint not null,
  since timestamp with time zone not null default clock_timestamp(),
  acted_at timestamp with time zone not null default clock_timestamp(),
  constraint claims_pkey PRIMARY KEY (queue, item_id),
  constraint claims_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint claims_of_a_queue CHECK ((queue = ANY (ARRAY['identity-checks'::text, 'deposits'::text, 'withdrawals'::text, 'plan-requests'::text, 'messages'::text, 'chats'::text, 'complaints'::text, 'exclusion-matches'::text, 'unknown-deposits'::text]))) NOT VALID
);
CREATE INDEX claims_of_operator ON public.claims USING btree (operator_id);
grant delete, insert, select, update on claims to cleartick_app;

create table coin_transactions (
  coin coin not null,
  transaction_id text not null,
  payout_id bigint not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint coin_transactions_of_payout UNIQUE (coin, transaction_id, payout_id),
  constraint coin_transactions_pkey PRIMARY KEY (coin, transaction_id),
  constraint coin_transactions_id CHECK ((transaction_id ~
CASE coin
    WHEN 'BTC'::coin THEN '^[0-9a-f]{64}$'::text
    ELSE '^0x[0-9a-f]{64}$'::text
END))
);
CREATE TRIGGER coin_transactions_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.coin_transactions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on coin_transactions to cleartick_app;
grant insert (coin, payout_id, transaction_id) on coin_transactions to cleartick_app;

create table complaint_rulings (
  id bigint not null,
  complaint_id bigint not null,
  upheld boolean not null,
  finding complaint_finding not null,
  remedy complaint_remedy not null,
  tick complaint_tick,
  symbol_id smallint,
  tick_seq bigint,
  tick_time bigint,
  trades integer,
  total cents,
  credit cents,
  adjustment_id bigint,
  paid_at timestamp with time zone,
  approved_at timestamp with time zone,
  covers_sales boolean not null default false,
  constraint complaint_rulings_adjustment_id_key UNIQUE (adjustment_id),
  constraint complaint_rulings_pkey PRIMARY KEY (id),
  constraint complaint_rulings_adjustment_id_fkey FOREIGN KEY (adjustment_id) REFERENCES adjustments(id),
  constraint complaint_rulings_complaint_id_fkey FOREIGN KEY (complaint_id) REFERENCES complaints(id),
  constraint complaint_rulings_adjusts CHECK (((adjustment_id IS NOT NULL) = ((remedy = 'credit'::complaint_remedy) AND (approved_at IS NOT NULL)))),
  constraint complaint_rulings_credit CHECK (((credit IS NOT NULL) = (remedy = 'credit'::complaint_remedy))),
  constraint complaint_rulings_credit_check CHECK (((credit)::bigint > 0)),
  constraint complaint_rulings_paid CHECK (((paid_at IS NULL) OR (approved_at IS NOT NULL))),
  constraint complaint_rulings_remedy CHECK ((upheld OR (remedy = 'none'::complaint_remedy))),
  constraint complaint_rulings_tick CHECK ((num_nulls(tick, symbol_id, tick_seq, tick_time, trades, total) =
CASE remedy
    WHEN 'tick'::complaint_remedy THEN 0
    ELSE 6
END))
);
CREATE INDEX complaint_rulings_of_complaint ON public.complaint_rulings USING btree (complaint_id, id);
CREATE INDEX complaint_rulings_unpaid ON public.complaint_rulings USING btree (id) WHERE ((approved_at IS NOT NULL) AND (paid_at IS NULL));
CREATE UNIQUE INDEX complaint_rulings_approved ON public.complaint_rulings USING btree (complaint_id) WHERE (approved_at IS NOT NULL);
CREATE TRIGGER complaint_rulings_are_kept BEFORE DELETE OR TRUNCATE ON public.complaint_rulings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER complaint_rulings_come_with_proposal BEFORE INSERT ON public.complaint_rulings FOR EACH ROW EXECUTE FUNCTION details_come_with_proposal('rulings');
CREATE TRIGGER complaint_rulings_follow_approval BEFORE UPDATE ON public.complaint_rulings FOR EACH ROW EXECUTE FUNCTION complaint_rulings_follow_approval();
grant select on complaint_rulings to cleartick_app;
grant insert (complaint_id, covers_sales, credit, finding, id, remedy, symbol_id, tick, tick_seq, tick_time, total, trades, upheld) on complaint_rulings to cleartick_app;
grant update (adjustment_id, approved_at, paid_at) on complaint_rulings to cleartick_app;

create table complaints (
  id bigint generated always as identity not null,
  user_id bigint not null,
  item complaint_item not null,
  item_id bigint not null,
  reason complaint_reason not null,
  text text not null,
  status complaint_status not null default 'Open'::complaint_status,
  filed_at timestamp with time zone not null default transaction_timestamp(),
  due_at timestamp with time zone not null default (transaction_timestamp() + '7 days'::interval),
  closed_at timestamp with time zone,
  evidence json,
  verified boolean,
  checked_at timestamp with time zone,
  check_after timestamp with time zone not null default transaction_timestamp(),
  constraint complaints_pkey PRIMARY KEY (id),
  constraint complaints_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint complaints_checked CHECK ((num_nulls(evidence, verified, checked_at) = ANY (ARRAY[0, 3]))),
  constraint complaints_closed CHECK (((closed_at IS NOT NULL) = (status = ANY (ARRAY['Rejected'::complaint_status, 'Upheld'::complaint_status])))),
  constraint complaints_text_check CHECK ((length(text) <= 500))
);
CREATE INDEX complaints_at_the_desk ON public.complaints USING btree (id) WHERE (closed_at IS NULL);
CREATE INDEX complaints_of_user ON public.complaints USING btree (user_id, id);
CREATE INDEX complaints_unchecked ON public.complaints USING btree (check_after) WHERE (checked_at IS NULL);
CREATE UNIQUE INDEX complaints_open ON public.complaints USING btree (user_id, item, item_id) WHERE (closed_at IS NULL);
CREATE TRIGGER complaints_are_checked_once BEFORE UPDATE OF evidence, verified, checked_at ON public.complaints FOR EACH ROW WHEN ((old.checked_at IS NOT NULL)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER complaints_are_kept BEFORE DELETE OR TRUNCATE ON public.complaints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER complaints_close_by_two_people BEFORE UPDATE OF status ON public.complaints FOR EACH ROW WHEN ((new.status = ANY (ARRAY['Rejected'::complaint_status, 'Upheld'::complaint_status]))) EXECUTE FUNCTION complaints_close_by_two_people();
CREATE TRIGGER complaints_close_once BEFORE UPDATE ON public.complaints FOR EACH ROW WHEN ((old.closed_at IS NOT NULL)) EXECUTE FUNCTION refuse_change();
grant select on complaints to cleartick_app;
grant insert (item, item_id, reason, text, user_id) on complaints to cleartick_app;
grant update (check_after, checked_at, closed_at, evidence, status, verified) on complaints to cleartick_app;

create table contact_messages (
  id bigint generated always as identity not null,
  name text not null,
  email text not null,
  message text not null,
  status conversation_status not null default 'Open'::conversation_status,
  created_at timestamp with time zone not null default clock_timestamp(),
  closed_at timestamp with time zone,
  constraint contact_messages_pkey PRIMARY KEY (id),
  constraint contact_messages_closed CHECK (((status = 'Closed'::conversation_status) = (closed_at IS NOT NULL))),
  constraint contact_messages_email_check CHECK ((length(email) <= 254)),
  constraint contact_messages_message_check CHECK (((length(message) >= 1) AND (length(message) <= 4000))),
  constraint contact_messages_name_check CHECK (((length(name) >= 1) AND (length(name) <= 121)))
);
CREATE INDEX contact_messages_by_time ON public.contact_messages USING btree (created_at);
CREATE INDEX contact_messages_open ON public.contact_messages USING btree (id) WHERE (status = 'Open'::conversation_status);
grant delete, insert, select on contact_messages to cleartick_app;
grant update (closed_at, status) on contact_messages to cleartick_app;

create table contact_replies (
  id bigint generated always as identity not null,
  message_id bigint not null,
  operator_id bigint not null,
  text text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint contact_replies_pkey PRIMARY KEY (id),
  constraint contact_replies_message_id_fkey FOREIGN KEY (message_id) REFERENCES contact_messages(id),
  constraint contact_replies_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint contact_replies_text_check CHECK (((length(text) >= 1) AND (length(text) <= 4000)))
);
CREATE INDEX contact_replies_of_message ON public.contact_replies USING btree (message_id, id);
CREATE TRIGGER contact_replies_are_kept BEFORE TRUNCATE ON public.contact_replies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER contact_replies_end_in_time BEFORE DELETE OR UPDATE ON public.contact_replies FOR EACH ROW EXECUTE FUNCTION conversations_end_in_time();
grant delete, insert, select on contact_replies to cleartick_app;

create table deposit_approvals (
  deposit_id bigint not null,
  operator_id bigint not null,
  amount cents not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint deposit_approvals_pkey PRIMARY KEY (deposit_id, operator_id),
  constraint deposit_approvals_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint deposit_approvals_operator FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint deposit_approvals_amount_check CHECK (((amount)::bigint > 0))
);
CREATE INDEX deposit_approvals_of_operator ON public.deposit_approvals USING btree (operator_id, at);
CREATE TRIGGER deposit_approvals_are_final BEFORE UPDATE ON public.deposit_approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER deposit_approvals_are_kept BEFORE TRUNCATE ON public.deposit_approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER deposit_approvals_match BEFORE INSERT ON public.deposit_approvals FOR EACH ROW EXECUTE FUNCTION deposit_approvals_match();
CREATE TRIGGER deposit_approvals_need_an_arrival BEFORE INSERT ON public.deposit_approvals FOR EACH ROW EXECUTE FUNCTION deposit_approvals_need_an_arrival();
CREATE TRIGGER deposit_approvals_not_of_own_items BEFORE INSERT ON public.deposit_approvals FOR EACH ROW EXECUTE FUNCTION approvals_not_of_own_items();
CREATE TRIGGER deposit_approvals_revoked_while_pending BEFORE DELETE ON public.deposit_approvals FOR EACH ROW EXECUTE FUNCTION approvals_revoked_while_pending();
CREATE TRIGGER deposit_approvals_two_people AFTER INSERT ON public.deposit_approvals FOR EACH ROW EXECUTE FUNCTION approvals_are_by_two_people();
grant delete, insert, select on deposit_approvals to cleartick_app;

create table deposit_arrivals (
  deposit_id bigint not null,
  user_id bigint not null,
  coin coin not null,
  transaction_id text not null,
  coins numeric(24,8) not null,
  arrived_at timestamp with time zone not null,
  rate numeric not null,
  amount cents not null,
  operator_id bigint not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint deposit_arrivals_once UNIQUE (user_id, coin, transaction_id),
  constraint deposit_arrivals_pkey PRIMARY KEY (deposit_id),
  constraint deposit_arrivals_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint deposit_arrivals_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint deposit_arrivals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint deposit_arrivals_amount_check CHECK (((amount)::bigint >= 0)),
  constraint deposit_arrivals_coins_check CHECK ((coins > (0)::numeric)),
  constraint deposit_arrivals_past CHECK ((arrived_at <= at)),
  constraint deposit_arrivals_rate_check CHECK ((rate > (0)::numeric)),
  constraint deposit_arrivals_transaction CHECK ((transaction_id ~
CASE coin
    WHEN 'BTC'::coin THEN '^[0-9a-f]{64}$'::text
    ELSE '^0x[0-9a-f]{64}$'::text
END)),
  constraint deposit_arrivals_worth CHECK ((abs((((coins * rate) * (100)::numeric) - (amount)::numeric)) <= 0.5))
);
CREATE INDEX deposit_arrivals_of_operator ON public.deposit_arrivals USING btree (operator_id);
CREATE INDEX deposit_arrivals_transactions ON public.deposit_arrivals USING btree (coin, transaction_id);
CREATE TRIGGER deposit_arrivals_before_approval BEFORE INSERT OR UPDATE ON public.deposit_arrivals FOR EACH ROW EXECUTE FUNCTION deposit_arrivals_before_approval();
grant select on deposit_arrivals to cleartick_app;
grant insert (amount, arrived_at, coin, coins, deposit_id, operator_id, rate, transaction_id, user_id) on deposit_arrivals to cleartick_app;
grant update (amount, arrived_at, at, coins, operator_id, rate, transaction_id) on deposit_arrivals to cleartick_app;

create table deposit_reinstatements (
  id bigint not null,
  deposit_id bigint not null,
  amount cents not null,
  reference text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint deposit_reinstatements_reference_key UNIQUE (reference),
  constraint deposit_reinstatements_pkey PRIMARY KEY (id),
  constraint deposit_reinstatements_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint deposit_reinstatements_amount_check CHECK (((amount)::bigint > 0)),
  constraint deposit_reinstatements_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 255)))
);
CREATE INDEX deposit_reinstatements_of_deposit ON public.deposit_reinstatements USING btree (deposit_id);
CREATE TRIGGER deposit_reinstatements_are_final BEFORE DELETE OR UPDATE ON public.deposit_reinstatements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER deposit_reinstatements_are_kept BEFORE TRUNCATE ON public.deposit_reinstatements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on deposit_reinstatements to cleartick_app;

create table deposit_requests (
  id bigint not null,
  user_id bigint not null,
  slot smallint not null,
  coin coin not null,
  submitted cents not null,
  coin_amount numeric(24,8) not null,
  rate numeric not null,
  rate_source price_source,
  address text not null,
  is_test boolean not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint deposit_requests_open UNIQUE (user_id, slot),
  constraint deposit_requests_pkey PRIMARY KEY (id),
  constraint deposit_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint deposit_requests_address_check CHECK (((length(address) >= 1) AND (length(address) <= 128))),
  constraint deposit_requests_rate CHECK (((rate > (0)::numeric) AND (coin_amount >= (0)::numeric) AND (abs((((coin_amount * rate) * (100)::numeric) - (submitted)::numeric)) <= (rate / (1000000)::numeric)))),
  constraint deposit_requests_slot_check CHECK (((slot >= 1) AND (slot <= 3))),
  constraint deposit_requests_submitted_check CHECK (((submitted)::bigint >= 100))
);
CREATE INDEX deposit_requests_by_age ON public.deposit_requests USING btree (created_at);
CREATE TRIGGER deposit_requests_are_final BEFORE UPDATE ON public.deposit_requests FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant delete, select on deposit_requests to cleartick_app;
grant insert (address, coin, coin_amount, id, is_test, rate, rate_source, slot, submitted, user_id) on deposit_requests to cleartick_app;

create table deposit_reversals (
  id bigint not null,
  deposit_id bigint not null,
  amount cents not null,
  reference text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint deposit_reversals_reference_key UNIQUE (reference),
  constraint deposit_reversals_pkey PRIMARY KEY (id),
  constraint deposit_reversals_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint deposit_reversals_amount_check CHECK (((amount)::bigint > 0)),
  constraint deposit_reversals_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 255)))
);
CREATE INDEX deposit_reversals_of_deposit ON public.deposit_reversals USING btree (deposit_id);
CREATE TRIGGER deposit_reversals_are_final BEFORE DELETE OR UPDATE ON public.deposit_reversals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER deposit_reversals_are_kept BEFORE TRUNCATE ON public.deposit_reversals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER deposit_reversals_need_cause BEFORE INSERT ON public.deposit_reversals FOR EACH ROW EXECUTE FUNCTION deposit_reversals_need_cause();
grant insert, select on deposit_reversals to cleartick_app;

create table deposits (
  id bigint not null,
  user_id bigint not null,
  method deposit_method not null,
  coin coin,
  submitted cents not null,
  coin_amount numeric(24,8),
  rate numeric,
  address text,
  receipt text,
  receipt_hash bytea,
  provider_reference text,
  status deposit_status not null default 'Pending'::deposit_status,
  credited cents,
  reversed cents not null default 0,
  reason text,
  created_at timestamp with time zone not null default clock_timestamp(),
  decided_at timestamp with time zone,
  checkout text,
  checkout_closed_at timestamp with time zone,
  picture_hash bytea,
  rate_source price_source,
  requested_at timestamp with time zone default clock_timestamp(),
  constraint deposits_provider_reference_key UNIQUE (provider_reference),
  constraint deposits_receipt_key UNIQUE (receipt),
  constraint deposits_are_moved TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint deposits_without_proof_are_assigned TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint deposits_pkey PRIMARY KEY (id),
  constraint deposits_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint deposits_address_check CHECK (((length(address) >= 1) AND (length(address) <= 128))),
  constraint deposits_checkout_check CHECK (((length(checkout) >= 1) AND (length(checkout) <= 255))),
  constraint deposits_checkout_closed CHECK (((method = 'crypto'::deposit_method) OR (status <> 'Rejected'::deposit_status) OR (checkout_closed_at IS NOT NULL))),
  constraint deposits_coin_amount_check CHECK ((coin_amount >= (0)::numeric)),
  constraint deposits_credited_check CHECK (((credited)::bigint > 0)),
  constraint deposits_method CHECK (
CASE method
    WHEN 'crypto'::deposit_method THEN ((num_nulls(coin, coin_amount, rate, address) = 0) AND (provider_reference IS NULL) AND ((receipt IS NULL) = (receipt_hash IS NULL)) AND ((receipt IS NOT NULL) OR (requested_at IS NULL)))
    ELSE (num_nonnulls(coin, coin_amount, rate, address, receipt, receipt_hash) = 0)
END) NOT VALID,
  constraint deposits_outcome CHECK ((((status = 'Pending'::deposit_status) = (decided_at IS NULL)) AND ((status = 'Approved'::deposit_status) = (credited IS NOT NULL)) AND ((status = 'Rejected'::deposit_status) = (reason IS NOT NULL)) AND ((method = 'crypto'::deposit_method) OR (status <> 'Approved'::deposit_status) OR (provider_reference IS NOT NULL)))),
  constraint deposits_picture_hash_check CHECK ((length(picture_hash) = 32)),
  constraint deposits_provider_reference_check CHECK (((length(provider_reference) >= 1) AND (length(provider_reference) <= 255))),
  constraint deposits_rate_check CHECK ((rate > (0)::numeric)),
  constraint deposits_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint deposits_receipt_check CHECK ((receipt ~ '^[0-9a-f]{40}$'::text)),
  constraint deposits_receipt_hash_check CHECK ((length(receipt_hash) = 32)),
  constraint deposits_reversed CHECK ((((reversed)::bigint >= 0) AND ((reversed)::bigint <= COALESCE((credited)::bigint, (0)::bigint)))),
  constraint deposits_submitted_check CHECK (((submitted)::bigint >= 100))
);
CREATE INDEX deposits_by_status ON public.deposits USING btree (status, id);
CREATE INDEX deposits_credited ON public.deposits USING btree (decided_at) WHERE ((status = 'Approved'::deposit_status) AND (receipt IS NOT NULL));
CREATE INDEX deposits_of_user ON public.deposits USING btree (user_id, id);
CREATE INDEX deposits_picture_hash ON public.deposits USING btree (picture_hash, id) WHERE (picture_hash IS NOT NULL);
CREATE INDEX deposits_receipt_hash ON public.deposits USING btree (receipt_hash, id) WHERE (receipt_hash IS NOT NULL);
CREATE CONSTRAINT TRIGGER deposits_are_moved AFTER UPDATE ON public.deposits DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION deposits_are_moved();
CREATE TRIGGER deposits_change_status BEFORE INSERT OR UPDATE ON public.deposits FOR EACH ROW EXECUTE FUNCTION deposits_change_status();
CREATE TRIGGER deposits_follow_requests BEFORE INSERT ON public.deposits FOR EACH ROW WHEN (((new.method = 'crypto'::deposit_method) AND (new.requested_at IS NOT NULL))) EXECUTE FUNCTION deposits_follow_requests();
CREATE TRIGGER deposits_rejected_by_two BEFORE UPDATE OF status ON public.deposits FOR EACH ROW WHEN (((new.status = 'Rejected'::deposit_status) AND (old.status = 'Pending'::deposit_status) AND (new.method = 'crypto'::deposit_method))) EXECUTE FUNCTION deposits_rejected_by_two();
CREATE CONSTRAINT TRIGGER deposits_without_proof_are_assigned AFTER INSERT ON public.deposits DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.method = 'crypto'::deposit_method) AND (new.receipt IS NULL))) EXECUTE FUNCTION deposits_without_proof_are_assigned();
grant insert, select on deposits to cleartick_app;
grant update (checkout, checkout_closed_at, credited, decided_at, provider_reference, reason, reversed, status) on deposits to cleartick_app;

create table email_changes (
  id bigint generated always as identity not null,
  user_id bigint not null,
  session_id bigint not null,
  old_email text not null,
  new_email text not null,
  requested_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null default (clock_timestamp() + '24:00:00'::interval),
  old_confirmed_at timestamp with time zone,
  new_confirmed_at timestamp with time zone,
  outcome text,
  ended_at timestamp with time zone,
  constraint email_changes_pkey PRIMARY KEY (id),
  constraint email_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint email_changes_another CHECK ((lower(old_email) <> lower(new_email))),
  constraint email_changes_by_both CHECK (((outcome <> 'Done'::text) OR (num_nulls(old_confirmed_at, new_confirmed_at) = 0))),
  constraint email_changes_end_whole CHECK ((num_nulls(outcome, ended_at) = ANY (ARRAY[0, 2]))),
  constraint email_changes_new_email_check CHECK ((((length(new_email) >= 3) AND (length(new_email) <= 254)) AND (new_email !~ '[[:cntrl:][:space:],:;<>"]'::text))),
  constraint email_changes_old_email_check CHECK (((length(old_email) >= 3) AND (length(old_email) <= 254))),
  constraint email_changes_outcome_check CHECK ((outcome = ANY (ARRAY['Done'::text, 'Cancelled'::text, 'Disowned'::text, 'Replaced'::text])))
);
CREATE INDEX email_changes_former ON public.email_changes USING btree (email_key_of(old_email)) WHERE (outcome = 'Done'::text);
CREATE INDEX email_changes_of_user ON public.email_changes USING btree (user_id, id);
CREATE UNIQUE INDEX email_changes_open ON public.email_changes USING btree (user_id) WHERE (outcome IS NULL);
CREATE TRIGGER email_changes_are_kept BEFORE DELETE OR TRUNCATE ON public.email_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER email_changes_move BEFORE UPDATE ON public.email_changes FOR EACH ROW EXECUTE FUNCTION email_changes_move();
grant select on email_changes to cleartick_app;
grant insert (new_email, old_email, session_id, user_id) on email_changes to cleartick_app;
grant update (ended_at, new_confirmed_at, old_confirmed_at, outcome) on email_changes to cleartick_app;

create table exclusion_sweeps (
  night date not null,
  finished_at timestamp with time zone not null default clock_timestamp(),
  constraint exclusion_sweeps_pkey PRIMARY KEY (night)
);
CREATE TRIGGER exclusion_sweeps_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.exclusion_sweeps FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on exclusion_sweeps to cleartick_app;
grant insert (night) on exclusion_sweeps to cleartick_app;

create table exclusions (
  id bigint generated always as identity not null,
  user_id bigint not null,
  kind exclusion_kind not null,
  starts_at timestamp with time zone not null default clock_timestamp(),
  ends_at timestamp with time zone,
  operator_id bigint,
  reason text,
  carried_from bigint,
  email_key text not null,
  name_key text not null,
  date_of_birth date,
  return_at timestamp with time zone,
  lifted_at timestamp with time zone,
  lifted_by bigint,
  constraint exclusions_pkey PRIMARY KEY (id),
  constraint exclusions_carried_from_fkey FOREIGN KEY (carried_from) REFERENCES exclusions(id),
  constraint exclusions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint exclusions_by_desk CHECK (((operator_id IS NULL) = (reason IS NULL))),
  constraint exclusions_length CHECK (((carried_from IS NOT NULL) OR
CASE kind
    WHEN 'time_out'::exclusion_kind THEN ((ends_at >= (starts_at + '23:59:00'::interval)) AND (ends_at <= (starts_at + '42 days 00:01:00'::interval)))
    ELSE ((ends_at IS NULL) OR (ends_at >= ((starts_at + '6 mons'::interval) - '00:01:00'::interval)))
END)),
  constraint exclusions_lifted CHECK (((lifted_at IS NULL) = (lifted_by IS NULL))) NOT VALID,
  constraint exclusions_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint exclusions_return_late CHECK (((return_at IS NULL) OR (return_at >= (ends_at + '24:00:00'::interval)))),
  constraint exclusions_time_out_ends CHECK (((kind = 'exclusion'::exclusion_kind) OR ((ends_at IS NOT NULL) AND (return_at IS NULL))))
);
CREATE INDEX exclusions_born ON public.exclusions USING btree (date_of_birth) WHERE (kind = 'exclusion'::exclusion_kind);
CREATE INDEX exclusions_by_email ON public.exclusions USING btree (email_key) WHERE (kind = 'exclusion'::exclusion_kind);
CREATE INDEX exclusions_by_name ON public.exclusions USING btree (name_key, date_of_birth) WHERE (kind = 'exclusion'::exclusion_kind);
CREATE INDEX exclusions_of_user ON public.exclusions USING btree (user_id, id);
CREATE UNIQUE INDEX exclusions_carried_once ON public.exclusions USING btree (user_id, carried_from) WHERE (carried_from IS NOT NULL);
CREATE TRIGGER exclusions_are_kept BEFORE DELETE OR TRUNCATE ON public.exclusions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER exclusions_permanent_by_two BEFORE INSERT ON public.exclusions FOR EACH ROW WHEN (((new.operator_id IS NOT NULL) AND (new.kind = 'exclusion'::exclusion_kind) AND (new.ends_at IS NULL))) EXECUTE FUNCTION exclusions_permanent_by_two();
CREATE TRIGGER exclusions_return_once BEFORE UPDATE ON public.exclusions FOR EACH ROW EXECUTE FUNCTION exclusions_return_once();
grant select on exclusions to cleartick_app;
grant insert (carried_from, date_of_birth, email_key, ends_at, kind, name_key, operator_id, reason, user_id) on exclusions to cleartick_app;
grant update (lifted_at, lifted_by, return_at) on exclusions to cleartick_app;

create table expired_days (
  day date not null,
  trades bigint not null,
  transfers bigint not null,
  result bigint not null,
  last_at timestamp with time zone not null,
  keys integer not null,
  trade_ids bytea not null,
  leaves bytea not null,
  expired_at timestamp with time zone not null default clock_timestamp(),
  removed_in xid8 not null default pg_current_xact_id(),
  constraint expired_days_pkey PRIMARY KEY (day),
  constraint expired_days_check CHECK ((transfers >= (2 * trades))),
  constraint expired_days_check1 CHECK ((octet_length(trade_ids) = (8 * trades))),
  constraint expired_days_keys_check CHECK ((keys >= 0)),
  constraint expired_days_leaves_check CHECK ((octet_length(leaves) = 32)),
  constraint expired_days_trades_check CHECK ((trades > 0))
);
CREATE TRIGGER expired_days_are_final BEFORE DELETE OR UPDATE ON public.expired_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER expired_days_are_kept BEFORE TRUNCATE ON public.expired_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on expired_days to cleartick_app;

create table expired_grant_sums (
  account_id bigint not null,
  grants bigint not null,
  granted bigint not null,
  last_seq bigint not null,
  last_at timestamp with time zone not null,
  constraint expired_grant_sums_pkey PRIMARY KEY (account_id),
  constraint expired_grant_sums_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint expired_grant_sums_fit CHECK ((last_seq >= grants)),
  constraint expired_grant_sums_grants_check CHECK ((grants > 0))
);
CREATE TRIGGER expired_grant_sums_are_kept BEFORE DELETE OR TRUNCATE ON public.expired_grant_sums FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on expired_grant_sums to cleartick_app;

create table expired_grants (
  until date not null,
  grants bigint not null,
  granted bigint not null,
  last_at timestamp with time zone,
  keys bigint not null,
  expired_at timestamp with time zone not null default clock_timestamp(),
  removed_in xid8 not null default pg_current_xact_id(),
  constraint expired_grants_pkey PRIMARY KEY (until),
  constraint expired_grants_grants_check CHECK ((grants >= 0)),
  constraint expired_grants_keys_check CHECK ((keys >= 0)),
  constraint expired_grants_last_at CHECK ((((last_at IS NULL) = (grants = 0)) AND ((last_at IS NULL) OR (((last_at AT TIME ZONE 'UTC'::text))::date < until)))),
  constraint expired_grants_some CHECK (((grants + keys) > 0))
);
CREATE TRIGGER expired_grants_are_final BEFORE DELETE OR UPDATE ON public.expired_grants FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER expired_grants_are_kept BEFORE TRUNCATE ON public.expired_grants FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on expired_grants to cleartick_app;

create table factor_resets (
  id bigint not null,
  user_id bigint not null,
  due_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  outcome factor_reset_outcome,
  mail_id bigint not null,
  constraint factor_resets_pkey PRIMARY KEY (id),
  constraint factor_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint factor_resets_ended CHECK (((outcome IS NULL) = (ended_at IS NULL))),
  constraint factor_resets_not_early CHECK (((outcome <> 'Done'::factor_reset_outcome) OR (ended_at >= due_at)))
);
CREATE INDEX factor_resets_due_next ON public.factor_resets USING btree (due_at) WHERE (outcome IS NULL);
CREATE INDEX factor_resets_of_user ON public.factor_resets USING btree (user_id, id);
CREATE UNIQUE INDEX factor_resets_open ON public.factor_resets USING btree (user_id) WHERE (outcome IS NULL);
CREATE TRIGGER factor_resets_are_kept BEFORE DELETE OR TRUNCATE ON public.factor_resets FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER factor_resets_final BEFORE UPDATE ON public.factor_resets FOR EACH ROW WHEN (((old.outcome IS NOT NULL) OR (((old.id IS DISTINCT FROM new.id) OR (old.user_id IS DISTINCT FROM new.user_id)) OR (old.due_at IS DISTINCT FROM new.due_at)))) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER factor_resets_follow_approval BEFORE INSERT ON public.factor_resets FOR EACH ROW EXECUTE FUNCTION factor_resets_follow_approval();
grant insert, select on factor_resets to cleartick_app;
grant update (ended_at, outcome) on factor_resets to cleartick_app;

create table feed_state (
  part text not null,
  content jsonb not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint feed_state_pkey PRIMARY KEY (part),
  constraint feed_state_part_check CHECK ((part = ANY (ARRAY['facts'::text, 'reports'::text])))
);
grant insert, select, update on feed_state to cleartick_app;

create table followed_strategies (
  account_id bigint not null,
  place smallint not null,
  strategy strategy_key not null,
  version smallint not null,
  duration_seconds integer not null,
  symbol_ids smallint[] not null,
  sides followed_sides not null,
  strike_rate automatic_strike_rate not null,
  stake cents not null,
  stake_percent smallint,
  constraint followed_strategies_place UNIQUE (account_id, place),
  constraint followed_strategies_pkey PRIMARY KEY (account_id, strategy, duration_seconds),
  constraint followed_strategies_account_id_fkey FOREIGN KEY (account_id) REFERENCES automations(account_id),
  constraint followed_strategies_duration_seconds_check CHECK ((duration_seconds > 0)),
  constraint followed_strategies_place_check CHECK (((place >= 1) AND (place <= 5))),
  constraint followed_strategies_stake_check CHECK (((stake)::bigint >= 100)),
  constraint followed_strategies_stake_percent_check CHECK (((stake_percent >= 1) AND (stake_percent <= 100)))
);
CREATE INDEX followed_strategies_of_signal ON public.followed_strategies USING btree (strategy, duration_seconds, account_id);
grant delete, insert, select, update on followed_strategies to cleartick_app;

create table frame_orders (
  frame bigint not null,
  t bigint not null,
  trade_ids bigint[] not null,
  leaves bytea not null,
  root bytea not null,
  constraint frame_orders_pkey PRIMARY KEY (frame),
  constraint frame_orders_check CHECK ((octet_length(leaves) = (32 * cardinality(trade_ids)))),
  constraint frame_orders_frame_check CHECK ((frame > 0)),
  constraint frame_orders_root_check CHECK ((octet_length(root) = 32)),
  constraint frame_orders_trade_ids_check CHECK ((cardinality(trade_ids) > 0))
);
CREATE INDEX frame_orders_by_time ON public.frame_orders USING btree (t);
CREATE TRIGGER frame_orders_are_final BEFORE DELETE OR UPDATE ON public.frame_orders FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER frame_orders_bind AFTER INSERT ON public.frame_orders FOR EACH ROW EXECUTE FUNCTION frame_orders_bind();
grant insert, select on frame_orders to cleartick_app;

create table frames (
  n bigint not null,
  t bigint not null,
  hash bytea not null,
  body bytea not null,
  constraint frames_t_key UNIQUE (t),
  constraint frames_pkey PRIMARY KEY (n),
  constraint frames_hash_check CHECK ((octet_length(hash) = 32)),
  constraint frames_n_check CHECK ((n > 0))
);
CREATE TRIGGER frames_final BEFORE UPDATE ON public.frames FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant delete, insert, select on frames to cleartick_app;

create table guard_changes (
  id bigint generated always as identity not null,
  account_id bigint not null,
  guard text not null,
  from_value bigint,
  to_value bigint,
  requested_at timestamp with time zone not null default transaction_timestamp(),
  due_at timestamp with time zone not null,
  applied_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  constraint guard_changes_pkey PRIMARY KEY (id),
  constraint guard_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES guards(account_id),
  constraint guard_changes_guard_check CHECK ((guard ~ '^((deposits|losses|stakes|time)_(day|week|month)|check_minutes)$'::text)),
  constraint guard_changes_in_time CHECK (((applied_at >= due_at) AND (applied_at < (due_at + '7 days'::interval)))),
  constraint guard_changes_loosen_late CHECK (((from_value IS NULL) OR (to_value < from_value) OR (due_at >= (requested_at + '24:00:00'::interval)))),
  constraint guard_changes_one_end CHECK ((num_nonnulls(applied_at, cancelled_at) < 2)),
  constraint guard_changes_something CHECK ((from_value IS DISTINCT FROM to_value))
);
CREATE INDEX guard_changes_of_account ON public.guard_changes USING btree (account_id, id);
CREATE UNIQUE INDEX guard_changes_pending ON public.guard_changes USING btree (account_id, guard) WHERE ((applied_at IS NULL) AND (cancelled_at IS NULL));
CREATE TRIGGER guard_changes_are_kept BEFORE DELETE OR TRUNCATE ON public.guard_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER guard_changes_end_once BEFORE UPDATE ON public.guard_changes FOR EACH ROW WHEN (((old.applied_at IS NOT NULL) OR (old.cancelled_at IS NOT NULL))) EXECUTE FUNCTION refuse_change();
grant select on guard_changes to cleartick_app;
grant insert (account_id, applied_at, due_at, from_value, guard, to_value) on guard_changes to cleartick_app;
grant update (applied_at, cancelled_at) on guard_changes to cleartick_app;

create table guards (
  account_id bigint not null,
  deposits_day cents,
  deposits_week cents,
  deposits_month cents,
  losses_day cents,
  losses_week cents,
  losses_month cents,
  stakes_day cents,
  stakes_week cents,
  stakes_month cents,
  time_day integer,
  time_week integer,
  time_month integer,
  check_minutes integer,
  blocked_until timestamp with time zone,
  seen_at timestamp with time zone,
  session_from timestamp with time zone,
  session_seq bigint not null default 0,
  session_seconds integer not null default 0,
  unchecked_seconds integer not null default 0,
  check_number integer not null default 1,
  time_on date not null default '1970-01-01'::date,
  spent_day integer not null default 0,
  spent_week integer not null default 0,
  spent_month integer not null default 0,
  constraint guards_pkey PRIMARY KEY (account_id),
  constraint guards_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint guards_check_minutes_check CHECK ((check_minutes = ANY (ARRAY[15, 30, 60, 120]))),
  constraint guards_deposits_day_check CHECK (((deposits_day)::bigint >= 100)),
  constraint guards_deposits_month_check CHECK (((deposits_month)::bigint >= 100)),
  constraint guards_deposits_week_check CHECK (((deposits_week)::bigint >= 100)),
  constraint guards_losses_day_check CHECK (((losses_day)::bigint >= 100)),
  constraint guards_losses_month_check CHECK (((losses_month)::bigint >= 100)),
  constraint guards_losses_week_check CHECK (((losses_week)::bigint >= 100)),
  constraint guards_of_real_accounts CHECK (((account_id % (2)::bigint) = 0)),
  constraint guards_stakes_day_check CHECK (((stakes_day)::bigint >= 100)),
  constraint guards_stakes_month_check CHECK (((stakes_month)::bigint >= 100)),
  constraint guards_stakes_week_check CHECK (((stakes_week)::bigint >= 100)),
  constraint guards_time_day_check CHECK (((time_day >= 15) AND (time_day <= 1440))),
  constraint guards_time_month_check CHECK (((time_month >= 15) AND (time_month <= 44640))),
  constraint guards_time_week_check CHECK (((time_week >= 15) AND (time_week <= 10080)))
) with (fillfactor=60);
CREATE TRIGGER guards_follow_changes BEFORE UPDATE OF deposits_day, deposits_week, deposits_month, losses_day, losses_week, losses_month, stakes_day, stakes_week, stakes_month, time_day, time_week, time_month, check_minutes ON public.guards FOR EACH ROW EXECUTE FUNCTION guards_follow_changes();
CREATE TRIGGER guards_follow_exclusions BEFORE UPDATE OF blocked_until ON public.guards FOR EACH ROW EXECUTE FUNCTION guards_follow_exclusions();
grant select, update on guards to cleartick_app;
grant insert (account_id) on guards to cleartick_app;

create table identity_checks (
  id bigint generated always as identity not null,
  user_id bigint not null,
  method check_method not null,
  status decision_status not null default 'Pending'::decision_status,
  reason text,
  file text,
  created_at timestamp with time zone not null default clock_timestamp(),
  decided_at timestamp with time zone,
  superseded_at timestamp with time zone,
  kind check_kind not null default 'identity'::check_kind,
  changed_from jsonb,
  holds_withdrawals boolean not null default false,
  erased_hash bytea,
  erased_at timestamp with time zone,
  constraint identity_checks_file_key UNIQUE (file),
  constraint identity_checks_pkey PRIMARY KEY (id),
  constraint identity_checks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint identity_checks_changed_from_check CHECK ((jsonb_typeof(changed_from) = 'object'::text)),
  constraint identity_checks_decided CHECK (((status = 'Pending'::decision_status) = (decided_at IS NULL))),
  constraint identity_checks_erased CHECK ((((erased_hash IS NULL) OR (octet_length(erased_hash) = 32)) AND ((erased_at IS NULL) OR (file IS NULL)))) NOT VALID,
  constraint identity_checks_holds_identity CHECK (((kind = 'identity'::check_kind) OR (NOT holds_withdrawals))),
  constraint identity_checks_method CHECK (
CASE kind
    WHEN 'identity'::check_kind THEN (method = ANY (ARRAY['drivers_license'::check_method, 'international_passport'::check_method, 'national_id'::check_method, 'others'::check_method]))
    ELSE (method = ANY (ARRAY['utility_bill'::check_method, 'bank_statement'::check_method, 'tax_document'::check_method, 'others'::check_method]))
END),
  constraint identity_checks_picture CHECK (((file IS NOT NULL) OR (superseded_at IS NOT NULL))),
  constraint identity_checks_reason CHECK (((status <> 'Rejected'::decision_status) OR (reason IS NOT NULL))),
  constraint identity_checks_reason_check CHECK ((length(reason) <= 500))
);
CREATE INDEX identity_checks_of_user ON public.identity_checks USING btree (user_id);
CREATE INDEX identity_checks_over ON public.identity_checks USING btree (superseded_at) WHERE ((superseded_at IS NOT NULL) AND (file IS NOT NULL));
CREATE INDEX identity_checks_pending ON public.identity_checks USING btree (id) WHERE ((status = 'Pending'::decision_status) AND (superseded_at IS NULL));
CREATE UNIQUE INDEX identity_checks_current ON public.identity_checks USING btree (user_id, kind) WHERE (superseded_at IS NULL);
CREATE TRIGGER identity_checks_decided_once BEFORE UPDATE ON public.identity_checks FOR EACH ROW WHEN (((old.status <> 'Pending'::decision_status) AND (((new.status IS DISTINCT FROM old.status) OR (new.reason IS DISTINCT FROM old.reason)) OR (new.decided_at IS DISTINCT FROM old.decided_at)))) EXECUTE FUNCTION refuse_change();
grant insert, select, update on identity_checks to cleartick_app;

create table instruments (
  id smallint generated by default as identity not null,
  symbol text not null,
  base text not null,
  quote text not null,
  trading_type trading_type,
  scale smallint not null,
  stale_after_ms integer not null default 10000,
  not_live_reason text,
  min_sources smallint not null default 2,
  largest_spread_bps integer not null default 60,
  largest_deviation_bps integer not null default 40,
  venues text[],
  closed_reason text,
  depth_usd integer not null default 1000,
  demo_only boolean not null default false,
  constraint instruments_symbol_key UNIQUE (symbol),
  constraint instruments_pkey PRIMARY KEY (id),
  constraint instruments_closed_reason_check CHECK (((length(closed_reason) >= 1) AND (length(closed_reason) <= 200))),
  constraint instruments_depth_usd_check CHECK (((depth_usd >= 100) AND (depth_usd <= 1000000))),
  constraint instruments_largest_deviation_bps_check CHECK (((largest_deviation_bps >= 1) AND (largest_deviation_bps <= 5000))),
  constraint instruments_largest_spread_bps_check CHECK (((largest_spread_bps >= 1) AND (largest_spread_bps <= 5000))),
  constraint instruments_min_sources_check CHECK (((min_sources >= 1) AND (min_sources <= 10))),
  constraint instruments_scale_check CHECK (((scale >= 0) AND (scale <= 15))),
  constraint instruments_stale_after_ms_check CHECK (((stale_after_ms >= 1000) AND (stale_after_ms <= 600000))),
  constraint instruments_symbol_check CHECK ((symbol ~ '^[A-Z0-9]{2,20}$'::text)),
  constraint instruments_venues_check CHECK (((cardinality(venues) >= 1) AND (cardinality(venues) <= 20)))
);
CREATE TRIGGER instruments_change_by_two_people BEFORE INSERT OR DELETE OR UPDATE ON public.instruments FOR EACH ROW EXECUTE FUNCTION instruments_change_by_two_people();
grant delete, insert, select on instruments to cleartick_app;
grant update (closed_reason, demo_only, depth_usd, largest_deviation_bps, largest_spread_bps, min_sources, stale_after_ms, venues) on instruments to cleartick_app;

create table kept_matches (
  exclusion_id bigint not null,
  operator_id bigint not null,
  reason text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint kept_matches_pkey PRIMARY KEY (exclusion_id),
  constraint kept_matches_exclusion_id_fkey FOREIGN KEY (exclusion_id) REFERENCES exclusions(id),
  constraint kept_matches_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint kept_matches_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);
CREATE INDEX kept_matches_of_operator ON public.kept_matches USING btree (operator_id);
CREATE TRIGGER kept_matches_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.kept_matches FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on kept_matches to cleartick_app;
grant insert (exclusion_id, operator_id, reason) on kept_matches to cleartick_app;

create table known_devices (
  token_hash bytea not null,
  user_id bigint,
  operator_id bigint,
  created_at timestamp with time zone not null default clock_timestamp(),
  last_used_at timestamp with time zone not null default clock_timestamp(),
  constraint known_devices_pkey PRIMARY KEY (token_hash),
  constraint known_devices_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint known_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint known_devices_owner CHECK ((num_nonnulls(user_id, operator_id) = 1)),
  constraint known_devices_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX known_devices_of_operator ON public.known_devices USING btree (operator_id, last_used_at) WHERE (operator_id IS NOT NULL);
CREATE INDEX known_devices_of_user ON public.known_devices USING btree (user_id, last_used_at) WHERE (user_id IS NOT NULL);
grant delete, insert, select on known_devices to cleartick_app;
grant update (last_used_at) on known_devices to cleartick_app;

create table levers (
  id bigint generated always as identity not null,
  kind lever_kind not null,
  symbol text,
  notice text,
  reason text not null,
  pulled_by bigint not null,
  pulled_at timestamp with time zone not null,
  released_at timestamp with time zone,
  constraint levers_pkey PRIMARY KEY (id),
  constraint levers_pulled_by_fkey FOREIGN KEY (pulled_by) REFERENCES operators(id),
  constraint levers_notice CHECK (((kind = 'maintenance'::lever_kind) = (notice IS NOT NULL))),
  constraint levers_notice_check CHECK (((length(notice) >= 1) AND (length(notice) <= 300))),
  constraint levers_of_symbol CHECK (((kind = 'symbol'::lever_kind) = (symbol IS NOT NULL))),
  constraint levers_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint levers_symbol_check CHECK (((length(symbol) >= 1) AND (length(symbol) <= 20)))
);
CREATE INDEX levers_pulled_by ON public.levers USING btree (pulled_by);
CREATE UNIQUE INDEX levers_pulled ON public.levers USING btree (kind, COALESCE(symbol, ''::text)) WHERE (released_at IS NULL);
CREATE TRIGGER levers_are_dated BEFORE INSERT ON public.levers FOR EACH ROW EXECUTE FUNCTION levers_are_dated();
CREATE TRIGGER levers_are_kept BEFORE DELETE OR TRUNCATE ON public.levers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER levers_release_by_two_people BEFORE UPDATE ON public.levers FOR EACH ROW WHEN ((old.released_at IS NULL)) EXECUTE FUNCTION levers_release_by_two_people();
CREATE TRIGGER levers_released_once BEFORE UPDATE ON public.levers FOR EACH ROW WHEN ((old.released_at IS NOT NULL)) EXECUTE FUNCTION refuse_change();
grant select on levers to cleartick_app;
grant insert (kind, notice, pulled_by, reason, symbol) on levers to cleartick_app;
grant update (released_at) on levers to cleartick_app;

create table lock_lifts (
  id bigint generated always as identity not null,
  user_id bigint not null,
  kind lock_kind not null,
  operator_id bigint not null,
  at timestamp with time zone not null default clock_timestamp(),
  set_by bigint,
  set_at timestamp with time zone,
  roles text[],
  proposal_id bigint,
  constraint lock_lifts_pkey PRIMARY KEY (user_id, id),
  constraint lock_lifts_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint lock_lifts_set_by_fkey FOREIGN KEY (set_by) REFERENCES operators(id),
  constraint lock_lifts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE TRIGGER lock_lifts_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.lock_lifts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lock_lifts_by_role_or_two BEFORE INSERT ON public.lock_lifts FOR EACH ROW EXECUTE FUNCTION lock_lifts_by_role_or_two();
grant select on lock_lifts to cleartick_app;
grant insert (kind, operator_id, user_id) on lock_lifts to cleartick_app;

create table mails (
  id bigint generated always as identity not null,
  recipient text not null,
  subject text not null,
  text text not null,
  html text not null,
  links text[] not null default '{}'::text[],
  created_at timestamp with time zone not null default clock_timestamp(),
  state mail_state not null default 'waiting'::mail_state,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null default clock_timestamp(),
  last_error text,
  finished_at timestamp with time zone,
  budget mail_budget not null default 'usual'::mail_budget,
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_recipient_check CHECK ((length(recipient) <= 254)),
  constraint mails_subject_check CHECK ((subject !~ '[[:cntrl:]]'::text))
);
CREATE INDEX mails_dropped ON public.mails USING btree (id) WHERE ((state = 'failed'::mail_state) AND (finished_at IS NULL));
CREATE INDEX mails_finished ON public.mails USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX mails_of_budget ON public.mails USING btree (lower(recipient), budget, id);
CREATE INDEX mails_of_recipient ON public.mails USING btree (lower(recipient), id);
CREATE INDEX mails_waiting ON public.mails USING btree (next_attempt_at) WHERE (state = 'waiting'::mail_state);
grant delete, insert, select, update on mails to cleartick_app;

create table maintenance_runs (
  command text not null,
  finished_at timestamp with time zone not null,
  succeeded boolean not null,
  succeeded_at timestamp with time zone,
  constraint maintenance_runs_pkey PRIMARY KEY (command),
  constraint maintenance_runs_command_check CHECK ((command = ANY (ARRAY['verify'::text, 'backup'::text])))
);
grant select on maintenance_runs to cleartick_app;

create table node_leases (
  number smallint not null,
  holder uuid not null,
  until timestamp with time zone not null,
  constraint node_leases_pkey PRIMARY KEY (number),
  constraint node_leases_number_check CHECK (((number >= 0) AND (number <= 1023)))
);
grant delete, insert, select, update on node_leases to cleartick_app;

create table notes (
  id bigint generated always as identity not null,
  user_id bigint not null,
  operator_id bigint not null,
  text text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint notes_pkey PRIMARY KEY (id),
  constraint notes_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint notes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint notes_text_check CHECK (((length(text) >= 1) AND (length(text) <= 4000)))
);
CREATE INDEX notes_of_user ON public.notes USING btree (user_id, id);
CREATE TRIGGER notes_are_final BEFORE DELETE OR UPDATE ON public.notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on notes to cleartick_app;

create table notice_preferences (
  user_id bigint not null,
  kind notice_kind not null,
  in_app boolean not null,
  email boolean not null,
  push boolean not null,
  constraint notice_preferences_pkey PRIMARY KEY (user_id, kind),
  constraint notice_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint notice_preferences_check CHECK ((in_app OR (kind = ANY (ARRAY['trade-ending'::notice_kind, 'trade-settled'::notice_kind])))),
  constraint notice_preferences_check1 CHECK ((email OR (kind <> ALL (ARRAY['security'::notice_kind, 'withdraw'::notice_kind]))))
);
CREATE INDEX notice_preferences_of_trades ON public.notice_preferences USING btree (kind) WHERE (kind = ANY (ARRAY['trade-ending'::notice_kind, 'trade-settled'::notice_kind]));
grant insert, select, update on notice_preferences to cleartick_app;

create table notices (
  id bigint generated always as identity not null,
  user_id bigint not null,
  kind notice_kind not null,
  title text not null,
  text text not null,
  path text not null default ''::text,
  at timestamp with time zone not null default clock_timestamp(),
  read_at timestamp with time zone,
  constraint notices_pkey PRIMARY KEY (id),
  constraint notices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint notices_path_check CHECK (((path = ''::text) OR (path ~ '^/user/[a-z-]+([?](trade|deposit|withdrawal)=[0-9A-HJKMNP-TV-Z]{13})?$'::text))) NOT VALID,
  constraint notices_text_check CHECK ((length(text) <= 1000)),
  constraint notices_title_check CHECK (((length(title) >= 1) AND (length(title) <= 120)))
);
CREATE INDEX notices_of_user ON public.notices USING btree (user_id, id);
CREATE INDEX notices_unread ON public.notices USING btree (user_id) WHERE (read_at IS NULL);
grant insert, select on notices to cleartick_app;
grant update (read_at) on notices to cleartick_app;

create table one_time_tokens (
  hash bytea not null,
  purpose text not null,
  user_id bigint not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint one_time_tokens_pkey PRIMARY KEY (hash),
  constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint one_time_tokens_hash_check CHECK ((length(hash) = 32)),
  constraint one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['onboarding'::text, 'confirm_email'::text, 'reset_password'::text, 'stop_factor_reset'::text, 'change_email'::text, 'new_email'::text, 'disown_sign_in'::text, 'keep_account'::text]))) NOT VALID
);
CREATE INDEX one_time_tokens_of_user ON public.one_time_tokens USING btree (user_id) WHERE (used_at IS NULL);
CREATE INDEX one_time_tokens_running_out ON public.one_time_tokens USING btree (expires_at);
grant delete, insert, select, update on one_time_tokens to cleartick_app;

create table open_stake_limits (
  open_stake_max cents not null,
  until timestamp with time zone not null default clock_timestamp()
);
grant insert, select on open_stake_limits to cleartick_app;

create table operator_actions (
  id bigint generated always as identity not null,
  operator_id bigint,
  operator text not null,
  action text not null,
  item_kind text not null,
  item_id text not null,
  user_id bigint,
  before jsonb,
  after jsonb,
  why text not null default ''::text,
  constraint audit_operator_action TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint operator_actions_pkey PRIMARY KEY (id)
);
CREATE CONSTRAINT TRIGGER audit_operator_action AFTER INSERT ON public.operator_actions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION audit_operator_action();
CREATE TRIGGER operator_actions_are_final BEFORE UPDATE ON public.operator_actions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert on operator_actions to cleartick_app;

create table operator_invitations (
  id bigint generated always as identity not null,
  token_hash bytea not null,
  email text not null,
  roles operator_roles not null,
  invited_by bigint,
  created_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  password_hash text,
  totp_secret bytea,
  used_at timestamp with time zone,
  change_id bigint,
  constraint operator_invitations_change_id_key UNIQUE (change_id),
  constraint operator_invitations_token_hash_key UNIQUE (token_hash),
  constraint operator_invitations_pkey PRIMARY KEY (id),
  constraint operator_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES operators(id),
  constraint operator_invitations_chosen CHECK (((password_hash IS NULL) = (totp_secret IS NULL))),
  constraint operator_invitations_email_check CHECK ((((length(email) >= 3) AND (length(email) <= 254)) AND (email !~ '[[:cntrl:][:space:],:;<>"]'::text))),
  constraint operator_invitations_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX operator_invitations_of_email ON public.operator_invitations USING btree (lower(email), id);
CREATE TRIGGER invitations_by_two_people BEFORE INSERT ON public.operator_invitations FOR EACH ROW EXECUTE FUNCTION invitations_by_two_people();
grant insert, select on operator_invitations to cleartick_app;
grant update (password_hash, totp_secret, used_at) on operator_invitations to cleartick_app;

create table operator_request_keys (
  operator_id bigint not null,
  key text not null,
  fingerprint bytea not null,
  answer json,
  at timestamp with time zone not null default clock_timestamp(),
  constraint operator_request_keys_pkey PRIMARY KEY (operator_id, key),
  constraint operator_request_keys_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint operator_request_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);
CREATE TRIGGER operator_request_keys_are_final BEFORE UPDATE ON public.operator_request_keys FOR EACH ROW WHEN ((old.answer IS NOT NULL)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operator_request_keys_are_kept BEFORE DELETE ON public.operator_request_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on operator_request_keys to cleartick_app;
grant update (answer) on operator_request_keys to cleartick_app;

create table operator_sessions (
  id bigint generated always as identity not null,
  operator_id bigint not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  last_seen_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  device text not null,
  address text not null,
  ended_at timestamp with time zone,
  constraint operator_sessions_token_hash_key UNIQUE (token_hash),
  constraint operator_sessions_pkey PRIMARY KEY (id),
  constraint operator_sessions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint operator_sessions_address_check CHECK ((length(address) <= 64)),
  constraint operator_sessions_device_check CHECK ((length(device) <= 60)),
  constraint operator_sessions_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX operator_sessions_of_operator ON public.operator_sessions USING btree (operator_id, id);
grant insert, select on operator_sessions to cleartick_app;
grant update (ended_at, last_seen_at) on operator_sessions to cleartick_app;

create table operators (
  id bigint generated always as identity not null,
  email text not null,
  password_hash text not null,
  totp_secret bytea not null,
  totp_step bigint not null default 0,
  roles operator_roles not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  constraint operators_pkey PRIMARY KEY (id),
  constraint operators_email_check CHECK ((((length(email) >= 3) AND (length(email) <= 254)) AND (email !~ '[[:cntrl:][:space:],:;<>"]'::text)))
);
CREATE UNIQUE INDEX operators_email ON public.operators USING btree (lower(email)) WHERE (ended_at IS NULL);
CREATE TRIGGER operators_end_by_two_people BEFORE UPDATE OF ended_at ON public.operators FOR EACH ROW WHEN ((old.ended_at IS DISTINCT FROM new.ended_at)) EXECUTE FUNCTION operators_end_by_two_people();
CREATE TRIGGER roles_by_two_people BEFORE UPDATE OF roles ON public.operators FOR EACH ROW WHEN (((old.roles)::text[] IS DISTINCT FROM (new.roles)::text[])) EXECUTE FUNCTION roles_by_two_people();
grant insert, select on operators to cleartick_app;
grant update (ended_at, password_hash, roles, totp_secret, totp_step) on operators to cleartick_app;

create table own_strategies (
  id bigint generated always as identity not null,
  user_id bigint not null,
  name text not null,
  kind text not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default clock_timestamp(),
  archived_at timestamp with time zone,
  constraint own_strategies_pkey PRIMARY KEY (id),
  constraint own_strategies_newest FOREIGN KEY (id, version) REFERENCES own_strategy_versions(strategy_id, version) DEFERRABLE INITIALLY DEFERRED,
  constraint own_strategies_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint own_strategies_kind_check CHECK ((kind = ANY (ARRAY['rule'::text, 'webhook'::text]))),
  constraint own_strategies_name_check CHECK (((length(name) >= 1) AND (length(name) <= 40))),
  constraint own_strategies_version_check CHECK (((version >= 1) AND (version <= 200)))
);
CREATE INDEX own_strategies_of_user ON public.own_strategies USING btree (user_id, id);
CREATE UNIQUE INDEX own_strategies_name ON public.own_strategies USING btree (user_id, lower(name)) WHERE (archived_at IS NULL);
CREATE TRIGGER own_strategies_are_kept BEFORE DELETE OR TRUNCATE ON public.own_strategies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER own_strategies_change BEFORE UPDATE ON public.own_strategies FOR EACH ROW EXECUTE FUNCTION own_strategies_change();
grant select on own_strategies to cleartick_app;
grant insert (kind, name, user_id) on own_strategies to cleartick_app;
grant update (archived_at, name, version) on own_strategies to cleartick_app;

create table own_strategy_versions (
  strategy_id bigint not null,
  version integer not null,
  rule jsonb,
  duration_seconds integer not null,
  symbol_ids smallint[] not null,
  zone text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint own_strategy_versions_pkey PRIMARY KEY (strategy_id, version),
  constraint own_strategy_versions_strategy_id_fkey FOREIGN KEY (strategy_id) REFERENCES own_strategies(id),
  constraint own_strategy_versions_duration_seconds_check CHECK ((duration_seconds = ANY (ARRAY[60, 180, 300, 900, 1800, 3600]))),
  constraint own_strategy_versions_rule_check CHECK (((jsonb_typeof(rule) = 'object'::text) AND (length((rule)::text) <= 10000))),
  constraint own_strategy_versions_symbol_ids_check CHECK ((((cardinality(symbol_ids) >= 1) AND (cardinality(symbol_ids) <= 10)) AND (array_position(symbol_ids, NULL::smallint) IS NULL))),
  constraint own_strategy_versions_version_check CHECK (((version >= 1) AND (version <= 200))),
  constraint own_strategy_versions_zone_check CHECK (((length(zone) >= 1) AND (length(zone) <= 64)))
);
CREATE TRIGGER own_strategy_versions_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.own_strategy_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on own_strategy_versions to cleartick_app;
grant insert (duration_seconds, rule, strategy_id, symbol_ids, version, zone) on own_strategy_versions to cleartick_app;

create table passkey_challenges (
  challenge text not null,
  user_id bigint not null,
  purpose text not null,
  expires_at timestamp with time zone not null default (clock_timestamp() + '00:05:00'::interval),
  constraint passkey_challenges_pkey PRIMARY KEY (challenge),
  constraint passkey_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['enrol'::text, 'sign_in'::text, 'step_up'::text])))
);
CREATE INDEX passkey_challenges_running_out ON public.passkey_challenges USING btree (expires_at);
grant delete, insert, select on passkey_challenges to cleartick_app;

create table passkeys (
  id bigint generated always as identity not null,
  user_id bigint not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  last_used_at timestamp with time zone,
  constraint passkeys_credential UNIQUE (credential_id),
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint passkeys_credential_id_check CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 2000))),
  constraint passkeys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60)))
);
CREATE INDEX passkeys_of_user ON public.passkeys USING btree (user_id, id);
grant delete, insert, select, update on passkeys to cleartick_app;

create table payout_addresses (
  id bigint not null,
  user_id bigint not null,
  name text not null,
  method withdrawal_method not null,
  coin coin,
  wallet text,
  bank_name text,
  bank_ending text,
  bank_sealed bytea,
  bank_fingerprint bytea,
  beneficiary text,
  hosted_by text,
  created_at timestamp with time zone not null default clock_timestamp(),
  usable_at timestamp with time zone not null default (clock_timestamp() + '24:00:00'::interval),
  removed_at timestamp with time zone,
  constraint payout_addresses_pkey PRIMARY KEY (id),
  constraint payout_addresses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint payout_addresses_bank_ending_check CHECK (((length(bank_ending) >= 1) AND (length(bank_ending) <= 4))),
  constraint payout_addresses_bank_fingerprint_check CHECK ((length(bank_fingerprint) = 32)),
  constraint payout_addresses_bank_name_check CHECK (((length(bank_name) >= 1) AND (length(bank_name) <= 100))),
  constraint payout_addresses_beneficiary_check CHECK (((length(beneficiary) >= 1) AND (length(beneficiary) <= 100))),
  constraint payout_addresses_hosted_by_check CHECK (((length(hosted_by) >= 1) AND (length(hosted_by) <= 100))),
  constraint payout_addresses_method CHECK (
CASE method
    WHEN 'crypto'::withdrawal_method THEN ((num_nulls(coin, wallet) = 0) AND (num_nonnulls(bank_name, bank_ending, bank_sealed, bank_fingerprint) = 0))
    ELSE ((num_nonnulls(coin, wallet, hosted_by) = 0) AND (num_nulls(bank_name, bank_ending, bank_sealed, bank_fingerprint) = 0))
END),
  constraint payout_addresses_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60))),
  constraint payout_addresses_wallet_check CHECK (((length(wallet) >= 1) AND (length(wallet) <= 128)))
);
CREATE UNIQUE INDEX payout_addresses_bank ON public.payout_addresses USING btree (user_id, bank_fingerprint) WHERE ((removed_at IS NULL) AND (bank_fingerprint IS NOT NULL));
CREATE UNIQUE INDEX payout_addresses_wallet ON public.payout_addresses USING btree (user_id, coin, payout_key(coin, wallet)) WHERE ((removed_at IS NULL) AND (wallet IS NOT NULL));
CREATE TRIGGER payout_addresses_are_kept BEFORE DELETE OR TRUNCATE ON public.payout_addresses FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_addresses_change BEFORE UPDATE ON public.payout_addresses FOR EACH ROW EXECUTE FUNCTION payout_addresses_change();
grant select on payout_addresses to cleartick_app;
grant insert (bank_ending, bank_fingerprint, bank_name, bank_sealed, beneficiary, coin, hosted_by, id, method, name, user_id, wallet) on payout_addresses to cleartick_app;
grant update (bank_fingerprint, bank_sealed, removed_at) on payout_addresses to cleartick_app;

create table payout_batch_items (
  batch_id bigint not null,
  withdrawal_id bigint not null,
  removed_at timestamp with time zone,
  constraint payout_batch_items_pkey PRIMARY KEY (batch_id, withdrawal_id),
  constraint payout_batch_items_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES payout_batches(id),
  constraint payout_batch_items_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id)
);
CREATE UNIQUE INDEX payout_batch_items_present ON public.payout_batch_items USING btree (withdrawal_id) WHERE (removed_at IS NULL);
CREATE TRIGGER payout_batch_items_are_kept BEFORE DELETE OR TRUNCATE ON public.payout_batch_items FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_batch_items_change BEFORE INSERT OR UPDATE ON public.payout_batch_items FOR EACH ROW EXECUTE FUNCTION payout_batch_items_change();
grant select on payout_batch_items to cleartick_app;
grant insert (batch_id, withdrawal_id) on payout_batch_items to cleartick_app;
grant update (removed_at) on payout_batch_items to cleartick_app;

create table payout_batches (
  id bigint not null,
  coin coin not null,
  created_by bigint not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint payout_batches_pkey PRIMARY KEY (id),
  constraint payout_batches_created_by_fkey FOREIGN KEY (created_by) REFERENCES operators(id)
);
CREATE INDEX payout_batches_created_by ON public.payout_batches USING btree (created_by);
CREATE TRIGGER payout_batches_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payout_batches FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on payout_batches to cleartick_app;
grant insert (coin, created_by, id) on payout_batches to cleartick_app;

create table payout_guards (
  user_id bigint not null,
  on_since timestamp with time zone not null default clock_timestamp(),
  off_at timestamp with time zone,
  constraint payout_guards_pkey PRIMARY KEY (user_id),
  constraint payout_guards_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE TRIGGER payout_guards_are_kept BEFORE DELETE OR TRUNCATE ON public.payout_guards FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_guards_change BEFORE UPDATE ON public.payout_guards FOR EACH ROW EXECUTE FUNCTION payout_guards_change();
grant select on payout_guards to cleartick_app;
grant insert (user_id) on payout_guards to cleartick_app;
grant update (off_at, on_since) on payout_guards to cleartick_app;

create table payout_halts (
  id bigint generated always as identity not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  findings json not null,
  found_at timestamp with time zone not null default clock_timestamp(),
  clean_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint payout_halts_pkey PRIMARY KEY (id),
  constraint payout_halts_end_clean CHECK (((ended_at IS NULL) OR (clean_at IS NOT NULL)))
);
CREATE UNIQUE INDEX payout_halts_open ON public.payout_halts USING btree ((true)) WHERE (ended_at IS NULL);
CREATE TRIGGER payout_halts_are_kept BEFORE DELETE ON public.payout_halts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_halts_are_not_truncated BEFORE TRUNCATE ON public.payout_halts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_halts_ended_once BEFORE UPDATE ON public.payout_halts FOR EACH ROW WHEN ((old.ended_at IS NOT NULL)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_halts_lock BEFORE INSERT ON public.payout_halts FOR EACH STATEMENT EXECUTE FUNCTION lock_payout_halts();
CREATE TRIGGER payouts_resume_by_two_people BEFORE UPDATE OF ended_at ON public.payout_halts FOR EACH ROW WHEN ((old.ended_at IS DISTINCT FROM new.ended_at)) EXECUTE FUNCTION payouts_resume_by_two_people();
grant insert, select on payout_halts to cleartick_app;
grant update (clean_at, ended_at, findings, found_at) on payout_halts to cleartick_app;

create table plan_charges (
  id bigint generated always as identity not null,
  user_id bigint not null,
  from_plan trading_plan not null,
  plan plan not null,
  amount cents not null,
  request_id bigint,
  at timestamp with time zone not null default clock_timestamp(),
  constraint plan_charges_request_id_key UNIQUE (request_id),
  constraint plan_charges_pkey PRIMARY KEY (id),
  constraint plan_charges_request_id_fkey FOREIGN KEY (request_id) REFERENCES plan_requests(id),
  constraint plan_charges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint plan_charges_amount_check CHECK (((amount)::bigint > 0)),
  constraint plan_charges_price CHECK (((amount)::bigint = (100 * ((split_part((plan)::text, '-'::text, 2))::bigint - COALESCE((NULLIF(split_part((from_plan)::text, '-'::text, 2), ''::text))::bigint, (0)::bigint))))),
  constraint plan_charges_requested CHECK (((from_plan = ''::trading_plan) = (request_id IS NULL)))
);
CREATE UNIQUE INDEX plan_charges_step ON public.plan_charges USING btree (user_id, from_plan);
CREATE TRIGGER plan_charges_are_final BEFORE DELETE OR UPDATE ON public.plan_charges FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on plan_charges to cleartick_app;

create table plan_requests (
  id bigint generated always as identity not null,
  user_id bigint not null,
  from_plan plan not null,
  plan plan not null,
  status plan_request_status not null default 'Pending'::plan_request_status,
  reason text,
  requested_at timestamp with time zone not null default clock_timestamp(),
  decided_at timestamp with time zone,
  constraint plan_requests_pkey PRIMARY KEY (id),
  constraint plan_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint plan_requests_decided CHECK (((status = 'Pending'::plan_request_status) = (decided_at IS NULL))),
  constraint plan_requests_reason CHECK (((status = 'Rejected'::plan_request_status) = (reason IS NOT NULL))),
  constraint plan_requests_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint plan_requests_upwards CHECK ((plan > from_plan))
);
CREATE INDEX plan_requests_of_user ON public.plan_requests USING btree (user_id, id);
CREATE INDEX plan_requests_waiting ON public.plan_requests USING btree (id) WHERE (status = 'Pending'::plan_request_status);
CREATE UNIQUE INDEX plan_requests_pending ON public.plan_requests USING btree (user_id) WHERE (status = 'Pending'::plan_request_status);
CREATE TRIGGER plan_requests_decided_once BEFORE UPDATE ON public.plan_requests FOR EACH ROW WHEN ((old.status <> 'Pending'::plan_request_status)) EXECUTE FUNCTION refuse_change();
grant insert, select on plan_requests to cleartick_app;
grant update (decided_at, reason, status) on plan_requests to cleartick_app;

create table price_history (
  symbol_id smallint not null,
  since bigint not null,
  source price_source not null,
  venue text,
  seed bytea,
  price bigint,
  packed bytea not null,
  constraint price_history_pkey PRIMARY KEY (symbol_id, since),
  constraint price_history_symbol_id_since_fkey FOREIGN KEY (symbol_id, since) REFERENCES tape_kinds(symbol_id, source_ms),
  constraint price_history_source CHECK ((((source = 'live'::price_source) = (venue IS NOT NULL)) AND ((source = 'simulation'::price_source) = ((seed IS NOT NULL) AND (price IS NOT NULL))))),
  constraint price_history_source_check CHECK ((source = ANY (ARRAY['live'::price_source, 'simulation'::price_source])))
);
CREATE TRIGGER price_history_final BEFORE UPDATE ON public.price_history FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on price_history to cleartick_app;

create table price_list_versions (
  version integer not null,
  document jsonb not null,
  from_ms bigint not null,
  made_at timestamp with time zone not null,
  proposal_id bigint,
  edge boolean not null default false,
  acknowledged text,
  constraint price_list_versions_proposal_id_key UNIQUE (proposal_id),
  constraint price_lists_begin_later TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint price_list_versions_pkey PRIMARY KEY (version),
  constraint price_list_versions_document CHECK (is_price_list_document(document)),
  constraint price_list_versions_edge CHECK (((edge = (acknowledged IS NOT NULL)) AND ((length(acknowledged) >= 1) AND (length(acknowledged) <= 500)))),
  constraint price_list_versions_proposed CHECK (((version = 1) = (proposal_id IS NULL)))
);
CREATE UNIQUE INDEX price_list_versions_from ON public.price_list_versions USING btree (from_ms);
CREATE TRIGGER price_lists_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.price_list_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE CONSTRAINT TRIGGER price_lists_begin_later AFTER INSERT ON public.price_list_versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION price_lists_begin_later();
CREATE TRIGGER price_lists_follow_approval BEFORE INSERT ON public.price_list_versions FOR EACH ROW EXECUTE FUNCTION price_lists_follow_approval();
grant select on price_list_versions to cleartick_app;
grant insert (acknowledged, document, proposal_id) on price_list_versions to cleartick_app;

create table proof_keys (
  id text not null,
  public_key bytea not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  revoked_at timestamp with time zone,
  revoked_reason text,
  signed_by text,
  signature bytea,
  unsigned_reason text,
  constraint proof_keys_public_key_key UNIQUE (public_key),
  constraint proof_keys_pkey PRIMARY KEY (id),
  constraint proof_keys_signed_by_fkey FOREIGN KEY (signed_by) REFERENCES proof_keys(id),
  constraint proof_keys_begun_one_way CHECK (((signed_by IS NULL) OR (unsigned_reason IS NULL))),
  constraint proof_keys_fingerprint CHECK ((id = "left"(encode(sha256(public_key), 'hex'::text), 32))),
  constraint proof_keys_id_check CHECK ((id ~ '^[0-9a-f]{32}$'::text)),
  constraint proof_keys_public_key_check CHECK ((octet_length(public_key) = 32)),
  constraint proof_keys_revoked CHECK (((revoked_at IS NULL) = (revoked_reason IS NULL))),
  constraint proof_keys_revoked_reason_check CHECK (((length(revoked_reason) >= 1) AND (length(revoked_reason) <= 500))),
  constraint proof_keys_signature_check CHECK ((octet_length(signature) = 64)),
  constraint proof_keys_signed CHECK (((signed_by IS NULL) = (signature IS NULL))),
  constraint proof_keys_unsigned_reason_check CHECK (((length(unsigned_reason) >= 1) AND (length(unsigned_reason) <= 500)))
);
CREATE UNIQUE INDEX proof_keys_first ON public.proof_keys USING btree ((true)) WHERE ((signed_by IS NULL) AND (unsigned_reason IS NULL));
CREATE TRIGGER proof_keys_are_kept BEFORE DELETE ON public.proof_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER proof_keys_begin_by_two_people BEFORE INSERT ON public.proof_keys FOR EACH ROW WHEN ((new.unsigned_reason IS NOT NULL)) EXECUTE FUNCTION proof_keys_begin_by_two_people();
CREATE TRIGGER proof_keys_revoked_once BEFORE UPDATE ON public.proof_keys FOR EACH ROW WHEN ((old.revoked_at IS NOT NULL)) EXECUTE FUNCTION refuse_change();
grant insert, select on proof_keys to cleartick_app;

create table proposals (
  kind text not null,
  id bigint generated always as identity not null,
  subject text,
  payload jsonb not null default '{}'::jsonb,
  reason text not null,
  status proposal_status not null default 'Pending'::proposal_status,
  proposed_by bigint not null,
  proposed_at timestamp with time zone not null default clock_timestamp(),
  decided_by bigint,
  decided_at timestamp with time zone,
  decision_reason text,
  constraint proposals_pkey PRIMARY KEY (kind, id),
  constraint proposals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES operators(id),
  constraint proposals_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES operators(id),
  constraint proposals_decided CHECK ((((status = 'Pending'::proposal_status) = (decided_by IS NULL)) AND ((decided_by IS NULL) = (decided_at IS NULL)))),
  constraint proposals_decision_reason_check CHECK (((length(decision_reason) >= 1) AND (length(decision_reason) <= 500))),
  constraint proposals_four_eyes CHECK (((status = 'Withdrawn'::proposal_status) OR (decided_by <> proposed_by))),
  constraint proposals_kind_check CHECK ((kind ~ '^[a-z][a-z-]{2,39}$'::text)),
  constraint proposals_payload_check CHECK ((jsonb_typeof(payload) = 'object'::text)),
  constraint proposals_reason CHECK (
CASE status
    WHEN 'Rejected'::proposal_status THEN (decision_reason IS NOT NULL)
    WHEN 'Withdrawn'::proposal_status THEN true
    ELSE (decision_reason IS NULL)
END),
  constraint proposals_say_why CHECK (((length(reason) <= 500) AND ((length(reason) >= 1) OR (kind = 'operator-changes'::text)))),
  constraint proposals_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 300))),
  constraint proposals_withdrawn CHECK (((status <> 'Withdrawn'::proposal_status) OR (kind = ANY (ARRAY['rulings'::text, 'venue-switches'::text]))))
);
CREATE INDEX proposals_of_subject ON public.proposals USING btree (kind, subject);
CREATE UNIQUE INDEX proposals_pending ON public.proposals USING btree (kind, subject) WHERE (status = 'Pending'::proposal_status);
CREATE TRIGGER proposals_are_kept BEFORE DELETE OR TRUNCATE ON public.proposals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER proposals_decided_by_another BEFORE INSERT OR UPDATE ON public.proposals FOR EACH ROW EXECUTE FUNCTION proposals_decided_by_another();
grant select on proposals to cleartick_app;
grant insert (kind, payload, proposed_by, reason, subject) on proposals to cleartick_app;
grant update (decided_by, decision_reason, status) on proposals to cleartick_app;

create table published_strategies (
  strategy_id bigint not null,
  name text not null,
  first_version integer not null,
  last_version integer,
  published_at timestamp with time zone not null default clock_timestamp(),
  withdrawn_at timestamp with time zone,
  constraint published_strategies_pkey PRIMARY KEY (strategy_id),
  constraint published_strategies_strategy_id_fkey FOREIGN KEY (strategy_id) REFERENCES own_strategies(id),
  constraint published_strategies_check CHECK ((last_version >= first_version)),
  constraint published_strategies_first_version_check CHECK ((first_version > 0)),
  constraint published_strategies_name_check CHECK (((length(name) >= 1) AND (length(name) <= 40))),
  constraint published_strategies_withdrawn CHECK (((last_version IS NULL) = (withdrawn_at IS NULL)))
);
CREATE UNIQUE INDEX published_strategies_name ON public.published_strategies USING btree (lower(name));
CREATE TRIGGER published_strategies_are_kept BEFORE DELETE OR TRUNCATE ON public.published_strategies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER published_strategies_change BEFORE UPDATE ON public.published_strategies FOR EACH ROW EXECUTE FUNCTION published_strategies_change();
grant select on published_strategies to cleartick_app;
grant insert (first_version, name, strategy_id) on published_strategies to cleartick_app;
grant update (last_version, withdrawn_at) on published_strategies to cleartick_app;

create table push_messages (
  id bigint generated always as identity not null,
  user_id bigint not null,
  subscription_id bigint not null,
  kind notice_kind not null,
  title text not null,
  text text not null,
  path text not null,
  tag uuid not null default gen_random_uuid(),
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null default clock_timestamp(),
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint push_messages_pkey PRIMARY KEY (id),
  constraint push_messages_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES push_subscriptions(id) ON DELETE CASCADE,
  constraint push_messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint push_messages_path_check CHECK ((length(path) <= 200)),
  constraint push_messages_text_check CHECK ((length(text) <= 1000)),
  constraint push_messages_title_check CHECK ((length(title) <= 120))
);
CREATE INDEX push_messages_due ON public.push_messages USING btree (next_attempt_at);
CREATE INDEX push_messages_of_subscription ON public.push_messages USING btree (subscription_id);
grant delete, insert, select, update on push_messages to cleartick_app;

create table push_subscriptions (
  id bigint generated always as identity not null,
  user_id bigint not null,
  session_id bigint not null,
  endpoint text not null,
  public_key bytea not null,
  auth_secret bytea not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint push_subscriptions_user_id_endpoint_key UNIQUE (user_id, endpoint),
  constraint push_subscriptions_pkey PRIMARY KEY (id),
  constraint push_subscriptions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint push_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint push_subscriptions_auth_secret_check CHECK ((length(auth_secret) = 16)),
  constraint push_subscriptions_endpoint_check CHECK (((length(endpoint) >= 10) AND (length(endpoint) <= 600))),
  constraint push_subscriptions_public_key_check CHECK ((length(public_key) = 65))
);
CREATE INDEX push_subscriptions_of_session ON public.push_subscriptions USING btree (session_id);
grant delete, insert, select, update on push_subscriptions to cleartick_app;

create table receipt_links (
  user_id bigint not null,
  trade_id bigint not null,
  token text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint receipt_links_token_key UNIQUE (token),
  constraint receipt_links_pkey PRIMARY KEY (user_id, trade_id),
  constraint receipt_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint receipt_links_token_check CHECK ((token ~ '^[A-Za-z0-9_-]{22}$'::text))
);
grant delete, insert, select on receipt_links to cleartick_app;

create table received_signals (
  id bigint generated always as identity not null,
  strategy_id bigint not null,
  at timestamp with time zone not null default clock_timestamp(),
  body_hash bytea not null,
  nonce text,
  symbol_id smallint,
  side trade_side,
  signal bigint,
  void text,
  reason text,
  constraint received_signals_signal_key UNIQUE (signal),
  constraint received_signals_pkey PRIMARY KEY (strategy_id, id),
  constraint received_signals_strategy_id_fkey FOREIGN KEY (strategy_id) REFERENCES own_strategies(id),
  constraint received_signals_body_hash_check CHECK ((length(body_hash) = 32)),
  constraint received_signals_nonce_check CHECK (((length(nonce) >= 8) AND (length(nonce) <= 64))),
  constraint received_signals_outcome CHECK (((num_nonnulls(signal, void) <= 1) AND ((void IS NOT NULL) OR (num_nulls(symbol_id, side) = 0)) AND ((reason IS NULL) OR (void = 'malformed'::text)))),
  constraint received_signals_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 200))),
  constraint received_signals_void_check CHECK ((void = ANY (ARRAY['malformed'::text, 'late'::text, 'repeated'::text, 'symbol'::text, 'off'::text, 'closed'::text, 'open'::text])))
);
CREATE INDEX received_signals_pending ON public.received_signals USING btree (id) WHERE ((signal IS NULL) AND (void IS NULL));
CREATE UNIQUE INDEX received_signals_body ON public.received_signals USING btree (strategy_id, body_hash) WHERE (COALESCE(void, ''::text) <> ALL (ARRAY['malformed'::text, 'repeated'::text]));
CREATE UNIQUE INDEX received_signals_nonce ON public.received_signals USING btree (strategy_id, nonce) WHERE (COALESCE(void, ''::text) <> ALL (ARRAY['malformed'::text, 'repeated'::text]));
CREATE TRIGGER received_signals_decide_once BEFORE UPDATE ON public.received_signals FOR EACH ROW EXECUTE FUNCTION received_signals_decide_once();
grant delete, select on received_signals to cleartick_app;
grant insert (body_hash, nonce, reason, side, strategy_id, symbol_id, void) on received_signals to cleartick_app;
grant update (signal, void) on received_signals to cleartick_app;

create table reconciliation (
  only_row boolean not null default true,
  finished_at timestamp with time zone not null,
  took_ms integer not null,
  differences integer not null,
  constraint reconciliation_pkey PRIMARY KEY (only_row),
  constraint reconciliation_differences_check CHECK ((differences >= 0)),
  constraint reconciliation_only_row_check CHECK (only_row),
  constraint reconciliation_took_ms_check CHECK ((took_ms >= 0))
);
grant insert, select, update on reconciliation to cleartick_app;

create table recorded_strategies (
  strategy_id bigint not null,
  user_id bigint not null,
  slot smallint not null,
  since timestamp with time zone not null default clock_timestamp(),
  constraint recorded_strategies_slot UNIQUE (user_id, slot),
  constraint recorded_strategies_pkey PRIMARY KEY (strategy_id),
  constraint recorded_strategies_strategy_id_fkey FOREIGN KEY (strategy_id) REFERENCES own_strategies(id),
  constraint recorded_strategies_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint recorded_strategies_slot_check CHECK (((slot >= 1) AND (slot <= 3)))
);
grant delete, insert, select on recorded_strategies to cleartick_app;

create table recovery_codes (
  user_id bigint not null,
  hash bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint recovery_codes_hash_check CHECK ((length(hash) = 32))
);
grant delete, insert, select, update on recovery_codes to cleartick_app;

create table request_keys (
  user_id bigint not null,
  key text not null,
  fingerprint bytea not null,
  effect request_effect not null,
  effect_id bigint not null,
  at timestamp with time zone not null default clock_timestamp(),
  answer json,
  constraint request_keys_pkey PRIMARY KEY (user_id, key),
  constraint request_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint request_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255))),
  constraint request_keys_no_automatic_keys CHECK ((NOT starts_with(key, 'automatic:'::text))) NOT VALID,
  constraint request_keys_no_waiting_orders CHECK ((NOT starts_with(key, 'waiting:'::text))) NOT VALID
);
CREATE TRIGGER request_keys_are_final BEFORE UPDATE ON public.request_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER request_keys_are_kept BEFORE TRUNCATE ON public.request_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER request_keys_expire AFTER DELETE ON public.request_keys REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION request_keys_expire();
grant insert, select on request_keys to cleartick_app;

create table reset_requests (
  id bigint generated always as identity not null,
  email text not null,
  asked_at timestamp with time zone not null default clock_timestamp(),
  kind text not null default 'reset_password'::text,
  constraint reset_requests_pkey PRIMARY KEY (id),
  constraint reset_requests_email_check CHECK ((length(email) <= 254)),
  constraint reset_requests_kind_check CHECK ((kind = ANY (ARRAY['reset_password'::text, 'sign_in'::text])))
);
grant delete, insert, select on reset_requests to cleartick_app;

create table retention_rules (
  kind text not null,
  days integer not null,
  ran_at timestamp with time zone not null default clock_timestamp(),
  constraint retention_rules_pkey PRIMARY KEY (kind),
  constraint retention_rules_days_check CHECK (((days >= 30) AND (days <= 3650))),
  constraint retention_rules_kind_check CHECK ((kind = ANY (ARRAY['documents'::text, 'conversations'::text, 'sign_ins'::text])))
);
grant insert, select, update on retention_rules to cleartick_app;

create table reversal_proposals (
  id bigint not null,
  deposit_id bigint not null,
  amount cents not null,
  reference text not null,
  constraint reversal_proposals_pkey PRIMARY KEY (id),
  constraint reversal_proposals_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint reversal_proposals_amount_check CHECK (((amount)::bigint > 0)),
  constraint reversal_proposals_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 255)))
);
CREATE INDEX reversal_proposals_of_deposit ON public.reversal_proposals USING btree (deposit_id, id);
CREATE TRIGGER reversal_proposals_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.reversal_proposals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reversal_proposals_come_with_proposal BEFORE INSERT ON public.reversal_proposals FOR EACH ROW EXECUTE FUNCTION details_come_with_proposal('reversals');
grant insert, select on reversal_proposals to cleartick_app;

create table risk_count (
  only_row boolean not null default true,
  round bigint not null default 0,
  counted_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  figures jsonb,
  constraint risk_count_pkey PRIMARY KEY (only_row),
  constraint risk_count_only_row_check CHECK (only_row)
) with (fillfactor=50);
grant select on risk_count to cleartick_app;
grant update (counted_at, figures, round) on risk_count to cleartick_app;

create table risk_lanes (
  lane integer not null,
  seen_at timestamp with time zone not null default clock_timestamp(),
  constraint risk_lanes_pkey PRIMARY KEY (lane)
);
grant delete, insert, select on risk_lanes to cleartick_app;
grant update (seen_at) on risk_lanes to cleartick_app;

create table risk_limits (
  name text not null,
  loss_max cents not null,
  constraint risk_limits_pkey PRIMARY KEY (name),
  constraint risk_limits_loss_max_check CHECK (((loss_max)::bigint >= 0)),
  constraint risk_limits_name_check CHECK (((length(name) >= 1) AND (length(name) <= 20)))
);
CREATE TRIGGER risk_limits_are_kept BEFORE TRUNCATE ON public.risk_limits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER risk_limits_by_two_people BEFORE INSERT OR DELETE OR UPDATE ON public.risk_limits FOR EACH ROW EXECUTE FUNCTION risk_limits_by_two_people();
grant delete, insert, select on risk_limits to cleartick_app;
grant update (loss_max) on risk_limits to cleartick_app;

create table risk_rooms (
  lane integer not null,
  room integer not null,
  granted cents not null default 0,
  used cents not null default 0,
  wanted cents not null default 0,
  room_left cents,
  constraint risk_rooms_pkey PRIMARY KEY (lane, room),
  constraint risk_rooms_lane_fkey FOREIGN KEY (lane) REFERENCES risk_lanes(lane) ON DELETE CASCADE,
  constraint risk_rooms_within_grant CHECK ((((used)::bigint >= 0) AND ((used)::bigint <= (granted)::bigint)))
) with (fillfactor=50);
grant delete, insert, select on risk_rooms to cleartick_app;
grant update (granted, room_left, used, wanted) on risk_rooms to cleartick_app;

create table sale_orders (
  account_id bigint not null,
  trade_id bigint not null,
  at bigint not null,
  minimum cents not null,
  decided_at timestamp with time zone,
  outcome text,
  says text,
  tick_seq bigint,
  tick_time bigint,
  tick_price bigint,
  variance bigint,
  variance_frame bigint,
  fee cents,
  payout cents,
  constraint sale_orders_pkey PRIMARY KEY (account_id, trade_id, at),
  constraint sale_orders_minimum_check CHECK (((minimum)::bigint > 0)),
  constraint sale_orders_outcome CHECK (
CASE outcome
    WHEN 'sold'::text THEN ((num_nulls(decided_at, tick_seq, tick_time, tick_price, variance, variance_frame, fee, payout) = 0) AND (says IS NULL) AND ((payout)::bigint >= (minimum)::bigint) AND (tick_time > at))
    WHEN 'unsold'::text THEN ((decided_at IS NOT NULL) AND (says IS NOT NULL) AND (payout IS NULL))
    ELSE (num_nonnulls(decided_at, says, tick_seq, tick_time, tick_price, variance, variance_frame, fee, payout) = 0)
END),
  constraint sale_orders_outcome_check CHECK ((outcome = ANY (ARRAY['sold'::text, 'unsold'::text])))
);
CREATE UNIQUE INDEX sale_orders_undecided ON public.sale_orders USING btree (account_id, trade_id) WHERE (decided_at IS NULL);
CREATE TRIGGER sale_orders_are_kept BEFORE DELETE OR TRUNCATE ON public.sale_orders FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER sale_orders_are_of_open_trades AFTER INSERT ON public.sale_orders FOR EACH ROW EXECUTE FUNCTION sale_orders_follow_trades();
CREATE TRIGGER sale_orders_decide_once BEFORE UPDATE ON public.sale_orders FOR EACH ROW WHEN ((old.decided_at IS NOT NULL)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER sale_orders_sell_their_trade AFTER UPDATE ON public.sale_orders FOR EACH ROW WHEN ((new.outcome = 'sold'::text)) EXECUTE FUNCTION sale_orders_follow_trades();
grant insert, select on sale_orders to cleartick_app;
grant update (decided_at, fee, outcome, payout, says, tick_price, tick_seq, tick_time, variance, variance_frame) on sale_orders to cleartick_app;

create table schema_needs (
  migration text not null,
  needs text not null,
  constraint schema_needs_pkey PRIMARY KEY (migration),
  constraint schema_needs_check CHECK (((needs ~ '^\d{4}_\w+$'::text) AND (needs < migration))),
  constraint schema_needs_migration_check CHECK ((migration ~ '^\d{4}_\w+$'::text))
);
grant select on schema_needs to cleartick_app;

create table screen_choices (
  user_id bigint not null,
  mode text,
  symbol text,
  duration_seconds integer,
  strike_rate text,
  stake bigint,
  favourites text[],
  recents text[],
  coached boolean,
  time_zone text,
  presets jsonb,
  constraint screen_choices_pkey PRIMARY KEY (user_id),
  constraint screen_choices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint screen_choices_duration_seconds_check CHECK (((duration_seconds >= 1) AND (duration_seconds <= 86400))),
  constraint screen_choices_favourites_check CHECK ((cardinality(favourites) <= 100)),
  constraint screen_choices_mode_check CHECK ((mode = ANY (ARRAY['real'::text, 'demo'::text]))),
  constraint screen_choices_presets_check CHECK (((jsonb_typeof(presets) = 'array'::text) AND (jsonb_array_length(presets) <= 6))) NOT VALID,
  constraint screen_choices_recents_check CHECK ((cardinality(recents) <= 10)),
  constraint screen_choices_stake_check CHECK ((stake >= 100)),
  constraint screen_choices_strike_rate_check CHECK ((strike_rate ~ '^(best|[0-9]{1,3}/[0-9]{1,3})$'::text)),
  constraint screen_choices_symbol_check CHECK ((symbol ~ '^[A-Z0-9]{1,20}$'::text)),
  constraint screen_choices_time_zone_check CHECK ((time_zone ~ '^[A-Za-z0-9_+/-]{0,64}$'::text)) NOT VALID
);
grant delete, insert, select, update on screen_choices to cleartick_app;

create table session_tokens (
  renewal_hash bytea not null,
  session_id bigint not null,
  access_hash bytea not null,
  access_expires_at timestamp with time zone not null,
  renewed_at timestamp with time zone,
  child_hash bytea,
  sealed_child bytea,
  constraint session_tokens_access_hash_key UNIQUE (access_hash),
  constraint session_tokens_pkey PRIMARY KEY (renewal_hash),
  constraint session_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint session_tokens_access_hash_check CHECK ((length(access_hash) = 32)),
  constraint session_tokens_child_whole CHECK ((num_nulls(renewed_at, child_hash) = ANY (ARRAY[0, 2]))),
  constraint session_tokens_renewal_hash_check CHECK ((length(renewal_hash) = 32))
);
CREATE INDEX session_tokens_of_session ON public.session_tokens USING btree (session_id);
grant delete, insert, select, update on session_tokens to cleartick_app;

create table sessions (
  id bigint generated always as identity not null,
  user_id bigint not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  last_seen_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  remembered boolean not null,
  device text not null,
  address text not null,
  ended_at timestamp with time zone,
  end_reason text,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint sessions_address_check CHECK ((length(address) <= 64)),
  constraint sessions_device_check CHECK ((length(device) <= 60)),
  constraint sessions_end_reason_check CHECK ((end_reason = ANY (ARRAY['signed_out'::text, 'ended_by_owner'::text, 'password_changed'::text, 'password_reset'::text, 'token_reused'::text, 'account_replaced'::text, 'sign_in_locked'::text, 'email_confirmed'::text, 'email_changed'::text, 'disowned'::text, 'account_closed'::text]))) NOT VALID,
  constraint sessions_end_whole CHECK ((num_nulls(ended_at, end_reason) = ANY (ARRAY[0, 2])))
);
CREATE INDEX sessions_ended ON public.sessions USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX sessions_of_user ON public.sessions USING btree (user_id, id);
CREATE INDEX sessions_running_out ON public.sessions USING btree (expires_at) WHERE (ended_at IS NULL);
grant delete, insert, select, update on sessions to cleartick_app;

create table sign_in_links (
  token_hash bytea not null,
  user_id bigint,
  operator_id bigint,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint sign_in_links_pkey PRIMARY KEY (token_hash),
  constraint sign_in_links_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint sign_in_links_owner CHECK ((num_nonnulls(user_id, operator_id) = 1)),
  constraint sign_in_links_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE INDEX sign_in_links_expired ON public.sign_in_links USING btree (expires_at);
grant delete, insert, select on sign_in_links to cleartick_app;
grant update (used_at) on sign_in_links to cleartick_app;

create table signal_addresses (
  strategy_id bigint not null,
  secret_hash bytea not null,
  signing_key bytea not null,
  made_at timestamp with time zone not null default clock_timestamp(),
  constraint signal_addresses_secret_hash_key UNIQUE (secret_hash),
  constraint signal_addresses_pkey PRIMARY KEY (strategy_id),
  constraint signal_addresses_strategy_id_fkey FOREIGN KEY (strategy_id) REFERENCES own_strategies(id),
  constraint signal_addresses_secret_hash_check CHECK ((length(secret_hash) = 32))
);
grant delete, insert, select, update on signal_addresses to cleartick_app;

create table signal_closes (
  candle_close bigint not null,
  strategy strategy_key not null,
  version smallint not null,
  duration_seconds integer not null,
  source_kind smallint not null,
  buy_won integer not null,
  buy_lost integer not null,
  sell_won integer not null,
  sell_lost integer not null,
  constraint signal_closes_pkey PRIMARY KEY (candle_close, strategy, version, duration_seconds, source_kind)
);
grant select on signal_closes to cleartick_app;

create table signal_head (
  only_row boolean not null default true,
  n bigint not null,
  hash bytea not null,
  closes_from bigint not null default 0,
  constraint signal_head_pkey PRIMARY KEY (only_row),
  constraint signal_head_hash_check CHECK ((length(hash) = 32)),
  constraint signal_head_only_row_check CHECK (only_row)
);
grant select on signal_head to cleartick_app;
grant update (n) on signal_head to cleartick_app;

create table signal_hours (
  strategy strategy_key not null,
  version smallint not null,
  duration_seconds integer not null,
  side trade_side not null,
  source_kind smallint not null,
  hour bigint not null,
  won integer not null default 0,
  lost integer not null default 0,
  draws integer not null default 0,
  voids integer not null default 0,
  constraint signal_hours_pkey PRIMARY KEY (hour, strategy, version, duration_seconds, side, source_kind),
  constraint signal_hours_draws_check CHECK ((draws >= 0)),
  constraint signal_hours_hour_check CHECK (((hour % (3600000)::bigint) = 0)),
  constraint signal_hours_lost_check CHECK ((lost >= 0)),
  constraint signal_hours_voids_check CHECK ((voids >= 0)),
  constraint signal_hours_won_check CHECK ((won >= 0))
);
grant insert, select, update on signal_hours to cleartick_app;

create table signal_spreads (
  duration_seconds integer not null,
  source_kind smallint not null,
  sides text not null,
  strategy strategy_key not null,
  version smallint not null,
  hour bigint not null,
  won bigint not null,
  lost bigint not null,
  closes bigint not null,
  ww bigint not null,
  wl bigint not null,
  ll bigint not null,
  constraint signal_spreads_pkey PRIMARY KEY (duration_seconds, source_kind, sides, strategy, version, hour),
  constraint signal_spreads_hour_check CHECK (((hour % (3600000)::bigint) = 0)),
  constraint signal_spreads_sides_check CHECK ((sides = ANY (ARRAY['both'::text, 'Buy'::text, 'Sell'::text])))
);
grant select on signal_spreads to cleartick_app;

create table signals (
  n bigint not null,
  strategy strategy_key not null,
  version smallint not null,
  symbol_id smallint not null,
  side trade_side not null,
  duration_seconds integer not null,
  candle_close bigint not null,
  source_kind smallint not null,
  stale_after_ms integer not null,
  at bigint not null,
  frame bigint not null,
  end_time bigint not null generated always as ((at + (duration_seconds * (1000)::bigint))) stored,
  previous bytea not null,
  hash bytea not null,
  status trade_status not null default 'Pending'::trade_status,
  entry_price bigint,
  entry_time bigint,
  entry_seq bigint,
  exit_price bigint,
  exit_time bigint,
  exit_seq bigint,
  outcome_reason text,
  seal bytea,
  constraint signals_pkey PRIMARY KEY (n),
  constraint signals_duration_seconds_check CHECK ((duration_seconds > 0)),
  constraint signals_hash_check CHECK ((length(hash) = 32)),
  constraint signals_on_time CHECK (((at >= candle_close) AND (at <= ((candle_close + 5000) +
CASE
    WHEN starts_with((strategy)::text, 'own-'::text) THEN (duration_seconds * (1000)::bigint)
    ELSE (0)::bigint
END)))) NOT VALID,
  constraint signals_outcome CHECK (
CASE status
    WHEN 'Pending'::trade_status THEN (num_nonnulls(exit_price, outcome_reason) = 0)
    WHEN 'Void'::trade_status THEN (outcome_reason IS NOT NULL)
    ELSE ((num_nulls(entry_price, exit_price, outcome_reason) = 0) AND (status = (
    CASE
        WHEN (exit_price = entry_price) THEN 'Draw'::text
        WHEN ((exit_price > entry_price) = (side = 'Buy'::trade_side)) THEN 'Won'::text
        ELSE 'Lost'::text
    END)::trade_status))
END),
  constraint signals_previous_check CHECK ((length(previous) = 32)),
  constraint signals_seal CHECK (((seal IS NULL) OR ((length(seal) = 32) AND starts_with((strategy)::text, 'own-'::text)))) NOT VALID,
  constraint signals_ticks CHECK ((((num_nulls(entry_price, entry_time, entry_seq) % 3) = 0) AND ((num_nulls(exit_price, exit_time, exit_seq) % 3) = 0) AND (entry_time > at) AND (entry_time <= (at + 10000)) AND (exit_time > entry_time) AND (exit_time <= (at + (duration_seconds * (1000)::bigint))))),
  constraint signals_version_check CHECK ((version > 0))
) with (fillfactor=80);
CREATE INDEX signals_due ON public.signals USING btree (symbol_id, end_time) WHERE (status = 'Pending'::trade_status);
CREATE INDEX signals_fresh ON public.signals USING btree (at) WHERE (status = 'Pending'::trade_status);
CREATE INDEX signals_of_strategy ON public.signals USING btree (strategy, n);
CREATE UNIQUE INDEX signals_once ON public.signals USING btree (candle_close, strategy, version, symbol_id, duration_seconds);
CREATE TRIGGER signals_are_kept BEFORE DELETE OR TRUNCATE ON public.signals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER signals_chain BEFORE INSERT ON public.signals FOR EACH ROW EXECUTE FUNCTION signals_chain();
CREATE TRIGGER signals_count_closes AFTER UPDATE ON public.signals REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION signals_count_closes();
CREATE TRIGGER signals_enter_once BEFORE UPDATE ON public.signals FOR EACH ROW WHEN (((old.entry_seq IS NOT NULL) AND (new.entry_seq IS DISTINCT FROM old.entry_seq))) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER signals_judge_once BEFORE UPDATE ON public.signals FOR EACH ROW WHEN ((old.status <> 'Pending'::trade_status)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER signals_of_traders BEFORE INSERT ON public.signals FOR EACH ROW WHEN (starts_with((new.strategy)::text, 'own-'::text)) EXECUTE FUNCTION signals_of_traders();
grant insert, select on signals to cleartick_app;
grant update (entry_price, entry_seq, entry_time, exit_price, exit_seq, exit_time, outcome_reason, status) on signals to cleartick_app;

create table solvency_entries (
  number integer not null,
  user_id bigint not null,
  part smallint not null,
  "position" integer not null,
  available cents not null,
  staked cents not null,
  held cents not null,
  constraint solvency_entries_pkey PRIMARY KEY (number, user_id, part),
  constraint solvency_entries_number_fkey FOREIGN KEY (number) REFERENCES solvency_trees(number) ON DELETE CASCADE
);
grant delete, insert, select on solvency_entries to cleartick_app;

create table solvency_requests (
  only_row boolean not null default true,
  requested_at timestamp with time zone not null,
  constraint solvency_requests_pkey PRIMARY KEY (only_row),
  constraint solvency_requests_only_row_check CHECK (only_row)
);
grant insert, select, update on solvency_requests to cleartick_app;

create table solvency_statements (
  number integer not null,
  t bigint not null,
  traders integer not null,
  total cents not null,
  root bytea not null,
  previous bytea not null,
  key text not null,
  signature bytea not null,
  entries integer,
  equity bigint,
  constraint solvency_statements_pkey PRIMARY KEY (number),
  constraint solvency_statements_key_fkey FOREIGN KEY (key) REFERENCES proof_keys(id),
  constraint solvency_statements_entries CHECK ((entries >= traders)) NOT VALID,
  constraint solvency_statements_number_check CHECK ((number > 0)),
  constraint solvency_statements_previous_check CHECK ((octet_length(previous) = 32)),
  constraint solvency_statements_root_check CHECK ((octet_length(root) = 32)),
  constraint solvency_statements_signature_check CHECK ((octet_length(signature) = 64)),
  constraint solvency_statements_total_check CHECK (((total)::bigint >= 0)),
  constraint solvency_statements_traders_check CHECK ((traders >= 0))
);
CREATE TRIGGER solvency_statements_are_final BEFORE DELETE OR UPDATE ON public.solvency_statements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER solvency_statements_have_a_key BEFORE INSERT ON public.solvency_statements FOR EACH ROW EXECUTE FUNCTION revoked_keys_sign_nothing();
grant insert, select on solvency_statements to cleartick_app;

create table solvency_trees (
  number integer not null,
  secret bytea not null,
  nodes bytea not null,
  constraint solvency_trees_pkey PRIMARY KEY (number),
  constraint solvency_trees_number_fkey FOREIGN KEY (number) REFERENCES solvency_statements(number),
  constraint solvency_trees_nodes_check CHECK (((octet_length(nodes) % 40) = 0)),
  constraint solvency_trees_secret_check CHECK ((octet_length(secret) = 32))
);
grant delete, insert, select on solvency_trees to cleartick_app;

create table step_ups (
  id bigint generated always as identity not null,
  session_id bigint not null,
  user_id bigint not null,
  fingerprint bytea not null,
  asked_at timestamp with time zone not null default clock_timestamp(),
  token_hash bytea,
  expires_at timestamp with time zone,
  constraint step_ups_token_hash_key UNIQUE (token_hash),
  constraint step_ups_pkey PRIMARY KEY (id),
  constraint step_ups_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint step_ups_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint step_ups_fingerprint_check CHECK ((length(fingerprint) = 32)),
  constraint step_ups_token_hash_check CHECK ((length(token_hash) = 32)),
  constraint step_ups_token_whole CHECK (((token_hash IS NULL) = (expires_at IS NULL)))
);
CREATE INDEX step_ups_of_session ON public.step_ups USING btree (session_id, asked_at);
CREATE INDEX step_ups_of_user ON public.step_ups USING btree (user_id);
CREATE UNIQUE INDEX step_ups_waiting ON public.step_ups USING btree (session_id, fingerprint) WHERE (token_hash IS NULL);
grant delete, insert, select, update on step_ups to cleartick_app;

create table strategy_switches (
  strategy strategy_key not null,
  off_at timestamp with time zone not null default clock_timestamp(),
  why text not null,
  constraint strategy_switches_pkey PRIMARY KEY (strategy),
  constraint strategy_switches_why_check CHECK (((length(why) >= 1) AND (length(why) <= 500)))
);
CREATE TRIGGER strategies_restart_by_two_people BEFORE DELETE ON public.strategy_switches FOR EACH ROW EXECUTE FUNCTION strategies_restart_by_two_people();
grant delete, insert, select on strategy_switches to cleartick_app;

create table symbol_open (
  symbol_id smallint not null,
  open_max cents,
  open cents not null default 0,
  thin_max cents,
  constraint symbol_open_pkey PRIMARY KEY (symbol_id),
  constraint symbol_open_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id),
  constraint symbol_open_open_check CHECK (((open)::bigint >= 0)),
  constraint symbol_open_open_max_check CHECK (((open_max)::bigint >= 0))
) with (fillfactor=50);
CREATE TRIGGER symbol_limits_are_kept BEFORE TRUNCATE ON public.symbol_open FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER symbol_limits_by_two_people BEFORE INSERT ON public.symbol_open FOR EACH ROW WHEN ((new.open_max IS NOT NULL)) EXECUTE FUNCTION symbol_limits_by_two_people();
CREATE TRIGGER symbol_limits_change_by_two_people BEFORE UPDATE OF open_max ON public.symbol_open FOR EACH ROW WHEN (((new.open_max)::bigint IS DISTINCT FROM (old.open_max)::bigint)) EXECUTE FUNCTION symbol_limits_by_two_people();
CREATE TRIGGER symbol_limits_leave_by_two_people BEFORE DELETE ON public.symbol_open FOR EACH ROW WHEN ((old.open_max IS NOT NULL)) EXECUTE FUNCTION symbol_limits_by_two_people();
grant delete, insert, select on symbol_open to cleartick_app;
grant update (open, open_max, thin_max) on symbol_open to cleartick_app;

create table tape_bodies (
  minute bigint not null,
  packed bytea not null,
  constraint tape_bodies_pkey PRIMARY KEY (minute),
  constraint tape_bodies_minute_fkey FOREIGN KEY (minute) REFERENCES tape_minutes(minute)
);
CREATE TRIGGER tape_bodies_final BEFORE UPDATE ON public.tape_bodies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant delete, insert, select on tape_bodies to cleartick_app;

create table tape_epochs (
  epoch integer not null,
  after_frame bigint not null,
  after_hash bytea not null,
  timeline integer not null,
  began_at timestamp with time zone not null default clock_timestamp(),
  constraint tape_epochs_pkey PRIMARY KEY (epoch),
  constraint tape_epochs_after_frame_check CHECK ((after_frame >= 0)),
  constraint tape_epochs_after_hash_check CHECK ((octet_length(after_hash) = 32)),
  constraint tape_epochs_epoch_check CHECK ((epoch > 0))
);
CREATE TRIGGER tape_epochs_are_final BEFORE DELETE OR UPDATE ON public.tape_epochs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on tape_epochs to cleartick_app;

create table tape_expiry (
  only_row boolean not null default true,
  until bigint not null default 0,
  constraint tape_expiry_pkey PRIMARY KEY (only_row),
  constraint tape_expiry_only_row_check CHECK (only_row)
);
grant select on tape_expiry to cleartick_app;
grant update (until) on tape_expiry to cleartick_app;

create table tape_head (
  id boolean not null default true,
  number bigint not null,
  t bigint not null,
  hash bytea not null,
  epoch integer not null default 1,
  constraint tape_head_pkey PRIMARY KEY (id),
  constraint tape_head_hash_check CHECK ((octet_length(hash) = 32)),
  constraint tape_head_id_check CHECK (id),
  constraint tape_head_number_check CHECK ((number >= 0))
) with (fillfactor=50);
grant select, update on tape_head to cleartick_app;

create table tape_kinds (
  symbol_id smallint not null,
  source_ms bigint not null,
  kind smallint not null,
  constraint tape_kinds_pkey PRIMARY KEY (symbol_id, source_ms),
  constraint tape_kinds_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id),
  constraint tape_kinds_kind_check CHECK (((kind >= 0) AND (kind <= 2)))
);
CREATE TRIGGER tape_kinds_final BEFORE DELETE OR UPDATE ON public.tape_kinds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on tape_kinds to cleartick_app;

create table tape_minutes (
  minute bigint not null,
  first_n bigint not null,
  last_n bigint not null,
  chain bytea not null,
  last_hash bytea not null,
  constraint tape_minutes_first_n_key UNIQUE (first_n),
  constraint tape_minutes_pkey PRIMARY KEY (minute),
  constraint tape_minutes_check CHECK ((last_n >= first_n)),
  constraint tape_minutes_check1 CHECK ((octet_length(chain) = (34 * ((last_n - first_n) + 1)))),
  constraint tape_minutes_last_hash_check CHECK ((octet_length(last_hash) = 32)),
  constraint tape_minutes_minute_check CHECK (((minute % (60000)::bigint) = 0))
);
CREATE TRIGGER tape_minutes_final BEFORE DELETE OR UPDATE ON public.tape_minutes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on tape_minutes to cleartick_app;

create table terms_changes (
  id bigint not null,
  symbol text not null,
  before jsonb not null,
  effective_from bigint not null,
  constraint terms_changes_pkey PRIMARY KEY (id)
);
CREATE INDEX terms_changes_from ON public.terms_changes USING btree (symbol, effective_from);
CREATE INDEX terms_changes_newest ON public.terms_changes USING btree (effective_from);
CREATE TRIGGER terms_changes_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.terms_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER terms_changes_follow_approval BEFORE INSERT ON public.terms_changes FOR EACH ROW EXECUTE FUNCTION terms_changes_follow_approval();
grant insert, select on terms_changes to cleartick_app;

create table ticks (
  symbol_id smallint not null,
  source_ms bigint not null,
  seq bigint not null,
  price bigint not null,
  kind smallint not null,
  frame bigint not null,
  constraint ticks_pkey PRIMARY KEY (symbol_id, source_ms),
  constraint ticks_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id),
  constraint ticks_kind_check CHECK (((kind >= 0) AND (kind <= 2))),
  constraint ticks_price_check CHECK ((price > 0)),
  constraint ticks_seq_check CHECK ((seq > 0))
);
CREATE TRIGGER ticks_final BEFORE UPDATE ON public.ticks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant delete, insert, select on ticks to cleartick_app;

create table totp_factors (
  user_id bigint not null,
  secret bytea,
  confirmed_at timestamp with time zone,
  new_secret bytea,
  last_step bigint not null default 0,
  constraint totp_factors_pkey PRIMARY KEY (user_id),
  constraint totp_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint totp_factors_confirmed CHECK (((secret IS NULL) = (confirmed_at IS NULL)))
);
grant delete, insert, select, update on totp_factors to cleartick_app;

create table trade_figures (
  mode account_mode not null,
  source_kind smallint not null,
  won bigint not null default 0,
  lost bigint not null default 0,
  draws bigint not null default 0,
  voids bigint not null default 0,
  first_end bigint not null,
  last_end bigint not null,
  constraint trade_figures_pkey PRIMARY KEY (mode, source_kind),
  constraint trade_figures_draws_check CHECK ((draws >= 0)),
  constraint trade_figures_lost_check CHECK ((lost >= 0)),
  constraint trade_figures_voids_check CHECK ((voids >= 0)),
  constraint trade_figures_won_check CHECK ((won >= 0))
);
grant insert, select, update on trade_figures to cleartick_app;

create table trade_figures_head (
  only_row boolean not null default true,
  counted_to bigint not null default 0,
  constraint trade_figures_head_pkey PRIMARY KEY (only_row),
  constraint trade_figures_head_only_row_check CHECK (only_row)
);
grant select on trade_figures_head to cleartick_app;
grant update (counted_to) on trade_figures_head to cleartick_app;

create table trade_figures_open (
  trade_id bigint not null,
  constraint trade_figures_open_pkey PRIMARY KEY (trade_id)
);
grant delete, insert, select on trade_figures_open to cleartick_app;

create table trade_notes (
  account_id bigint not null,
  trade_id bigint not null,
  note text not null,
  tags text[] not null,
  constraint trade_notes_pkey PRIMARY KEY (account_id, trade_id),
  constraint trade_notes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint trade_notes_note_check CHECK ((length(note) <= 500)),
  constraint trade_notes_say_something CHECK (((note <> ''::text) OR (cardinality(tags) > 0))),
  constraint trade_notes_tags_check CHECK ((cardinality(tags) <= 5))
);
grant delete, insert, select, update on trade_notes to cleartick_app;

create table trade_remedies (
  trade_id bigint not null,
  ruling_id bigint not null,
  account_id bigint not null,
  amount cents not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint trade_remedies_pkey PRIMARY KEY (trade_id),
  constraint trade_remedies_ruling_id_fkey FOREIGN KEY (ruling_id) REFERENCES complaint_rulings(id),
  constraint trade_remedies_trade_id_fkey FOREIGN KEY (trade_id) REFERENCES trades(id),
  constraint trade_remedies_amount_check CHECK (((amount)::bigint > 0))
);
CREATE INDEX trade_remedies_of_ruling ON public.trade_remedies USING btree (ruling_id);
CREATE TRIGGER trade_remedies_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.trade_remedies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER trade_remedies_follow_rulings AFTER INSERT ON public.trade_remedies REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION trade_remedies_follow_rulings();
grant select on trade_remedies to cleartick_app;
grant insert (account_id, amount, ruling_id, trade_id) on trade_remedies to cleartick_app;

create table trade_tags (
  account_id bigint not null,
  tags text[] not null,
  constraint trade_tags_pkey PRIMARY KEY (account_id),
  constraint trade_tags_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint trade_tags_tags_check CHECK ((cardinality(tags) <= 100))
);
grant insert, select, update on trade_tags to cleartick_app;

create table trade_voids (
  trade_id bigint not null,
  reason text not null,
  completed_at timestamp with time zone not null default clock_timestamp(),
  entered boolean not null,
  constraint trade_voids_pkey PRIMARY KEY (trade_id),
  constraint trade_voids_trade_id_fkey FOREIGN KEY (trade_id) REFERENCES trades(id),
  constraint trade_voids_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);
CREATE TRIGGER trade_voids_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.trade_voids FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER trade_voids_follow_approval BEFORE INSERT ON public.trade_voids FOR EACH ROW EXECUTE FUNCTION trade_voids_follow_approval();
grant insert, select on trade_voids to cleartick_app;

create table trades (
  id bigint not null,
  account_id bigint not null,
  mode account_mode not null,
  symbol_id smallint not null,
  source_kind smallint not null,
  stale_after_ms integer not null,
  side trade_side not null,
  strike_rate strike_rate not null,
  percent smallint not null,
  stake cents not null,
  duration_seconds integer not null,
  trade_time bigint not null,
  end_time bigint not null,
  rule_version text not null default 'FT-1'::text,
  key text,
  fingerprint bytea,
  status trade_status not null default 'Pending'::trade_status,
  entry_price bigint,
  entry_time bigint,
  entry_seq bigint,
  exit_price bigint,
  exit_time bigint,
  exit_seq bigint,
  settled_at timestamp with time zone,
  payout cents,
  outcome_reason text,
  signal bigint,
  salt bytea default uuid_send(gen_random_uuid()),
  sale_rule text default 'SE-1'::text,
  sale_ordered_at bigint,
  price_list integer default 1,
  constraint trades_pkey PRIMARY KEY (id),
  constraint trades_automatic_keys CHECK (((signal IS NOT NULL) OR (NOT starts_with(key, 'automatic:'::text)))) NOT VALID,
  constraint trades_for_sale CHECK (((sale_ordered_at IS NULL) OR (sale_rule IS NOT NULL))),
  constraint trades_one_mode CHECK ((((account_id % (2)::bigint) = 1) = (mode = 'demo'::account_mode))),
  constraint trades_outcome CHECK (
CASE status
    WHEN 'Pending'::trade_status THEN (num_nonnulls(payout, settled_at, exit_price, outcome_reason) = 0)
    ELSE ((num_nulls(payout, settled_at, outcome_reason) = 0) AND
    CASE
        WHEN (status = 'Void'::trade_status) THEN ((payout)::bigint = (stake)::bigint)
        WHEN (num_nulls(entry_price, exit_price) > 0) THEN false
        WHEN (status = 'Sold'::trade_status) THEN ((sale_rule IS NOT NULL) AND (sale_ordered_at IS NOT NULL) AND (exit_time > sale_ordered_at) AND ((payout)::bigint > 0) AND ((payout)::bigint < ((stake)::bigint + ((((stake)::bigint * percent) + 50) / 100))))
        WHEN (exit_price = entry_price) THEN ((status = 'Draw'::trade_status) AND ((payout)::bigint = (stake)::bigint))
        WHEN ((exit_price > entry_price) = (side = 'Buy'::trade_side)) THEN ((status = 'Won'::trade_status) AND ((payout)::bigint = ((stake)::bigint + ((((stake)::bigint * percent) + 50) / 100))))
        ELSE ((status = 'Lost'::trade_status) AND ((payout)::bigint = 0))
    END)
END),
  constraint trades_terms CHECK ((((stake)::bigint >= 100) AND ((percent >= 1) AND (percent <= 100)) AND (duration_seconds > 0) AND (end_time = (trade_time + (duration_seconds * (1000)::bigint))) AND ((key IS NULL) = (fingerprint IS NULL)) AND (length(key) <= 255))),
  constraint trades_ticks CHECK ((((num_nulls(entry_price, entry_time, entry_seq) % 3) = 0) AND ((num_nulls(exit_price, exit_time, exit_seq) % 3) = 0) AND (entry_time > trade_time) AND (entry_time <= (trade_time + 10000)) AND (exit_time > entry_time) AND (exit_time <= end_time) AND ((status = 'Sold'::trade_status) OR (exit_time >= (end_time - stale_after_ms)))))
) with (fillfactor=80);
CREATE INDEX trades_by_settled ON public.trades USING brin (settled_at) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX trades_due ON public.trades USING btree (symbol_id, end_time) WHERE (status = 'Pending'::trade_status);
CREATE INDEX trades_history ON public.trades USING btree (account_id, id);
CREATE INDEX trades_paid_out ON public.trades USING btree (settled_at) WHERE ((mode = 'real'::account_mode) AND (status = 'Won'::trade_status));
CREATE INDEX trades_void ON public.trades USING btree (settled_at) WHERE (status = 'Void'::trade_status);
CREATE UNIQUE INDEX trades_key ON public.trades USING btree (((account_id / 2)), key) WHERE (key IS NOT NULL);
CREATE UNIQUE INDEX trades_signal ON public.trades USING btree (account_id, signal) WHERE (signal IS NOT NULL);
CREATE TRIGGER trades_await_frame AFTER INSERT ON public.trades REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION trades_await_frame();
CREATE TRIGGER trades_await_statement AFTER UPDATE ON public.trades REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION trades_await_statement();
CREATE TRIGGER trades_enter_once BEFORE UPDATE ON public.trades FOR EACH ROW WHEN (((old.entry_seq IS NOT NULL) AND (new.entry_seq IS DISTINCT FROM old.entry_seq))) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER trades_keys_are_unused AFTER INSERT ON public.trades REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION trades_keys_are_unused();
CREATE TRIGGER trades_settle_once BEFORE UPDATE ON public.trades FOR EACH ROW WHEN ((old.status <> 'Pending'::trade_status)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER trades_take_reservation BEFORE INSERT ON public.trades FOR EACH ROW WHEN ((new.signal IS NOT NULL)) EXECUTE FUNCTION trades_take_reservation();
CREATE TRIGGER trades_take_waiting_order BEFORE INSERT ON public.trades FOR EACH ROW WHEN (starts_with(new.key, 'waiting:'::text)) EXECUTE FUNCTION trades_take_waiting_order();
grant insert, select on trades to cleartick_app;
grant update (entry_price, entry_seq, entry_time, exit_price, exit_seq, exit_time, outcome_reason, payout, sale_ordered_at, settled_at, status) on trades to cleartick_app;

create table trading_limits (
  only_row boolean not null default true,
  stake_max cents not null default 1000000,
  open_stake_max cents not null default 5000000,
  worst_loss_percent smallint not null default 50,
  constraint trading_limits_pkey PRIMARY KEY (only_row),
  constraint trading_limits_only_row_check CHECK (only_row),
  constraint trading_limits_open_stake_max_check CHECK (((open_stake_max)::bigint >= 100)),
  constraint trading_limits_stake_max_check CHECK (((stake_max)::bigint >= 100)),
  constraint trading_limits_worst_loss CHECK (((worst_loss_percent >= 1) AND (worst_loss_percent <= 100))) NOT VALID
);
CREATE TRIGGER trading_limits_are_kept BEFORE DELETE OR TRUNCATE ON public.trading_limits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER trading_limits_by_two_people BEFORE UPDATE ON public.trading_limits FOR EACH ROW EXECUTE FUNCTION trading_limits_by_two_people();
grant select on trading_limits to cleartick_app;
grant update (open_stake_max, stake_max, worst_loss_percent) on trading_limits to cleartick_app;

create table transfers (
  cause cause not null,
  cause_id bigint not null,
  part smallint not null,
  account_id bigint not null,
  mode account_mode not null,
  debit slot not null,
  credit slot not null,
  amount cents not null,
  account_seq bigint not null,
  balance_after cents not null,
  at timestamp with time zone not null,
  constraint transfers_account_seq UNIQUE (account_id, account_seq),
  constraint transfers_pkey PRIMARY KEY (cause, cause_id, part),
  constraint transfers_positive CHECK ((((amount)::bigint > 0) AND ((balance_after)::bigint >= 0) AND (part > 0)))
);
CREATE INDEX transfers_in_and_out ON public.transfers USING btree (at) WHERE (cause = ANY (ARRAY['deposit_credit'::cause, 'deposit_reversal'::cause, 'deposit_reinstatement'::cause, 'withdraw_paid'::cause]));
CREATE TRIGGER transfers_are_final BEFORE UPDATE ON public.transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_are_kept BEFORE TRUNCATE ON public.transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_leave_archived AFTER DELETE ON public.transfers REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION transfers_leave_archived();
CREATE TRIGGER transfers_move_accounts AFTER INSERT ON public.transfers REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION transfers_move_accounts();
grant insert, select on transfers to cleartick_app;

create table unbound_orders (
  id bigint not null,
  trade_ids bigint[] not null,
  constraint unbound_orders_pkey PRIMARY KEY (id),
  constraint unbound_orders_check CHECK ((id = trade_ids[1]))
);
grant select on unbound_orders to cleartick_app;

create table uncredited_payments (
  payment text not null,
  deposit_id bigint,
  amount cents not null,
  at timestamp with time zone not null default clock_timestamp(),
  closed_by bigint,
  closed_at timestamp with time zone,
  closed_reason text,
  constraint uncredited_payments_pkey PRIMARY KEY (payment),
  constraint uncredited_payments_closed_by_fkey FOREIGN KEY (closed_by) REFERENCES operators(id),
  constraint uncredited_payments_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint uncredited_payments_amount_check CHECK (((amount)::bigint > 0)),
  constraint uncredited_payments_closed_reason_check CHECK (((length(closed_reason) >= 1) AND (length(closed_reason) <= 500))),
  constraint uncredited_payments_closed_whole CHECK ((num_nulls(closed_by, closed_at, closed_reason) = ANY (ARRAY[0, 3]))),
  constraint uncredited_payments_payment_check CHECK (((length(payment) >= 1) AND (length(payment) <= 255)))
);
CREATE INDEX uncredited_payments_closed_by ON public.uncredited_payments USING btree (closed_by) WHERE (closed_by IS NOT NULL);
CREATE INDEX uncredited_payments_of_deposit ON public.uncredited_payments USING btree (deposit_id);
CREATE INDEX uncredited_payments_open ON public.uncredited_payments USING btree (deposit_id) WHERE (closed_at IS NULL);
CREATE TRIGGER uncredited_payments_close_once BEFORE UPDATE ON public.uncredited_payments FOR EACH ROW WHEN ((old.closed_at IS NOT NULL)) EXECUTE FUNCTION uncredited_payments_close_once();
grant select on uncredited_payments to cleartick_app;
grant insert (amount, deposit_id, payment) on uncredited_payments to cleartick_app;
grant update (closed_at, closed_by, closed_reason) on uncredited_payments to cleartick_app;

create table unknown_deposits (
  id bigint generated always as identity not null,
  coin coin,
  reference text not null,
  amount cents not null,
  coins numeric(24,8),
  rate numeric,
  address text,
  arrived_at timestamp with time zone not null default clock_timestamp(),
  recorded_by bigint,
  created_at timestamp with time zone not null default clock_timestamp(),
  deposit_id bigint,
  assigned_by bigint,
  returned_at timestamp with time zone,
  constraint unknown_deposits_deposit_id_key UNIQUE (deposit_id),
  constraint unknown_deposits_pkey PRIMARY KEY (id),
  constraint unknown_deposits_assigned_by_fkey FOREIGN KEY (assigned_by) REFERENCES operators(id),
  constraint unknown_deposits_deposit_id_fkey FOREIGN KEY (deposit_id) REFERENCES deposits(id),
  constraint unknown_deposits_recorded_by_fkey FOREIGN KEY (recorded_by) REFERENCES operators(id),
  constraint unknown_deposits_address_check CHECK (((length(address) >= 1) AND (length(address) <= 128))),
  constraint unknown_deposits_amount_check CHECK (((amount)::bigint > 0)),
  constraint unknown_deposits_assigned CHECK (((deposit_id IS NULL) = (assigned_by IS NULL))),
  constraint unknown_deposits_coins_check CHECK ((coins > (0)::numeric)),
  constraint unknown_deposits_past CHECK ((arrived_at <= created_at)),
  constraint unknown_deposits_rate_check CHECK ((rate > (0)::numeric)),
  constraint unknown_deposits_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 255))),
  constraint unknown_deposits_source CHECK (
CASE
    WHEN (coin IS NULL) THEN (num_nonnulls(coins, rate, address, recorded_by) = 0)
    ELSE ((num_nulls(coins, rate, address, recorded_by) = 0) AND (abs((((coins * rate) * (100)::numeric) - (amount)::numeric)) <= 0.5) AND (reference ~
    CASE coin
        WHEN 'BTC'::coin THEN '^[0-9a-f]{64}$'::text
        ELSE '^0x[0-9a-f]{64}$'::text
    END))
END)
);
CREATE INDEX unknown_deposits_waiting ON public.unknown_deposits USING btree (id) WHERE (returned_at IS NULL);
CREATE UNIQUE INDEX unknown_deposits_once ON public.unknown_deposits USING btree (reference, coin) NULLS NOT DISTINCT;
CREATE TRIGGER unknown_deposits_are_kept BEFORE DELETE OR TRUNCATE ON public.unknown_deposits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER unknown_deposits_change BEFORE UPDATE ON public.unknown_deposits FOR EACH ROW EXECUTE FUNCTION unknown_deposits_change();
grant select on unknown_deposits to cleartick_app;
grant insert (address, amount, arrived_at, coin, coins, rate, recorded_by, reference) on unknown_deposits to cleartick_app;
grant update (assigned_by, deposit_id, returned_at) on unknown_deposits to cleartick_app;

create table unstated_trades (
  trade_id bigint not null,
  account_id bigint not null,
  constraint unstated_trades_pkey PRIMARY KEY (account_id, trade_id)
);
grant select on unstated_trades to cleartick_app;

create table user_locks (
  user_id bigint not null,
  kind lock_kind not null,
  operator_id bigint not null,
  reason text not null,
  at timestamp with time zone not null default clock_timestamp(),
  roles text[] not null default '{}'::text[],
  constraint user_locks_pkey PRIMARY KEY (user_id, kind),
  constraint user_locks_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint user_locks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint user_locks_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);
CREATE TRIGGER user_locks_are_kept BEFORE TRUNCATE ON public.user_locks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER user_locks_are_lifted BEFORE DELETE ON public.user_locks FOR EACH ROW EXECUTE FUNCTION user_locks_are_lifted();
CREATE TRIGGER user_locks_keep_roles BEFORE INSERT ON public.user_locks FOR EACH ROW EXECUTE FUNCTION user_locks_keep_roles();
grant delete, insert, select on user_locks to cleartick_app;

create table users (
  id bigint generated always as identity not null,
  email text not null,
  email_confirmed_at timestamp with time zone,
  password_hash text not null,
  firstname text not null,
  lastname text not null,
  phone text not null default ''::text,
  gender text not null default ''::text,
  date_of_birth date,
  country text not null default ''::text,
  state text not null default ''::text,
  city text not null default ''::text,
  address text not null default ''::text,
  avatar text,
  referral_code text not null,
  referred_by bigint,
  trading_plan trading_plan not null default ''::trading_plan,
  plan_request plan,
  plan_request_status plan_request_status,
  plan_requested_at timestamp with time zone,
  sign_in_locked_at timestamp with time zone,
  sign_in_lock_reason text,
  created_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  guest_until timestamp with time zone,
  constraint users_avatar UNIQUE (avatar),
  constraint users_referral_code UNIQUE (referral_code),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_referred_by_fkey FOREIGN KEY (referred_by) REFERENCES users(id),
  constraint users_address_check CHECK ((length(address) <= 200)),
  constraint users_avatar_name CHECK ((avatar ~ '^[0-9a-f]{40}$'::text)),
  constraint users_city_check CHECK ((length(city) <= 100)),
  constraint users_country_check CHECK ((length(country) <= 100)),
  constraint users_email_check CHECK ((((length(email) >= 3) AND (length(email) <= 254)) AND (email !~ '[[:cntrl:][:space:],:;<>"]'::text))),
  constraint users_firstname_check CHECK (((length(firstname) >= 1) AND (length(firstname) <= 60))),
  constraint users_gender_check CHECK ((gender = ANY (ARRAY[''::text, 'male'::text, 'female'::text, 'others'::text]))),
  constraint users_guest CHECK (((guest_until IS NULL) OR ((email ~~ '%@guest.invalid'::text) AND (email_confirmed_at IS NULL) AND (password_hash = ''::text)))) NOT VALID,
  constraint users_lastname_check CHECK (((length(lastname) >= 1) AND (length(lastname) <= 60))),
  constraint users_phone_check CHECK ((length(phone) <= 32)),
  constraint users_plan_request_whole CHECK ((num_nulls(plan_request, plan_request_status, plan_requested_at) = ANY (ARRAY[0, 3]))),
  constraint users_referral_code_check CHECK ((referral_code ~ '^[A-Z]{8}$'::text)),
  constraint users_state_check CHECK ((length(state) <= 100))
);
CREATE INDEX users_born ON public.users USING btree (date_of_birth) WHERE (date_of_birth IS NOT NULL);
CREATE INDEX users_email_key ON public.users USING btree (email_key_of(email));
CREATE INDEX users_guests ON public.users USING btree (guest_until) WHERE ((guest_until IS NOT NULL) AND (ended_at IS NULL));
CREATE INDEX users_person ON public.users USING btree (lower(firstname), lower(lastname), date_of_birth, id) WHERE (date_of_birth IS NOT NULL);
CREATE INDEX users_phone ON public.users USING btree (phone, id) WHERE (phone <> ''::text);
CREATE UNIQUE INDEX users_open_email ON public.users USING btree (lower(email)) WHERE (ended_at IS NULL);
CREATE TRIGGER closed_accounts_trade_nothing AFTER UPDATE OF ended_at ON public.users FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL) AND ((new.email_confirmed_at IS NOT NULL) OR (new.guest_until IS NOT NULL)))) EXECUTE FUNCTION closed_accounts_trade_nothing();
CREATE TRIGGER locks_take_effect BEFORE UPDATE OF sign_in_locked_at ON public.users FOR EACH ROW WHEN (((old.sign_in_locked_at IS NOT NULL) AND (new.sign_in_locked_at IS NULL))) EXECUTE FUNCTION locks_take_effect();
CREATE TRIGGER users_change_email BEFORE UPDATE OF email ON public.users FOR EACH ROW WHEN (((old.email_confirmed_at IS NOT NULL) AND (new.email <> old.email))) EXECUTE FUNCTION users_change_email();
CREATE TRIGGER users_close BEFORE UPDATE OF ended_at ON public.users FOR EACH ROW WHEN (((old.email_confirmed_at IS NOT NULL) AND (old.ended_at IS DISTINCT FROM new.ended_at))) EXECUTE FUNCTION users_close();
grant insert, select, update on users to cleartick_app;

create table venue_switches (
  id bigint not null default nextval('proposals_id_seq'::regclass),
  venue text not null,
  is_out boolean not null,
  reason text,
  switched_by bigint,
  switched_at timestamp with time zone not null default clock_timestamp(),
  effective_from bigint,
  constraint venue_switches_pkey PRIMARY KEY (id),
  constraint venue_switches_proposed_by_fkey FOREIGN KEY (switched_by) REFERENCES operators(id),
  constraint venue_switches_by CHECK (((switched_by IS NULL) = (reason IS NULL))),
  constraint venue_switches_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint venue_switches_venue_check CHECK ((venue ~ '^[a-z][a-z0-9]{0,31}$'::text))
);
CREATE INDEX venue_switches_newest ON public.venue_switches USING btree (venue, id DESC);
CREATE TRIGGER venue_switches_are_final BEFORE DELETE OR UPDATE OR TRUNCATE ON public.venue_switches FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER venue_switches_follow_approval BEFORE INSERT ON public.venue_switches FOR EACH ROW EXECUTE FUNCTION venue_switches_follow_approval();
grant insert, select on venue_switches to cleartick_app;

create table waiting_head (
  judged_ms bigint not null
);
CREATE UNIQUE INDEX waiting_head_one ON public.waiting_head USING btree ((true));
grant select, update on waiting_head to cleartick_app;

create table waiting_orders (
  id bigint generated always as identity not null,
  account_id bigint not null,
  slot smallint,
  symbol_id smallint not null,
  side trade_side not null,
  strike_rate strike_rate not null,
  stake cents not null,
  duration_seconds integer not null,
  condition waiting_condition not null,
  level bigint,
  at_ms bigint,
  valid_until_ms bigint,
  base_price bigint not null,
  base_seq bigint not null,
  base_ms bigint not null,
  arming integer not null default 1,
  created_at timestamp with time zone not null default clock_timestamp(),
  changed xid8 not null default pg_current_xact_id(),
  status waiting_status not null default 'Waiting'::waiting_status,
  trigger_price bigint,
  trigger_seq bigint,
  trigger_ms bigint,
  trade_id bigint,
  reason text,
  ended_at timestamp with time zone,
  notice_id bigint,
  constraint waiting_orders_slot UNIQUE (account_id, slot),
  constraint waiting_orders_trade UNIQUE (account_id, trade_id),
  constraint waiting_orders_pkey PRIMARY KEY (account_id, id),
  constraint waiting_orders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint waiting_orders_symbol_id_fkey FOREIGN KEY (symbol_id) REFERENCES instruments(id),
  constraint waiting_orders_base_price_check CHECK ((base_price > 0)),
  constraint waiting_orders_by_its_terms CHECK (((trigger_seq IS NULL) OR ((trigger_seq > base_seq) AND (trigger_ms <= COALESCE(valid_until_ms, trigger_ms)) AND
CASE condition
    WHEN 'at_or_above'::waiting_condition THEN (trigger_price >= level)
    WHEN 'at_or_below'::waiting_condition THEN (trigger_price <= level)
    ELSE (trigger_ms >= at_ms)
END))),
  constraint waiting_orders_duration_seconds_check CHECK ((duration_seconds > 0)),
  constraint waiting_orders_level_check CHECK ((level > 0)),
  constraint waiting_orders_open CHECK ((((num_nonnulls(slot) + num_nonnulls(ended_at)) = 1) AND ((status = ANY (ARRAY['Waiting'::waiting_status, 'Triggered'::waiting_status])) = (ended_at IS NULL)))),
  constraint waiting_orders_outcome CHECK ((((status = 'Traded'::waiting_status) = (trade_id IS NOT NULL)) AND ((status = 'Refused'::waiting_status) = (reason IS NOT NULL)))),
  constraint waiting_orders_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint waiting_orders_slot_check CHECK (((slot >= 1) AND (slot <= 20))),
  constraint waiting_orders_stake_check CHECK (((stake)::bigint >= 100)),
  constraint waiting_orders_terms CHECK (
CASE condition
    WHEN 'at_time'::waiting_condition THEN ((level IS NULL) AND (num_nonnulls(at_ms, valid_until_ms) = 2))
    ELSE ((level IS NOT NULL) AND (at_ms IS NULL))
END),
  constraint waiting_orders_triggered CHECK ((num_nonnulls(trigger_price, trigger_seq, trigger_ms) =
CASE
    WHEN (status = ANY (ARRAY['Waiting'::waiting_status, 'Expired'::waiting_status])) THEN 0
    ELSE 3
END))
);
CREATE INDEX waiting_orders_armed ON public.waiting_orders USING btree (changed) WHERE (status = 'Waiting'::waiting_status);
CREATE INDEX waiting_orders_due ON public.waiting_orders USING btree (valid_until_ms) WHERE (status = 'Waiting'::waiting_status);
CREATE INDEX waiting_orders_triggered ON public.waiting_orders USING btree (trigger_ms) WHERE (status = 'Triggered'::waiting_status);
CREATE INDEX waiting_orders_unnoticed ON public.waiting_orders USING btree (ended_at) WHERE ((ended_at IS NOT NULL) AND (notice_id IS NULL));
CREATE TRIGGER waiting_orders_change BEFORE DELETE OR UPDATE ON public.waiting_orders FOR EACH ROW EXECUTE FUNCTION waiting_orders_change();
grant delete, select on waiting_orders to cleartick_app;
grant insert (account_id, at_ms, base_ms, base_price, base_seq, condition, duration_seconds, level, side, slot, stake, strike_rate, symbol_id, valid_until_ms) on waiting_orders to cleartick_app;
grant update (arming, base_ms, base_price, base_seq, changed, ended_at, level, notice_id, reason, slot, status, trigger_ms, trigger_price, trigger_seq) on waiting_orders to cleartick_app;

create table waiting_proof_keys (
  id text not null,
  public_key bytea not null,
  seen_at timestamp with time zone not null default clock_timestamp(),
  constraint waiting_proof_keys_public_key_key UNIQUE (public_key),
  constraint waiting_proof_keys_pkey PRIMARY KEY (id),
  constraint waiting_proof_keys_check CHECK ((id = "left"(encode(sha256(public_key), 'hex'::text), 32))),
  constraint waiting_proof_keys_public_key_check CHECK ((octet_length(public_key) = 32))
);
CREATE TRIGGER waiting_proof_keys_are_kept BEFORE DELETE OR UPDATE OR TRUNCATE ON public.waiting_proof_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant select on waiting_proof_keys to cleartick_app;
grant insert (id, public_key) on waiting_proof_keys to cleartick_app;

create table withdrawal_approvals (
  withdrawal_id bigint not null,
  operator_id bigint not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint withdrawal_approvals_pkey PRIMARY KEY (withdrawal_id, operator_id),
  constraint withdrawal_approvals_operator FOREIGN KEY (operator_id) REFERENCES operators(id),
  constraint withdrawal_approvals_withdrawal_id_fkey FOREIGN KEY (withdrawal_id) REFERENCES withdrawals(id)
);
CREATE INDEX withdrawal_approvals_of_operator ON public.withdrawal_approvals USING btree (operator_id, at);
CREATE TRIGGER withdrawal_approvals_are_final BEFORE UPDATE ON public.withdrawal_approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER withdrawal_approvals_are_kept BEFORE TRUNCATE ON public.withdrawal_approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER withdrawal_approvals_not_of_own_items BEFORE INSERT ON public.withdrawal_approvals FOR EACH ROW EXECUTE FUNCTION approvals_not_of_own_items();
CREATE TRIGGER withdrawal_approvals_revoked_while_pending BEFORE DELETE ON public.withdrawal_approvals FOR EACH ROW EXECUTE FUNCTION approvals_revoked_while_pending();
CREATE TRIGGER withdrawal_approvals_two_people AFTER INSERT ON public.withdrawal_approvals FOR EACH ROW EXECUTE FUNCTION approvals_are_by_two_people();
CREATE TRIGGER withdrawal_approvals_while_pending BEFORE INSERT ON public.withdrawal_approvals FOR EACH ROW EXECUTE FUNCTION withdrawal_approvals_while_pending();
grant delete, insert, select on withdrawal_approvals to cleartick_app;

create table withdrawal_pauses (
  id bigint generated always as identity not null,
  user_id bigint not null,
  cause text not null,
  started_at timestamp with time zone not null default clock_timestamp(),
  until timestamp with time zone,
  reset_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint withdrawal_pauses_pkey PRIMARY KEY (id),
  constraint withdrawal_pauses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint withdrawal_pauses_cause_check CHECK ((cause = ANY (ARRAY['email_changed'::text, 'disowned'::text]))),
  constraint withdrawal_pauses_end CHECK (((ended_at IS NULL) OR (reset_at IS NOT NULL))),
  constraint withdrawal_pauses_reset CHECK (((reset_at IS NULL) OR (until IS NULL))),
  constraint withdrawal_pauses_until CHECK (((cause = 'disowned'::text) = (until IS NULL)))
);
CREATE INDEX withdrawal_pauses_of_user ON public.withdrawal_pauses USING btree (user_id, started_at);
CREATE TRIGGER withdrawal_pauses_are_kept BEFORE DELETE OR TRUNCATE ON public.withdrawal_pauses FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER withdrawal_pauses_change BEFORE INSERT OR UPDATE ON public.withdrawal_pauses FOR EACH ROW EXECUTE FUNCTION withdrawal_pauses_change();
grant select on withdrawal_pauses to cleartick_app;
grant insert (cause, user_id) on withdrawal_pauses to cleartick_app;
grant update (ended_at, reset_at) on withdrawal_pauses to cleartick_app;

create table withdrawals (
  id bigint not null,
  user_id bigint not null,
  method withdrawal_method not null,
  coin coin,
  wallet text,
  bank_name text,
  bank_type bank_account_type,
  bank_ending text,
  bank_sealed bytea,
  bank_fingerprint bytea,
  amount cents not null,
  status withdrawal_status not null default 'Pending'::withdrawal_status,
  reason text,
  reference text,
  created_at timestamp with time zone not null default clock_timestamp(),
  processing_at timestamp with time zone,
  ended_at timestamp with time zone,
  coin_amount numeric(24,8),
  rate numeric,
  rate_at timestamp with time zone,
  rate_source price_source,
  payout_id bigint,
  address_id bigint,
  constraint withdrawals_are_moved TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint withdrawals_pkey PRIMARY KEY (id),
  constraint withdrawals_address FOREIGN KEY (address_id) REFERENCES payout_addresses(id) NOT VALID,
  constraint withdrawals_transaction FOREIGN KEY (coin, reference, payout_id) REFERENCES coin_transactions(coin, transaction_id, payout_id) NOT VALID,
  constraint withdrawals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint withdrawals_amount_check CHECK (((amount)::bigint >= 100)),
  constraint withdrawals_bank_ending_check CHECK (((length(bank_ending) >= 1) AND (length(bank_ending) <= 4))),
  constraint withdrawals_bank_fingerprint_check CHECK ((length(bank_fingerprint) = 32)),
  constraint withdrawals_bank_name_check CHECK (((length(bank_name) >= 1) AND (length(bank_name) <= 100))),
  constraint withdrawals_method CHECK (
CASE method
    WHEN 'crypto'::withdrawal_method THEN ((num_nulls(coin, wallet) = 0) AND (num_nonnulls(bank_name, bank_type, bank_ending, bank_sealed, bank_fingerprint) = 0))
    ELSE ((num_nonnulls(coin, wallet) = 0) AND (num_nulls(bank_name, bank_type, bank_ending, bank_sealed, bank_fingerprint) = 0))
END),
  constraint withdrawals_outcome CHECK ((((status = ANY (ARRAY['Pending'::withdrawal_status, 'Processing'::withdrawal_status])) = (ended_at IS NULL)) AND ((status = 'Rejected'::withdrawal_status) = (reason IS NOT NULL)) AND ((status = 'Paid'::withdrawal_status) = (reference IS NOT NULL)) AND ((status <> ALL (ARRAY['Processing'::withdrawal_status, 'Paid'::withdrawal_status])) OR (processing_at IS NOT NULL)) AND ((status <> ALL (ARRAY['Pending'::withdrawal_status, 'Cancelled'::withdrawal_status])) OR (processing_at IS NULL)))),
  constraint withdrawals_payout CHECK (
CASE
    WHEN ((status = 'Paid'::withdrawal_status) AND (coin IS NOT NULL)) THEN ((payout_id IS NOT NULL) AND (rate IS NOT NULL))
    ELSE (payout_id IS NULL)
END) NOT VALID,
  constraint withdrawals_rate CHECK (((num_nulls(coin_amount, rate, rate_at) = ANY (ARRAY[0, 3])) AND ((rate IS NULL) OR ((coin IS NOT NULL) AND (rate > (0)::numeric) AND (coin_amount > (0)::numeric) AND (abs((((coin_amount * rate) * (100)::numeric) - (amount)::numeric)) <= (rate / (1000000)::numeric)))))) NOT VALID,
  constraint withdrawals_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  constraint withdrawals_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 255))),
  constraint withdrawals_wallet_check CHECK (((length(wallet) >= 1) AND (length(wallet) <= 128)))
);
CREATE INDEX withdrawals_bank_fingerprint ON public.withdrawals USING btree (bank_fingerprint, id) WHERE (bank_fingerprint IS NOT NULL);
CREATE INDEX withdrawals_by_status ON public.withdrawals USING btree (status, id);
CREATE INDEX withdrawals_of_user ON public.withdrawals USING btree (user_id, id);
CREATE INDEX withdrawals_paid ON public.withdrawals USING btree (ended_at) WHERE (status = 'Paid'::withdrawal_status);
CREATE INDEX withdrawals_wallet ON public.withdrawals USING btree (lower(wallet), id) WHERE (wallet IS NOT NULL);
CREATE CONSTRAINT TRIGGER withdrawals_are_moved AFTER INSERT OR UPDATE ON public.withdrawals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION withdrawals_are_moved();
CREATE TRIGGER withdrawals_change_status BEFORE INSERT OR UPDATE ON public.withdrawals FOR EACH ROW EXECUTE FUNCTION withdrawals_change_status();
CREATE TRIGGER withdrawals_follow_the_book BEFORE INSERT ON public.withdrawals FOR EACH ROW EXECUTE FUNCTION withdrawals_follow_the_book();
CREATE TRIGGER withdrawals_stay_in_their_batch BEFORE UPDATE ON public.withdrawals FOR EACH ROW WHEN ((old.status = 'Processing'::withdrawal_status)) EXECUTE FUNCTION withdrawals_stay_in_their_batch();
CREATE TRIGGER withdrawals_wait_for_debts BEFORE INSERT OR UPDATE ON public.withdrawals FOR EACH ROW WHEN ((new.status = ANY (ARRAY['Pending'::withdrawal_status, 'Processing'::withdrawal_status, 'Paid'::withdrawal_status]))) EXECUTE FUNCTION withdrawals_wait_for_debts();
CREATE TRIGGER withdrawals_wait_for_owner BEFORE INSERT OR UPDATE ON public.withdrawals FOR EACH ROW WHEN ((new.status = ANY (ARRAY['Pending'::withdrawal_status, 'Processing'::withdrawal_status, 'Paid'::withdrawal_status]))) EXECUTE FUNCTION withdrawals_wait_for_owner();
CREATE TRIGGER withdrawals_wait_for_reconciliation BEFORE UPDATE OF status ON public.withdrawals FOR EACH ROW WHEN (((old.status <> new.status) AND (new.status = ANY (ARRAY['Processing'::withdrawal_status, 'Paid'::withdrawal_status])))) EXECUTE FUNCTION withdrawals_wait_for_reconciliation();
grant insert, select on withdrawals to cleartick_app;
grant update (coin_amount, ended_at, payout_id, processing_at, rate, rate_at, rate_source, reason, reference, status) on withdrawals to cleartick_app;
