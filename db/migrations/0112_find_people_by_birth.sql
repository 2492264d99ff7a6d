-- Up Migration
-- Finds the accounts and exclusions of people who were born on one day.
drop index concurrently if exists users_born;
create index concurrently users_born on users (date_of_birth) where date_of_birth is not null;
drop index concurrently if exists exclusions_born;
create index concurrently exclusions_born on exclusions (date_of_birth) where kind = 'exclusion';
