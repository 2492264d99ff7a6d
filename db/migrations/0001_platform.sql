-- Up Migration
-- Roles, ids, final rows and the outbox: what every room builds on.
-- The application signs in with a role that may do only what each table grants it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'cleartick_app') then
    create role cleartick_app nologin;
  end if;
end
$$;

revoke create on schema public from public;
grant usage on schema public to cleartick_app;

-- Rows of final tables are only ever added (invariants L5, H3).
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: its rows are final', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end
$$;

-- Amounts of money: whole cents.
create domain cents as bigint;

-- How proposals and checks are decided.
create type decision_status as enum ('Pending', 'Approved', 'Rejected');

-- Each process takes a number, so that its ids differ from those of every other process.
create sequence node_numbers as integer minvalue 0 maxvalue 1023 cycle;
grant usage on sequence node_numbers to cleartick_app;

-- Sums cents as 64-bit integers: PostgreSQL's own sum makes a numeric, at several times the cost. Overflow is an error.
create aggregate total(bigint) (sfunc = int8pl, stype = bigint, initcond = '0');

-- The outbox: an e-mail is written in the transaction that causes it, and sent afterwards.
create type mail_state as enum ('waiting', 'sent', 'failed');

create table mails (
  id bigint generated always as identity primary key,
  recipient text not null check (length(recipient) <= 254),
  subject text not null check (subject !~ '[[:cntrl:]]'),
  -- Emptied once the e-mail was sent, because it may contain a one-time link; the test mailbox keeps it.
  text text not null,
  html text not null,
  links text[] not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  state mail_state not null default 'waiting',
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default clock_timestamp(),
  last_error text,
  finished_at timestamptz
);
create index mails_waiting on mails (next_attempt_at) where state = 'waiting';
create index mails_of_recipient on mails (lower(recipient), id);
grant select, insert, update, delete on mails to cleartick_app;
