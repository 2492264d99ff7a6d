-- Up Migration
-- E-mails that were sent or given up are deleted by their age.
drop index concurrently if exists mails_finished;
create index concurrently mails_finished on mails (finished_at) where finished_at is not null;
