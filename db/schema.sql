-- Made by `npm run db:dump` from db/migrations; do not edit.

create type book as enum ('real', 'demo');

create type cause as enum ('trade_open', 'trade_settle', 'deposit_credit', 'withdraw_hold', 'withdraw_paid', 'withdraw_release', 'plan_charge', 'adjust', 'deposit_reversal', 'demo_grant');

create type slot as enum ('balance', 'escrow', 'hold', 'owed', 'house', 'external_in', 'external_out', 'mint');

CREATE OR REPLACE FUNCTION public.accounts_begin_empty()
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

CREATE OR REPLACE FUNCTION public.accounts_follow_transfers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  broken bigint;
begin
  select n.id into broken
  from changed_to n
  join changed_from o on o.id = n.id
  left join lateral (
    select count(*) as parts,
      coalesce(sum(case when t.credit = 'balance' then t.amount when t.debit = 'balance' then -t.amount else 0 end), 0) as balance,
      coalesce(sum(case when t.credit = 'escrow' then t.amount when t.debit = 'escrow' then -t.amount else 0 end), 0) as escrow,
      coalesce(sum(case when t.credit = 'hold' then t.amount when t.debit = 'hold' then -t.amount else 0 end), 0) as hold,
      coalesce(sum(case when t.credit = 'owed' then t.amount when t.debit = 'owed' then -t.amount else 0 end), 0) as owed
    from transfers t where t.account_id = n.id and t.account_seq > o.seq and t.account_seq <= n.seq
  ) m on true
  where m.parts <> n.seq - o.seq or m.balance <> n.balance - o.balance or m.escrow <> n.escrow - o.escrow
    or m.hold <> n.hold - o.hold or m.owed <> n.owed - o.owed or n.user_id <> o.user_id or n.book <> o.book
  limit 1;
  if found then
    raise exception 'account % changes by something else than its movements', broken using errcode = 'integrity_constraint_violation';
  end if;
  return null;
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

create table accounts (
  id bigint not null,
  user_id bigint not null,
  book book not null,
  balance bigint not null default 0,
  escrow bigint not null default 0,
  hold bigint not null default 0,
  owed bigint not null default 0,
  seq bigint not null default 0,
  last_at timestamp with time zone not null default clock_timestamp(),
  constraint accounts_id_book UNIQUE (id, book),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_demo_has_no_requests CHECK (((book = 'real'::book) OR ((hold = 0) AND (owed = 0)))),
  constraint accounts_id_names_user_and_book CHECK ((id = ((user_id * 2) +
CASE book
    WHEN 'demo'::book THEN 1
    ELSE 0
END))),
  constraint accounts_never_below_zero CHECK (((balance >= 0) AND (escrow >= 0) AND (hold >= 0))),
  constraint accounts_owed_is_a_debt CHECK ((owed <= 0))
) with (fillfactor=60);
CREATE TRIGGER accounts_begin_empty BEFORE INSERT ON public.accounts FOR EACH ROW EXECUTE FUNCTION accounts_begin_empty();
CREATE TRIGGER accounts_follow_transfers AFTER UPDATE ON public.accounts REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed_to FOR EACH STATEMENT EXECUTE FUNCTION accounts_follow_transfers();
grant insert, select on accounts to cleartick_app;

create table transfers (
  cause cause not null,
  cause_id bigint not null,
  part smallint not null,
  account_id bigint not null,
  book book not null,
  debit slot not null,
  credit slot not null,
  amount bigint not null,
  account_seq bigint not null,
  balance_after bigint not null,
  at timestamp with time zone not null,
  constraint transfers_account_seq UNIQUE (account_id, account_seq),
  constraint transfers_pkey PRIMARY KEY (cause, cause_id, part),
  constraint transfers_one_book FOREIGN KEY (account_id, book) REFERENCES accounts(id, book),
  constraint transfers_demo_is_play CHECK ((((book = 'demo'::book) = ((debit = 'mint'::slot) OR (credit = 'mint'::slot))) OR (cause = ANY (ARRAY['trade_open'::cause, 'trade_settle'::cause, 'adjust'::cause])))),
  constraint transfers_positive CHECK (((amount > 0) AND (balance_after >= 0) AND (part > 0))),
  constraint transfers_published_ways CHECK (((((((((((((((((((cause = 'trade_open'::cause) AND (debit = 'balance'::slot) AND (credit = 'escrow'::slot)) OR ((cause = 'trade_settle'::cause) AND (debit = 'escrow'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'trade_settle'::cause) AND (debit = 'house'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'trade_settle'::cause) AND (debit = 'escrow'::slot) AND (credit = 'house'::slot))) OR ((cause = 'deposit_credit'::cause) AND (debit = 'external_in'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'deposit_credit'::cause) AND (debit = 'external_in'::slot) AND (credit = 'owed'::slot))) OR ((cause = 'deposit_reversal'::cause) AND (debit = 'balance'::slot) AND (credit = 'external_in'::slot))) OR ((cause = 'deposit_reversal'::cause) AND (debit = 'owed'::slot) AND (credit = 'external_in'::slot))) OR ((cause = 'withdraw_hold'::cause) AND (debit = 'balance'::slot) AND (credit = 'hold'::slot))) OR ((cause = 'withdraw_release'::cause) AND (debit = 'hold'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'withdraw_paid'::cause) AND (debit = 'hold'::slot) AND (credit = 'external_out'::slot))) OR ((cause = 'plan_charge'::cause) AND (debit = 'balance'::slot) AND (credit = 'house'::slot))) OR ((cause = 'adjust'::cause) AND (debit = 'house'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'adjust'::cause) AND (debit = 'balance'::slot) AND (credit = 'house'::slot))) OR ((cause = 'adjust'::cause) AND (debit = 'house'::slot) AND (credit = 'owed'::slot))) OR ((cause = 'demo_grant'::cause) AND (debit = 'mint'::slot) AND (credit = 'balance'::slot))) OR ((cause = 'demo_grant'::cause) AND (debit = 'balance'::slot) AND (credit = 'mint'::slot))))
);
CREATE TRIGGER transfers_are_final BEFORE DELETE OR UPDATE ON public.transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_are_kept BEFORE TRUNCATE ON public.transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
grant insert, select on transfers to cleartick_app;
