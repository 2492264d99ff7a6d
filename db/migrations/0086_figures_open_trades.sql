-- Up Migration
-- Trades that were still open when the counting of figures passed them: counted once they are settled, so that figures
-- don't wait for the longest open trade.
create table trade_figures_open (
  trade_id bigint primary key
);
grant select, insert, delete on trade_figures_open to cleartick_app;
