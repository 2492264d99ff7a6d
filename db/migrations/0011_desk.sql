-- Up Migration
-- The operators' desk: who may sign in, who works on what, proposals that two people decide, and the audit log.

create domain operator_roles as text[] check (
  cardinality(value) > 0 and value <@ array['support', 'compliance', 'finance', 'risk', 'admin', 'auditor']
);

create table operators (
  id bigint generated always as identity primary key,
  -- Compared case-insensitively. An address may have several operators over time, one of them active.
  email text not null check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:],:;<>"]'),
  password_hash text not null,
  -- Encrypted under the operator's id.
  totp_secret bytea not null,
  -- The period of the last code used: each works once.
  totp_step bigint not null default 0,
  roles operator_roles not null,
  created_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
create unique index operators_email on operators (lower(email)) where ended_at is null;
grant select, insert on operators to cleartick_app;
grant update (password_hash, totp_secret, totp_step, roles, ended_at) on operators to cleartick_app;

-- Operators named in the tables of the rooms below.
alter table deposit_approvals add constraint deposit_approvals_operator foreign key (operator_id) references operators;
alter table withdrawal_approvals add constraint withdrawal_approvals_operator foreign key (operator_id) references operators;
alter table known_devices add constraint known_devices_operator_id_fkey foreign key (operator_id) references operators;
alter table sign_in_links add constraint sign_in_links_operator_id_fkey foreign key (operator_id) references operators;
alter table factor_resets add constraint factor_resets_proposed_by_fkey foreign key (proposed_by) references operators;
alter table factor_resets add constraint factor_resets_decided_by_fkey foreign key (decided_by) references operators;
alter table user_locks add constraint user_locks_operator_id_fkey foreign key (operator_id) references operators;
alter table trade_voids add constraint trade_voids_proposed_by_fkey foreign key (proposed_by) references operators;
alter table trade_voids add constraint trade_voids_completed_by_fkey foreign key (completed_by) references operators;
alter table contact_replies add constraint contact_replies_operator_id_fkey foreign key (operator_id) references operators;
alter table chat_messages add constraint chat_messages_operator_id_fkey foreign key (operator_id) references operators;

-- Invitations and role changes: proposed by one admin, approved by another.
create type operator_change_kind as enum ('invite', 'roles');

create table operator_changes (
  id bigint generated always as identity primary key,
  kind operator_change_kind not null,
  email text not null check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:],:;<>"]'),
  -- The operator whose roles change; null for an invitation.
  operator_id bigint references operators,
  roles operator_roles not null,
  reason text not null default '' check (length(reason) <= 500),
  status decision_status not null default 'Pending',
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  constraint operator_changes_of check ((kind = 'roles') = (operator_id is not null)),
  constraint operator_changes_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint operator_changes_four_eyes check (decided_by <> proposed_by),
  constraint operator_changes_reason check ((status = 'Rejected') = (decision_reason is not null))
);
create unique index operator_changes_pending on operator_changes (lower(email)) where status = 'Pending';
create trigger operator_changes_decided_once before update on operator_changes for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger operator_changes_are_kept before delete on operator_changes for each statement execute function refuse_change();
grant select, insert on operator_changes to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason) on operator_changes to cleartick_app;

create table operator_invitations (
  id bigint generated always as identity primary key,
  token_hash bytea not null unique check (length(token_hash) = 32),
  email text not null check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:],:;<>"]'),
  roles operator_roles not null,
  -- Null: invited by the host's command.
  invited_by bigint references operators,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  -- Chosen through the link, until a code confirms the authenticator.
  password_hash text,
  totp_secret bytea,
  used_at timestamptz,
  change_id bigint unique references operator_changes,
  constraint operator_invitations_chosen check ((password_hash is null) = (totp_secret is null))
);
create index operator_invitations_of_email on operator_invitations (lower(email), id);
grant select, insert on operator_invitations to cleartick_app;
grant update (password_hash, totp_secret, used_at) on operator_invitations to cleartick_app;

-- An invitation, except from the host, was proposed by one admin and approved by another.
create function invitations_by_two_people() returns trigger language plpgsql as $$
begin
  if new.invited_by is not null and not exists (
    select from operator_changes c where c.id = new.change_id and c.kind = 'invite' and c.status = 'Approved'
      and lower(c.email) = lower(new.email) and c.roles = new.roles
  ) then
    raise exception 'the invitation of % was not approved by two admins', new.email using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger invitations_by_two_people before insert on operator_invitations for each row execute function invitations_by_two_people();

-- Roles change by an approved change of the same transaction, or when the host invites an operator again.
create function roles_by_two_people() returns trigger language plpgsql as $$
begin
  if not exists (
    select from operator_changes c where c.operator_id = new.id and c.kind = 'roles' and c.status = 'Approved'
      and c.roles = new.roles and c.decided_at >= transaction_timestamp()
  ) and not exists (
    select from operator_invitations i where lower(i.email) = lower(new.email) and i.invited_by is null
      and i.roles = new.roles and i.used_at >= transaction_timestamp()
  ) then
    raise exception 'the roles of operator % were not changed by two admins', new.id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger roles_by_two_people before update of roles on operators for each row when (old.roles is distinct from new.roles)
  execute function roles_by_two_people();

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

-- Idempotency keys of the desk, with the first response: permanent.
create table operator_request_keys (
  operator_id bigint not null references operators,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null,
  -- The first response; written right after the commit.
  answer json,
  at timestamptz not null default clock_timestamp(),
  primary key (operator_id, key)
);
create trigger operator_request_keys_are_final before update on operator_request_keys for each row when (old.answer is not null)
  execute function refuse_change();
create trigger operator_request_keys_are_kept before delete on operator_request_keys for each statement execute function refuse_change();
grant select, insert, update (answer) on operator_request_keys to cleartick_app;

-- Who works on what. A claim without an action for 30 minutes is free for anyone.
create table claims (
  queue text not null check (queue in ('identity-checks', 'deposits', 'withdrawals', 'plan-requests', 'messages', 'chats')),
  item_id bigint not null,
  operator_id bigint not null references operators,
  since timestamptz not null default clock_timestamp(),
  acted_at timestamptz not null default clock_timestamp(),
  primary key (queue, item_id)
);
create index claims_of_operator on claims (operator_id);
grant select, insert, update, delete on claims to cleartick_app;

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

-- Corrections of a trader's balance.
create table adjustments (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  mode account_mode not null,
  -- Positive credits the trader.
  amount cents not null check (amount <> 0),
  reason text not null check (length(reason) between 1 and 500),
  status decision_status not null default 'Pending',
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

-- Reversals of deposits by operators: one proposes, another decides. Events of the card provider need neither.
create table reversal_proposals (
  id bigint generated always as identity primary key,
  deposit_id bigint not null references deposits,
  amount cents not null check (amount > 0),
  -- The id of the refund or dispute where it was made.
  reference text not null check (length(reference) between 1 and 255),
  reason text not null check (length(reason) between 1 and 500),
  status decision_status not null default 'Pending',
  proposed_by bigint not null references operators,
  proposed_at timestamptz not null default clock_timestamp(),
  decided_by bigint references operators,
  decided_at timestamptz,
  decision_reason text check (length(decision_reason) between 1 and 500),
  constraint reversal_proposals_decided check ((status = 'Pending') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint reversal_proposals_four_eyes check (decided_by <> proposed_by),
  constraint reversal_proposals_reason check ((status = 'Rejected') = (decision_reason is not null))
);
create unique index reversal_proposals_pending on reversal_proposals (deposit_id) where status = 'Pending';
create index reversal_proposals_of_deposit on reversal_proposals (deposit_id, id);
create trigger reversal_proposals_decided_once before update on reversal_proposals for each row when (old.status <> 'Pending')
  execute function refuse_change();
create trigger reversal_proposals_are_kept before delete on reversal_proposals for each statement execute function refuse_change();
grant select, insert on reversal_proposals to cleartick_app;
grant update (status, decided_by, decided_at, decision_reason) on reversal_proposals to cleartick_app;

create function deposit_reversals_need_cause() returns trigger language plpgsql as $$
begin
  if not exists (select from card_events where id = new.reference)
    and not exists (
      select from reversal_proposals
      where deposit_id = new.deposit_id and amount = new.amount and reference = new.reference and status = 'Approved'
    ) then
    raise exception 'the reversal of deposit % has neither an approved proposal nor an event of the card provider', new.deposit_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger deposit_reversals_need_cause before insert on deposit_reversals
  for each row execute function deposit_reversals_need_cause();

-- Changes of settings: one admin proposes, another decides.
create table settings_changes (
  id bigint generated always as identity primary key,
  changes jsonb not null check (jsonb_typeof(changes) = 'object'),
  before jsonb not null check (jsonb_typeof(before) = 'object'),
  reason text not null check (length(reason) between 1 and 500),
  status decision_status not null default 'Pending',
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

-- Nobody approves their own item (invariant W3): operator and trader are compared by address, case-insensitively.
create function approvals_not_of_own_items() returns trigger language plpgsql as $$
declare
  owner_id bigint;
begin
  if tg_table_name = 'deposit_approvals' then
    select user_id into owner_id from deposits where id = new.deposit_id;
  else
    select user_id into owner_id from withdrawals where id = new.withdrawal_id;
  end if;
  if exists (
    select from operators o join users u on lower(u.email) = lower(o.email) where o.id = new.operator_id and u.id = owner_id
  ) then
    raise exception 'operator % cannot approve their own item', new.operator_id using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger deposit_approvals_not_of_own_items before insert on deposit_approvals
  for each row execute function approvals_not_of_own_items();
create trigger withdrawal_approvals_not_of_own_items before insert on withdrawal_approvals
  for each row execute function approvals_not_of_own_items();

-- Two people are two addresses, so that nobody approves their own proposal under an earlier or later account. Arguments:
-- the columns of the first and the second operator.
create function require_two_people() returns trigger language plpgsql as $$
declare
  person jsonb = to_jsonb(new);
begin
  if (select count(distinct lower(o.email)) from operators o
      where o.id in ((person ->> tg_argv[0])::bigint, (person ->> tg_argv[1])::bigint)) < 2
    and person ->> tg_argv[1] is not null
  then
    raise exception 'operator % decides on their own proposal', person ->> tg_argv[1]
      using errcode = 'integrity_constraint_violation', constraint = 'two_people';
  end if;
  return new;
end
$$;
create trigger adjustments_two_people after update of decided_by on adjustments
  for each row execute function require_two_people('proposed_by', 'decided_by');
create trigger settings_changes_two_people after update of decided_by on settings_changes
  for each row execute function require_two_people('proposed_by', 'decided_by');
create trigger reversal_proposals_two_people after update of decided_by on reversal_proposals
  for each row execute function require_two_people('proposed_by', 'decided_by');
create trigger factor_resets_two_people after update of decided_by on factor_resets
  for each row execute function require_two_people('proposed_by', 'decided_by');
create trigger operator_changes_two_people after update of decided_by on operator_changes
  for each row execute function require_two_people('proposed_by', 'decided_by');
create trigger trade_voids_two_people after update of completed_by on trade_voids
  for each row execute function require_two_people('proposed_by', 'completed_by');

create function approvals_are_by_two_people() returns trigger language plpgsql as $$
declare
  same boolean;
begin
  if tg_table_name = 'deposit_approvals' then
    select exists (
      select from deposit_approvals a join operators o on o.id = a.operator_id join operators n on n.id = new.operator_id
      where a.deposit_id = new.deposit_id and a.operator_id <> new.operator_id and lower(o.email) = lower(n.email)) into same;
  else
    select exists (
      select from withdrawal_approvals a join operators o on o.id = a.operator_id join operators n on n.id = new.operator_id
      where a.withdrawal_id = new.withdrawal_id and a.operator_id <> new.operator_id and lower(o.email) = lower(n.email)) into same;
  end if;
  if same then
    raise exception 'operator % has approved this before', new.operator_id
      using errcode = 'integrity_constraint_violation', constraint = 'two_people';
  end if;
  return new;
end
$$;
create trigger deposit_approvals_two_people after insert on deposit_approvals
  for each row execute function approvals_are_by_two_people();
create trigger withdrawal_approvals_two_people after insert on withdrawal_approvals
  for each row execute function approvals_are_by_two_people();

-- The audit log: append-only, each row bound to the one before (invariants H1 to H3). The database numbers and chains the
-- rows, one transaction after another, so that no writer can get a link wrong.
create table audit (
  n bigint primary key,
  at timestamptz not null,
  -- Null: done by the host's command.
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

-- The end of the chain: number and hash. It reveals that rows were removed from the end.
create table audit_head (
  only_row boolean primary key default true check (only_row),
  n bigint not null,
  hash bytea not null check (length(hash) = 32)
);
insert into audit_head (n, hash) values (0, decode(repeat('00', 32), 'hex'));

-- Returns the hash of a row: of all its values, as text that is the same on every machine.
create function audit_hash(row_ audit) returns bytea language sql immutable as $$
  select sha256(row_.previous || convert_to(jsonb_build_array(
    row_.n, (extract(epoch from row_.at) * 1000000)::bigint, row_.operator_id, row_.operator, row_.action, row_.item_kind,
    row_.item_id, row_.user_id, row_.before, row_.after, row_.why)::text, 'UTF8'))
$$;

create function audit_chain() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Locks the head until the commit, so that one transaction writes at a time.
  select n + 1, hash into new.n, new.previous from audit_head for update;
  new.at = clock_timestamp();
  new.hash = audit_hash(new);
  update audit_head set n = new.n, hash = new.hash;
  return new;
end
$$;
create trigger audit_chain before insert on audit for each row execute function audit_chain();
create trigger audit_is_final before update or delete on audit for each statement execute function refuse_change();
create trigger audit_is_kept before truncate on audit for each statement execute function refuse_change();

-- Returns the first row that was changed or is missing; null if the chain is complete.
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
grant select on audit to cleartick_app;
grant select on audit_head to cleartick_app;

-- What operators do is written here, and the database moves it into the chain as the last step of the transaction: the
-- head is locked at the commit and not for a round trip to the application. Rows never stay, so a crash loses nothing.
create unlogged table operator_actions (
  id bigint generated always as identity primary key,
  operator_id bigint,
  operator text not null,
  action text not null,
  item_kind text not null,
  item_id text not null,
  user_id bigint,
  before jsonb,
  after jsonb,
  why text not null default ''
);

create function audit_operator_action() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit (operator_id, operator, action, item_kind, item_id, user_id, before, after, why)
  values (new.operator_id, new.operator, new.action, new.item_kind, new.item_id, new.user_id, new.before, new.after, new.why);
  delete from operator_actions where id = new.id;
  return null;
end
$$;
create constraint trigger audit_operator_action after insert on operator_actions deferrable initially deferred
  for each row execute function audit_operator_action();
create trigger operator_actions_are_final before update on operator_actions for each statement execute function refuse_change();
grant insert on operator_actions to cleartick_app;
