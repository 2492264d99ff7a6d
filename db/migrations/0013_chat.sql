-- Up Migration
-- Live chat: a conversation between one visitor or trader and the desk, and what is publicly known of settled trades.

create table chats (
  id bigint generated always as identity primary key,
  -- Whose it is: a trader's, or whoever holds the token (kept as its hash).
  user_id bigint unique references users,
  token_hash bytea unique check (length(token_hash) = 32),
  -- Where a visitor is answered when he is gone.
  email text check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:],:;<>"]'),
  status text not null default 'Open' check (status in ('Open', 'Closed')),
  created_at timestamptz not null default clock_timestamp(),
  closed_at timestamptz,
  -- Since when words of his wait for an answer; null once they have one.
  waits_since timestamptz,
  -- Up to which of its messages support was written to by mail.
  mailed_to bigint not null default 0,
  constraint chats_of_somebody check (num_nonnulls(user_id, token_hash) = 1),
  constraint chats_closed check ((status = 'Closed') = (closed_at is not null) and (status = 'Open' or waits_since is null))
);
create index chats_waiting on chats (id) where waits_since is not null;
grant select, insert on chats to cleartick_app;
grant update (email, status, closed_at, waits_since, mailed_to) on chats to cleartick_app;

create table chat_messages (
  id bigint generated always as identity primary key,
  chat_id bigint not null references chats,
  -- Null: the visitor's own words.
  operator_id bigint references operators,
  text text not null check (length(text) between 1 and 4000),
  at timestamptz not null default clock_timestamp()
);
create index chat_messages_of_chat on chat_messages (chat_id, id);
create trigger chat_messages_are_final before update or delete on chat_messages for each statement execute function refuse_change();
grant select, insert on chat_messages to cleartick_app;

alter table claims drop constraint claims_queue_check;
alter table claims add constraint claims_queue_check
  check (queue in ('identity-checks', 'deposits', 'withdrawals', 'plan-requests', 'messages', 'chats'));

-- How settled trades ended, by book and kind of source, up to a trade's number: counted on, never counted anew.
create table trade_figures (
  book book not null,
  source_kind smallint not null,
  won bigint not null default 0 check (won >= 0),
  lost bigint not null default 0 check (lost >= 0),
  draws bigint not null default 0 check (draws >= 0),
  voids bigint not null default 0 check (voids >= 0),
  -- When the first and the last of them ended, Unix ms.
  first_end bigint not null,
  last_end bigint not null,
  primary key (book, source_kind)
);
create table trade_figures_head (
  only_row boolean primary key default true check (only_row),
  counted_to bigint not null default 0
);
insert into trade_figures_head default values;
grant select, insert, update on trade_figures to cleartick_app;
grant select, update (counted_to) on trade_figures_head to cleartick_app;

-- The newest payouts of real trades are shown to everybody.
create index trades_paid_out on trades (settled_at) where book = 'real' and status = 'Won';
