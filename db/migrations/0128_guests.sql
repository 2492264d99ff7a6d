-- Up Migration
-- A guest is an account of the demo without an e-mail address or a password. It becomes a real one when both are given, or
-- closes at this time. Null in all other accounts. Its address is a placeholder that no mail reaches.
alter table users add column guest_until timestamptz;
alter table users add constraint users_guest check (
  guest_until is null or (email like '%@guest.invalid' and email_confirmed_at is null and password_hash = '')
) not valid;
