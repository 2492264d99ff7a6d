-- Up Migration
-- What traders chose on the trading screen: the account mode, the next order and their markets. Their next device opens
-- with it. Not money: nothing is placed from here.
create table screen_choices (
  user_id bigint primary key references users (id),
  mode text check (mode in ('real', 'demo')),
  symbol text check (symbol ~ '^[A-Z0-9]{1,20}$'),
  duration_seconds integer check (duration_seconds between 1 and 86400),
  strike_rate text check (strike_rate ~ '^(best|[0-9]{1,3}/[0-9]{1,3})$'),
  -- Cents.
  stake bigint check (stake >= 100),
  favourites text[] check (cardinality(favourites) <= 100),
  recents text[] check (cardinality(recents) <= 10)
);
grant select, insert, update on screen_choices to cleartick_app;
