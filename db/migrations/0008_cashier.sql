-- Up Migration
-- Money in and money out: requests, approvals, and the status changes that each may take once.

create type coin as enum ('BTC', 'ETH');
create type deposit_method as enum ('crypto', 'card');
create type deposit_status as enum ('Pending', 'Approved', 'Rejected');
create type card_effect as enum ('taken', 'returned');
create type withdrawal_method as enum ('crypto', 'bank');
create type withdrawal_status as enum ('Pending', 'Processing', 'Paid', 'Rejected', 'Cancelled');
create type bank_account_type as enum ('Checking', 'Savings');

-- What the operator sets. One row. Amounts above a threshold take two people.
create table cashier_settings (
  only_row boolean primary key default true check (only_row),
  deposit_two_person_above cents not null default 100000 check (deposit_two_person_above >= 0),
  withdrawal_two_person_above cents not null default 100000 check (withdrawal_two_person_above >= 0),
  withdrawals_need_identity boolean not null default true,
  -- Where coins are sent: one address for everyone, or an extended public key that yields one per user.
  btc_address text check (length(btc_address) <= 128),
  btc_extended_key text check (btc_extended_key ~ '^[xyz]pub[1-9A-HJ-NP-Za-km-z]{100,112}$'),
  eth_address text check (eth_address ~ '^0x[0-9a-fA-F]{40}$'),
  eth_extended_key text check (eth_extended_key ~ '^xpub[1-9A-HJ-NP-Za-km-z]{100,112}$'),
  constraint cashier_settings_one_way check (num_nonnulls(btc_address, btc_extended_key) <= 1 and num_nonnulls(eth_address, eth_extended_key) <= 1)
);
insert into cashier_settings default values;
grant select, update on cashier_settings to cleartick_app;

-- Deposits.
create table deposits (
  id bigint primary key,
  user_id bigint not null references users,
  method deposit_method not null,
  coin coin,
  -- What the trader submitted, and the amount in coins at the tape's price.
  submitted cents not null check (submitted >= 100),
  coin_amount numeric(24, 8) check (coin_amount >= 0),
  rate numeric check (rate > 0),
  -- Where the trader was asked to send the coins.
  address text check (length(address) between 1 and 128),
  -- Name in the private file storage, and the sha256 of the upload, which finds the same file again.
  receipt text unique check (receipt ~ '^[0-9a-f]{40}$'),
  receipt_hash bytea check (length(receipt_hash) = 32),
  -- The card provider's id of the payment.
  provider_reference text unique check (length(provider_reference) between 1 and 255),
  status deposit_status not null default 'Pending',
  credited cents check (credited > 0),
  reversed cents not null default 0,
  reason text check (length(reason) between 1 and 500),
  created_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  -- The card provider's id of the checkout, and when it was found closed.
  checkout text check (length(checkout) between 1 and 255),
  checkout_closed_at timestamptz,
  -- sha256 of the re-encoded picture: finds the same picture with other bytes.
  picture_hash bytea check (length(picture_hash) = 32),
  -- Where the rate came from; a simulated one stays marked as such.
  rate_source price_source,
  constraint deposits_method check (
    case method
      when 'crypto' then num_nulls(coin, coin_amount, rate, address, receipt, receipt_hash) = 0 and provider_reference is null
      else num_nonnulls(coin, coin_amount, rate, address, receipt, receipt_hash) = 0
    end
  ),
  constraint deposits_outcome check (
    (status = 'Pending') = (decided_at is null)
    and (status = 'Approved') = (credited is not null)
    and (status = 'Rejected') = (reason is not null)
    and (method = 'crypto' or status <> 'Approved' or provider_reference is not null)
  ),
  constraint deposits_reversed check (reversed between 0 and coalesce(credited, 0)),
  -- A card deposit is rejected only once its checkout is closed, so that nobody pays for a rejected deposit.
  constraint deposits_checkout_closed check (method = 'crypto' or status <> 'Rejected' or checkout_closed_at is not null)
);
comment on column deposits.credited is 'The amount that arrived, as the operators entered them or the card provider reported them';
comment on column deposits.reversed is 'What refunds and disputes took back, less what was reinstated';
create index deposits_of_user on deposits (user_id, id);
create index deposits_by_status on deposits (status, id);
create index deposits_receipt_hash on deposits (receipt_hash, id) where receipt_hash is not null;
create index deposits_picture_hash on deposits (picture_hash, id) where picture_hash is not null;

create table deposit_approvals (
  deposit_id bigint not null references deposits,
  operator_id bigint not null,
  -- What this operator saw arrive.
  amount cents not null check (amount > 0),
  at timestamptz not null default clock_timestamp(),
  primary key (deposit_id, operator_id)
);
-- An approval is never changed. Its operator may revoke it while the deposit is pending.
create trigger deposit_approvals_are_final before update on deposit_approvals for each statement execute function refuse_change();
create trigger deposit_approvals_are_kept before truncate on deposit_approvals for each statement execute function refuse_change();

-- Money reversed by a refund or dispute; the id is the cause of the ledger's movement. Final.
create table deposit_reversals (
  id bigint primary key,
  deposit_id bigint not null references deposits,
  amount cents not null check (amount > 0),
  -- The card provider's id of the event, or the operators' reference: each counts once.
  reference text not null unique check (length(reference) between 1 and 255),
  at timestamptz not null default clock_timestamp()
);
create index deposit_reversals_of_deposit on deposit_reversals (deposit_id);
create trigger deposit_reversals_are_final before update or delete on deposit_reversals for each statement execute function refuse_change();
create trigger deposit_reversals_are_kept before truncate on deposit_reversals for each statement execute function refuse_change();

-- Money of a reversal that was returned: a refund that failed, or a dispute that was won.
create table deposit_reinstatements (
  id bigint primary key,
  deposit_id bigint not null references deposits,
  amount cents not null check (amount > 0),
  -- The event that caused it.
  reference text not null unique check (length(reference) between 1 and 255),
  at timestamptz not null default clock_timestamp()
);
create index deposit_reinstatements_of_deposit on deposit_reinstatements (deposit_id);
create trigger deposit_reinstatements_are_final before update or delete on deposit_reinstatements
  for each statement execute function refuse_change();
create trigger deposit_reinstatements_are_kept before truncate on deposit_reinstatements
  for each statement execute function refuse_change();

-- Signed events of the card provider; each is handled once. They are the record from which the reversals of a deposit
-- follow, in whatever order they arrive: an event about a payment that isn't credited yet counts once it is.
create table card_events (
  id text primary key check (length(id) between 1 and 255),
  kind text not null check (length(kind) <= 100),
  deposit_id bigint references deposits,
  at timestamptz not null default clock_timestamp(),
  payment text check (length(payment) between 1 and 255),
  -- The refund or dispute, its amount, and whether its money was taken or returned.
  reference text check (length(reference) between 1 and 255),
  amount cents check (amount > 0),
  effect card_effect,
  constraint card_events_effect check (num_nulls(reference, amount, effect) in (0, 3) and (effect is null or payment is not null))
);
create index card_events_of_deposit on card_events (deposit_id) where deposit_id is not null;
create index card_events_of_payment on card_events (payment) where effect is not null;
create trigger card_events_are_final before update or delete on card_events for each statement execute function refuse_change();

-- Requires a pending deposit, and the same amount as the other approvals of it.
create function deposit_approvals_match() returns trigger language plpgsql as $$
begin
  perform from deposits where id = new.deposit_id and status = 'Pending' and method = 'crypto' for no key update;
  if not found then
    raise exception 'deposit % is not pending', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  if exists (select from deposit_approvals where deposit_id = new.deposit_id and amount <> new.amount) then
    raise exception 'deposit % was approved with another amount', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger deposit_approvals_match before insert on deposit_approvals for each row execute function deposit_approvals_match();

-- By the commit an approved deposit is credited exactly, and its reversals have their rows and movements.
create function deposits_are_moved() returns trigger language plpgsql as $$
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
$$;
create constraint trigger deposits_are_moved after update on deposits deferrable initially deferred
  for each row execute function deposits_are_moved();

grant select, insert on deposits to cleartick_app;
grant update (status, credited, reversed, reason, decided_at, provider_reference) on deposits to cleartick_app;
grant update (checkout, checkout_closed_at) on deposits to cleartick_app;
grant select, insert on deposit_approvals to cleartick_app;
grant select, insert on deposit_reversals to cleartick_app;
grant select, insert on deposit_reinstatements to cleartick_app;
grant select, insert on card_events to cleartick_app;

-- Withdrawals.
create table withdrawals (
  id bigint primary key,
  user_id bigint not null references users,
  method withdrawal_method not null,
  coin coin,
  wallet text check (length(wallet) between 1 and 128),
  bank_name text check (length(bank_name) between 1 and 100),
  bank_type bank_account_type,
  -- The last characters of the account number. The numbers are encrypted; their fingerprint finds the same account again.
  bank_ending text check (length(bank_ending) between 1 and 4),
  bank_sealed bytea,
  bank_fingerprint bytea check (length(bank_fingerprint) = 32),
  amount cents not null check (amount >= 100),
  status withdrawal_status not null default 'Pending',
  reason text check (length(reason) between 1 and 500),
  reference text check (length(reference) between 1 and 255),
  created_at timestamptz not null default clock_timestamp(),
  processing_at timestamptz,
  ended_at timestamptz,
  constraint withdrawals_method check (
    case method
      when 'crypto' then num_nulls(coin, wallet) = 0 and num_nonnulls(bank_name, bank_type, bank_ending, bank_sealed, bank_fingerprint) = 0
      else num_nonnulls(coin, wallet) = 0 and num_nulls(bank_name, bank_type, bank_ending, bank_sealed, bank_fingerprint) = 0
    end
  ),
  constraint withdrawals_outcome check (
    (status in ('Pending', 'Processing')) = (ended_at is null)
    and (status = 'Rejected') = (reason is not null)
    and (status = 'Paid') = (reference is not null)
    and (status not in ('Processing', 'Paid') or processing_at is not null)
    and (status not in ('Pending', 'Cancelled') or processing_at is null)
  )
);
create index withdrawals_of_user on withdrawals (user_id, id);
create index withdrawals_by_status on withdrawals (status, id);
-- With the id: the first withdrawal to a wallet (which may be an exchange's, with 100,000 of them) is found at once.
create index withdrawals_wallet on withdrawals (lower(wallet), id) where wallet is not null;
create index withdrawals_bank_fingerprint on withdrawals (bank_fingerprint, id) where bank_fingerprint is not null;

create table withdrawal_approvals (
  withdrawal_id bigint not null references withdrawals,
  operator_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  primary key (withdrawal_id, operator_id)
);
create trigger withdrawal_approvals_are_final before update on withdrawal_approvals for each statement execute function refuse_change();
create trigger withdrawal_approvals_are_kept before truncate on withdrawal_approvals for each statement execute function refuse_change();

create function withdrawal_approvals_while_pending() returns trigger language plpgsql as $$
begin
  perform from withdrawals where id = new.withdrawal_id and status = 'Pending' for no key update;
  if not found then
    raise exception 'withdrawal % is not pending', new.withdrawal_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger withdrawal_approvals_while_pending before insert on withdrawal_approvals
  for each row execute function withdrawal_approvals_while_pending();

-- By the commit the money is where the status says: on hold, paid out, or back in the balance.
create function withdrawals_are_moved() returns trigger language plpgsql as $$
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
$$;
create constraint trigger withdrawals_are_moved after insert or update on withdrawals deferrable initially deferred
  for each row execute function withdrawals_are_moved();

-- No withdrawal of a debtor is requested, approved or paid. The account is locked first, so no reversal runs meanwhile.
create function withdrawals_wait_for_debts() returns trigger language plpgsql as $$
declare
  debt bigint;
begin
  select owed into debt from accounts where id = new.user_id * 2 for no key update;
  if debt < 0 then
    raise exception 'the owner of withdrawal % owes money', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger withdrawals_wait_for_debts before insert or update on withdrawals
  for each row when (new.status in ('Pending', 'Processing', 'Paid')) execute function withdrawals_wait_for_debts();

grant select, insert on withdrawals to cleartick_app;
grant update (status, reason, reference, processing_at, ended_at) on withdrawals to cleartick_app;
grant select, insert on withdrawal_approvals to cleartick_app;

-- Four eyes.
--
-- What one operator approved alone for one trader in the last 24 hours, cents: small parts add up to the threshold.
create function approved_alone(approver bigint, trader bigint) returns bigint language sql stable as $$
  select coalesce(sum(amount), 0)::bigint from (
    select d.credited as amount from deposits d join deposit_approvals p on p.deposit_id = d.id and p.operator_id = approver
    where d.user_id = trader and d.status = 'Approved' and p.at > clock_timestamp() - interval '24 hours'
      and not exists (select from deposit_approvals o where o.deposit_id = d.id and o.operator_id <> approver)
    union all
    select w.amount from withdrawals w join withdrawal_approvals p on p.withdrawal_id = w.id and p.operator_id = approver
    where w.user_id = trader and w.status in ('Processing', 'Paid') and p.at > clock_timestamp() - interval '24 hours'
      and not exists (select from withdrawal_approvals o where o.withdrawal_id = w.id and o.operator_id <> approver)
  ) alone
$$;

-- Status changes of a deposit; above the threshold two operators have named the amount that is credited.
create function deposits_change_status() returns trigger language plpgsql as $$
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
    if approvers is null or cardinality(approvers) = 1 and new.credited + approved_alone(approvers[1], new.user_id)
      > (select deposit_two_person_above from cashier_settings) then
      raise exception 'deposit % lacks an approval', new.id using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return new;
end
$$;
create trigger deposits_change_status before insert or update on deposits for each row execute function deposits_change_status();

-- Status changes of a withdrawal; above the threshold two operators have approved it.
create function withdrawals_change_status() returns trigger language plpgsql as $$
declare
  approvers bigint[];
begin
  if tg_op = 'INSERT' then
    if new.status <> 'Pending' then
      raise exception 'withdrawal % does not begin as Pending', new.id using errcode = 'integrity_constraint_violation';
    end if;
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
create trigger withdrawals_change_status before insert or update on withdrawals for each row execute function withdrawals_change_status();

-- An approval is revoked only while its item is pending. Who gave and who revoked it is in the audit log.
create function approvals_revoked_while_pending() returns trigger language plpgsql as $$
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
$$;
create trigger deposit_approvals_revoked_while_pending before delete on deposit_approvals
  for each row execute function approvals_revoked_while_pending();
create trigger withdrawal_approvals_revoked_while_pending before delete on withdrawal_approvals
  for each row execute function approvals_revoked_while_pending();
grant delete on deposit_approvals, withdrawal_approvals to cleartick_app;
