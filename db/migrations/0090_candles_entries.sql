-- Up Migration
-- What a trade that follows a candle's close would get, a second later: for back-tests. Null in rows of before.
alter table candles
  -- The first price in the ten seconds after the minute's first second; 0 if there is none.
  add column entry bigint,
  -- The last price of the minute's first second; 0 if there is none.
  add column exit bigint;
