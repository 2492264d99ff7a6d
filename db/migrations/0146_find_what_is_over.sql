-- Up Migration
drop index concurrently if exists identity_checks_over;
create index concurrently identity_checks_over on identity_checks (superseded_at) where superseded_at is not null and file is not null;
drop index concurrently if exists chats_by_time;
create index concurrently chats_by_time on chats (created_at);
drop index concurrently if exists contact_messages_by_time;
create index concurrently contact_messages_by_time on contact_messages (created_at);
