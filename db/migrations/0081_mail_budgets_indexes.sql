-- Up Migration
-- One statement at a time, outside of a transaction; a build that failed half-way left an invalid index.
drop index concurrently if exists mails_of_budget;
create index concurrently mails_of_budget on mails (lower(recipient), budget, id);
-- E-mails beyond a budget, until they are recorded.
drop index concurrently if exists mails_dropped;
create index concurrently mails_dropped on mails (id) where state = 'failed' and finished_at is null;
