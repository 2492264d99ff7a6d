-- Up Migration
-- Checks older trades against the rules that know sales, while trades continue.
alter table trades validate constraint trades_ticks;
alter table trades validate constraint trades_outcome;
alter table trades validate constraint trades_for_sale;
