-- Up Migration
drop index concurrently if exists users_guests;
create index concurrently users_guests on users (guest_until) where guest_until is not null and ended_at is null;
