-- Up Migration
-- Whether the trader has seen the three hints of the trading screen. Null until then.
alter table screen_choices add column coached boolean;
