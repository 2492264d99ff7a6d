-- Up Migration
-- The operators' desk: who may come in, what waits for whom, and what was done, in a chain that no row can leave unseen.

create table operators (
  id bigint generated always as identity primary key,
  -- Compared without case, and for good: whoever ends and is invited again is the same person (four eyes).
  email text not null check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:],:;<>"]'),
  password_hash text not null,
  -- Sealed under the operator's number.
  totp_secret bytea not null,
  -- The period of the last code that was used: a code works once.
  totp_step bigint not null default 0,
  roles text[] not null,
  created_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  constraint operators_roles check (
    cardinality(roles) > 0 and roles <@ array['support', 'compliance', 'finance', 'risk', 'admin', 'auditor']
  )
);
create unique index operators_email on operators (lower(email));
grant select, insert on operators to cleartick_app;
grant update (password_hash, totp_secret, totp_step, roles, ended_at) on operators to cleartick_app;

alter table deposit_approvals add constraint deposit_approvals_operator foreign key (operator_id) references operators;
alter table withdrawal_approvals add constraint withdrawal_approvals_operator foreign key (operator_id) references operators;

create table operator_invitations (
  id bigint generated always as identity primary key,
  token_hash bytea not null unique check (length(token_hash) = 32),
  email text not null check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:],:;<>"]'),
  roles text[] not null check (cardinality(roles) > 0),
  -- Null: from the host.
  invited_by bigint references operators,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  -- What was chosen by the link, until one of its codes confirms it.
  password_hash text,
  totp_secret bytea,
  used_at timestamptz,
  constraint operator_invitations_chosen check ((password_hash is null) = (totp_secret is null))
);
create index operator_invitations_of_email on operator_invitations (lower(email), id);
grant select, insert on operator_invitations to cleartick_app;
grant update (password_hash, totp_secret, used_at) on operator_invitations to cleartick_app;

create table operator_sessions (
  id bigint generated always as identity primary key,
  operator_id bigint not null references operators,
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  device text not null check (length(device) <= 60),
  address text not null check (length(address) <= 64),
  ended_at timestamptz
);
create index operator_sessions_of_operator on operator_sessions (operator_id, id);
grant select, insert on operator_sessions to cleartick_app;
grant update (last_seen_at, ended_at) on operator_sessions to cleartick_app;

-- Who works on what. A claim that nobody acted on for 30 minutes is anybody's.
create table claims (
  queue text not null check (queue in ('identity-checks', 'deposits', 'withdrawals', 'plan-requests', 'messages')),
  item_id bigint not null,
  operator_id bigint not null references operators,
  since timestamptz not null default clock_timestamp(),
  acted_at timestamptz not null default clock_timestamp(),
  primary key (queue, item_id)
);
create index claims_of_operator on claims (operator_id);
grant select, insert, update, delete on claims to cleartick_app;

-- The audit log: only added to, each row bound to the one before it (invariants H1 to H3). The database numbers and
-- chains the rows, one transaction after the other, so that no writer can get a link wrong.
create table audit (
  n bigint primary key,
  at timestamptz not null,
  -- Null where it was done from the host.
  operator_id bigint references operators,
  operator text not null,
  action text not null check (length(action) between 1 and 60),
  item_kind text not null,
  item_id text not null,
  user_id bigint references users,
  before jsonb,
  after jsonb,
  why text not null default '',
  previous bytea not null check (length(previous) = 32),
  hash bytea not null check (length(hash) = 32)
);
create index audit_of_item on audit (item_kind, item_id, n);
create index audit_of_user on audit (user_id, n);
create index audit_of_operator on audit (operator_id, n);

-- Where the chain ends: its number and hash. A row that is taken off the end is missed by it.
create table audit_head (
  only_row boolean primary key default true check (only_row),
  n bigint not null,
  hash bytea not null check (length(hash) = 32)
);
insert into audit_head (n, hash) values (0, decode(repeat('00', 32), 'hex'));

-- What a row's hash is made from: everything it says, as text that is the same on every machine.
create function audit_hash(row_ audit) returns bytea language sql immutable as $$
  select sha256(row_.previous || convert_to(jsonb_build_array(
    row_.n, (extract(epoch from row_.at) * 1000000)::bigint, row_.operator_id, row_.operator, row_.action, row_.item_kind,
    row_.item_id, row_.user_id, row_.before, row_.after, row_.why)::text, 'UTF8'))
$$;

create function audit_chain() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The head's lock lets one transaction after the other write; it is held until the commit.
  update audit_head set n = n + 1 returning n, hash into new.n, new.previous;
  new.at = clock_timestamp();
  new.hash = audit_hash(new);
  update audit_head set hash = new.hash;
  return new;
end
$$;
create trigger audit_chain before insert on audit for each row execute function audit_chain();
create trigger audit_is_final before update or delete on audit for each statement execute function refuse_change();
create trigger audit_is_kept before truncate on audit for each statement execute function refuse_change();

-- The first row that was changed, or is missing; null where the chain is whole.
create function audit_broken() returns text language sql stable as $$
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
$$;
grant select, insert on audit to cleartick_app;
grant select on audit_head to cleartick_app;

create table notes (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  operator_id bigint not null references operators,
  text text not null check (length(text) between 1 and 4000),
  at timestamptz not null default clock_timestamp()
);
create index notes_of_user on notes (user_id, id);
create trigger notes_are_final before update or delete on notes for each statement execute function refuse_change();
grant select, insert on notes to cleartick_app;

-- What a user may not do at the moment, and why. Trading and sign-in look at columns of their own, set with these.
create table user_locks (
  user_id bigint not null references users,
  kind text not null check (kind in ('trading', 'deposits', 'withdrawals', 'sign_in')),
  operator_id bigint not null references operators,
  reason text not null check (length(reason) between 1 and 500),
  at timestamptz not null default clock_timestamp(),
  primary key (user_id, kind)
);
grant select, insert, update, delete on user_locks to cleartick_app;
-- Carried by the row that acceptance locks anyway: a lock holds for the very next submission and costs no look.
alter table accounts add column trading_locked boolean not null default false;
grant update (trading_locked) on accounts to cleartick_app;

create table adjustments (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  book book not null,
  -- Cents; above 0 to the trader.
  amount bigint not null check (amount <> 0),
  reason text not null check (length(reason) between 1 and 500),
  status text not null default 'Pending' check (status in ('Pending', 'Approved', 'Rejected')),
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  constraint adjustments_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint adjustments_four_eyes check (decided_by <> proposed_by),
  constraint adjustments_reason check ((status = 'Rejected') = (decision_reason is not null))
);
create index adjustments_of_user on adjustments (user_id, id);
create index adjustments_pending on adjustments (id) where status = 'Pending';
create trigger adjustments_decided_once before update on adjustments for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger adjustments_are_kept before delete on adjustments for each statement execute function refuse_change();
grant select, insert on adjustments to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason) on adjustments to cleartick_app;

-- Trades that operators voided before their end: proposed by one, completed by another. With the tape they decide
-- outcomes (invariant T3), so a completed one is final.
create table trade_voids (
  trade_id bigint primary key references trades,
  reason text not null check (length(reason) between 1 and 500),
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  completed_by bigint references operators,
  completed_at timestamptz,
  -- Whether the trade had its entry by then, which it keeps.
  entered boolean,
  constraint trade_voids_four_eyes check (completed_by <> proposed_by),
  constraint trade_voids_completed check (num_nulls(completed_by, completed_at, entered) in (0, 3))
);
create trigger trade_voids_complete_once before update on trade_voids for each row when (old.completed_by is not null)
  execute function refuse_change();
create trigger trade_voids_are_kept before delete on trade_voids for each statement execute function refuse_change();
grant select, insert on trade_voids to cleartick_app;
grant update (completed_by, completed_at, entered) on trade_voids to cleartick_app;

-- Settings touch money: one admin proposes, another decides.
create table settings_changes (
  id bigint generated always as identity primary key,
  changes jsonb not null check (jsonb_typeof(changes) = 'object'),
  before jsonb not null check (jsonb_typeof(before) = 'object'),
  reason text not null check (length(reason) between 1 and 500),
  status text not null default 'Pending' check (status in ('Pending', 'Approved', 'Rejected')),
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  constraint settings_changes_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint settings_changes_four_eyes check (decided_by <> proposed_by),
  constraint settings_changes_reason check ((status = 'Rejected') = (decision_reason is not null))
);
create index settings_changes_pending on settings_changes (id) where status = 'Pending';
create trigger settings_changes_decided_once before update on settings_changes for each row when (old.status <> 'Pending')
  execute function refuse_change();
grant select, insert on settings_changes to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason, before) on settings_changes to cleartick_app;
grant update (stake_max, open_stake_max) on trading_limits to cleartick_app;
grant insert, delete, update (open_max) on symbol_open to cleartick_app;
-- The largest limit of open stakes of the last day: what was accepted under a higher one may still be open.
create table open_stake_limits (
  open_stake_max bigint not null,
  until timestamptz not null default clock_timestamp()
);
grant select, insert on open_stake_limits to cleartick_app;

-- What came in by the contact form, and what the desk answered.
create table contact_messages (
  id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 121),
  email text not null check (length(email) <= 254),
  message text not null check (length(message) between 1 and 4000),
  status text not null default 'Open' check (status in ('Open', 'Closed')),
  created_at timestamptz not null default clock_timestamp(),
  closed_at timestamptz,
  constraint contact_messages_closed check ((status = 'Closed') = (closed_at is not null))
);
create index contact_messages_open on contact_messages (id) where status = 'Open';
grant select, insert on contact_messages to cleartick_app;
grant update (status, closed_at) on contact_messages to cleartick_app;

create table contact_replies (
  id bigint generated always as identity primary key,
  message_id bigint not null references contact_messages,
  operator_id bigint not null references operators,
  text text not null check (length(text) between 1 and 4000),
  at timestamptz not null default clock_timestamp()
);
create index contact_replies_of_message on contact_replies (message_id, id);
create trigger contact_replies_are_final before update or delete on contact_replies for each statement execute function refuse_change();
grant select, insert on contact_replies to cleartick_app;

-- What looks like a second account of one person is found by these.
create index users_person on users (lower(firstname), lower(lastname), date_of_birth) where date_of_birth is not null;
create index users_phone on users (phone) where phone <> '';
-- The desk lists what waits.
create index identity_checks_pending on identity_checks (id) where status = 'Pending' and superseded_at is null;
create index plan_requests_waiting on plan_requests (id) where status = 'Pending';
