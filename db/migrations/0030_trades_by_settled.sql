-- Up Migration
-- What a checkpoint reads: the trades settled since the one before. Summaries of page ranges cost settlement nothing.
drop index concurrently if exists trades_by_settled;
create index concurrently trades_by_settled on trades using brin (settled_at) with (pages_per_range = 16, autosummarize = on);
