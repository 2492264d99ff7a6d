-- Up Migration
-- Messages of the contact form with the desk's replies, and live chat.

create type conversation_status as enum ('Open', 'Closed');

create table contact_messages (
  id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 121),
  email text not null check (length(email) <= 254),
  message text not null check (length(message) between 1 and 4000),
  status conversation_status not null default 'Open',
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
  operator_id bigint not null,
  text text not null check (length(text) between 1 and 4000),
  at timestamptz not null default clock_timestamp()
);
create index contact_replies_of_message on contact_replies (message_id, id);
create trigger contact_replies_are_final before update or delete on contact_replies for each statement execute function refuse_change();
grant select, insert on contact_replies to cleartick_app;

-- A conversation between one visitor or trader and the desk.
create table chats (
  id bigint generated always as identity primary key,
  -- Belongs to a trader, or to the visitor who holds the token (stored as its hash).
  user_id bigint unique references users,
  token_hash bytea unique check (length(token_hash) = 32),
  -- Where a visitor who left is answered.
  email text check (length(email) between 3 and 254 and email !~ '[[:cntrl:][:space:],:;<>"]'),
  status conversation_status not null default 'Open',
  created_at timestamptz not null default clock_timestamp(),
  closed_at timestamptz,
  -- Since when a message waits for a reply; null once it has one.
  waits_since timestamptz,
  -- The newest message that support was e-mailed about.
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
  -- Null: written by the visitor.
  operator_id bigint,
  text text not null check (length(text) between 1 and 4000),
  at timestamptz not null default clock_timestamp()
);
create index chat_messages_of_chat on chat_messages (chat_id, id);
create trigger chat_messages_are_final before update or delete on chat_messages for each statement execute function refuse_change();
grant select, insert on chat_messages to cleartick_app;
