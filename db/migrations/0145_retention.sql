-- Up Migration
-- How long pictures of documents, conversations and sign-ins are kept, as the server's settings say; verify compares. A
-- deleted picture leaves its hash and the time. Stop all nodes of older versions first.
insert into schema_needs (migration, needs) values ('0145_retention', '0123_solvency_entries_in_parts');

create table retention_rules (
  kind text primary key check (kind in ('documents', 'conversations', 'sign_ins')),
  days integer not null check (days between 30 and 3650),
  ran_at timestamptz not null default clock_timestamp()
);
grant select, insert, update on retention_rules to cleartick_app;

alter table identity_checks
  add column erased_hash bytea,
  add column erased_at timestamptz;
alter table identity_checks add constraint identity_checks_erased check (
  (erased_hash is null or octet_length(erased_hash) = 32) and (erased_at is null or file is null)
) not valid;

-- What was said stays as it was said, until its period is over.
create function conversations_end_in_time() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' or old.at > clock_timestamp() - make_interval(
    days => coalesce((select days from retention_rules where kind = 'conversations'), 3650)
  ) then
    raise exception '% % is kept', tg_table_name, old.id using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end
$$;
create trigger chat_messages_end_in_time before update or delete on chat_messages
  for each row execute function conversations_end_in_time();
create trigger chat_messages_are_kept before truncate on chat_messages
  for each statement execute function refuse_change();
drop trigger chat_messages_are_final on chat_messages;
create trigger contact_replies_end_in_time before update or delete on contact_replies
  for each row execute function conversations_end_in_time();
create trigger contact_replies_are_kept before truncate on contact_replies
  for each statement execute function refuse_change();
drop trigger contact_replies_are_final on contact_replies;
grant delete on chat_messages, chats, contact_messages, contact_replies to cleartick_app;
