-- Up Migration
-- A notification can lead to one deposit or withdrawal, too: `/user/deposit-log?deposit=…`.
alter table notices drop constraint notices_path_check;
alter table notices add constraint notices_path_check
  check (path = '' or path ~ '^/user/[a-z-]+([?](trade|deposit|withdrawal)=[0-9A-HJKMNP-TV-Z]{13})?$') not valid;
