-- Up Migration
-- What traders have put on their charts: indicators, named layouts, and drawings by symbol. The contract says what a
-- document has; here it's bounded. Not money: nothing is placed from here.
create table charts (
  user_id bigint primary key references users (id),
  document jsonb not null check (jsonb_typeof(document) = 'object' and octet_length(document::text) <= 65536)
);
grant select, insert, update on charts to cleartick_app;
