-- Up Migration
-- The time zone of the trader's days, as in IANA's database; empty for that of their browser. Null until chosen.
alter table screen_choices add column time_zone text;
alter table screen_choices
  add constraint screen_choices_time_zone_check check (time_zone ~ '^[A-Za-z0-9_+/-]{0,64}$') not valid;
