-- Up Migration
-- Which budget of its recipient an e-mail counts against, so that what strangers cause never uses up the owner's.
-- E-mails of nodes of the previous version count against the usual one.
create type mail_budget as enum ('usual', 'confirm', 'reply', 'none');
alter table mails add column budget mail_budget not null default 'usual';
