-- Up Migration
-- What can be priced. Data, not code: an operator edits these rows.
create type trading_type as enum ('Cryptocurrency', 'Currencies');
-- Where a price came from.
create type price_source as enum ('live', 'replay', 'simulation');

create table instruments (
  id smallint primary key,
  symbol text not null unique check (symbol ~ '^[A-Z0-9]{2,20}$'),
  base text not null,
  quote text not null,
  -- Null: displayed, never traded.
  trading_type trading_type,
  -- Decimal places of its prices. Fixed: the tape stores integers at this scale.
  scale smallint not null check (scale between 0 and 15),
  stale_after_ms integer not null default 10000 check (stale_after_ms between 1000 and 600000),
  -- Why no real exchange lists it, as text for the trader; null where one does. The simulation has all of them.
  not_live_reason text
);
grant select on instruments to cleartick_app;

-- The end of the tape. Frame numbers come from here and never from a sequence, so that there are no gaps.
create table tape_head (
  id boolean primary key default true check (id),
  number bigint not null check (number >= 0),
  t bigint not null,
  hash bytea not null check (octet_length(hash) = 32),
  -- Increased when a restored backup continues as a separate tape.
  epoch integer not null default 1
) with (fillfactor = 50);
insert into tape_head (number, t, hash) values (0, 0, decode(repeat('00', 32), 'hex'));
grant select, update on tape_head to cleartick_app;

-- Which tape this is. A restored backup continues from an older end and reuses numbers that were published before: from
-- there on it is another tape, with its own epoch. Each epoch names the last frame of the one before, by number and hash.
create table tape_epochs (
  epoch integer primary key check (epoch > 0),
  after_frame bigint not null check (after_frame >= 0),
  after_hash bytea not null check (octet_length(after_hash) = 32),
  -- PostgreSQL's count of recoveries: a restored database counts one more.
  timeline integer not null,
  began_at timestamptz not null default clock_timestamp()
);
create trigger tape_epochs_are_final before update or delete on tape_epochs for each statement execute function refuse_change();
grant select, insert on tape_epochs to cleartick_app;

-- The newest frames, byte for byte. Compaction moves closed minutes into tape_minutes and tape_bodies.
create table frames (
  n bigint primary key check (n > 0),
  t bigint not null unique,
  hash bytea not null check (octet_length(hash) = 32),
  body bytea not null
);
create trigger frames_final before update on frames for each statement execute function refuse_change();
grant select, insert, delete on frames to cleartick_app;

-- The prices of the newest frames by symbol and source time; trades search these.
create table ticks (
  symbol_id smallint not null references instruments (id),
  source_ms bigint not null,
  seq bigint not null check (seq > 0),
  price bigint not null check (price > 0),
  -- 0 live, 1 replay, 2 simulation
  kind smallint not null check (kind between 0 and 2),
  frame bigint not null,
  primary key (symbol_id, source_ms)
);
create trigger ticks_final before update on ticks for each statement execute function refuse_change();
grant select, insert, delete on ticks to cleartick_app;

-- When the kind of a symbol's source began and changed: a trade that spans a change is void, however long it ran.
create table tape_kinds (
  symbol_id smallint not null references instruments (id),
  source_ms bigint not null,
  kind smallint not null check (kind between 0 and 2),
  primary key (symbol_id, source_ms)
);
create trigger tape_kinds_final before update or delete on tape_kinds for each statement execute function refuse_change();
grant select, insert on tape_kinds to cleartick_app;

-- A closed minute of frames: numbers, times and the hash of each body. Kept permanently, so that the chain always verifies.
create table tape_minutes (
  minute bigint primary key check (minute % 60000 = 0),
  first_n bigint not null unique,
  last_n bigint not null check (last_n >= first_n),
  -- For each frame: milliseconds since the minute began (2 bytes), sha256 of its body (32 bytes).
  chain bytea not null check (octet_length(chain) = 34 * (last_n - first_n + 1)),
  last_hash bytea not null check (octet_length(last_hash) = 32)
);
create trigger tape_minutes_final before update or delete on tape_minutes for each statement execute function refuse_change();
grant select, insert on tape_minutes to cleartick_app;

-- The bodies of a closed minute, packed. Deleted when the retention is over and no trade needs them.
create table tape_bodies (
  minute bigint primary key references tape_minutes (minute),
  packed bytea not null
);
create trigger tape_bodies_final before update on tape_bodies for each statement execute function refuse_change();
alter table tape_bodies alter column packed set storage external;
grant select, insert, delete on tape_bodies to cleartick_app;

-- One-minute candles of closed minutes, by source time.
create table candles (
  symbol_id smallint not null references instruments (id),
  minute bigint not null check (minute % 60000 = 0),
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  primary key (symbol_id, minute),
  check (low > 0 and low <= open and low <= close and high >= open and high >= close)
);
create trigger candles_final before update on candles for each statement execute function refuse_change();
grant select, insert on candles to cleartick_app;

-- What a chart shows before the tape's first price of a symbol: simulated, marked as such, ending at that price.
create table simulated_history (
  symbol_id smallint primary key references instruments (id),
  -- The history ends here, at this price (null until the symbol has a price on the tape).
  until bigint not null,
  price bigint,
  -- Generates the history, and nothing after it.
  seed bytea not null,
  -- Its one-minute candles, packed.
  packed bytea not null
);
grant select, insert, update on simulated_history to cleartick_app;

insert into instruments (id, symbol, base, quote, trading_type, scale) values
  (1, 'BCHBTC', 'BCH', 'BTC', 'Cryptocurrency', 8),
  (2, 'BCHUSDT', 'BCH', 'USDT', 'Cryptocurrency', 3),
  (3, 'BTCUSDT', 'BTC', 'USDT', 'Cryptocurrency', 2),
  (4, 'EOSBTC', 'EOS', 'BTC', 'Cryptocurrency', 11),
  (5, 'EOSUSDT', 'EOS', 'USDT', 'Cryptocurrency', 6),
  (6, 'ETCBTC', 'ETC', 'BTC', 'Cryptocurrency', 9),
  (7, 'ETCUSDT', 'ETC', 'USDT', 'Cryptocurrency', 4),
  (8, 'ETHBTC', 'ETH', 'BTC', 'Cryptocurrency', 7),
  (9, 'ETHUSDT', 'ETH', 'USDT', 'Cryptocurrency', 2),
  (10, 'LTCBTC', 'LTC', 'BTC', 'Cryptocurrency', 8),
  (11, 'LTCUSDT', 'LTC', 'USDT', 'Cryptocurrency', 4),
  (12, 'MKRBTC', 'MKR', 'BTC', 'Cryptocurrency', 7),
  (13, 'MKRUSDT', 'MKR', 'USDT', 'Cryptocurrency', 2),
  (14, 'PCPBTC', 'PCP', 'BTC', 'Cryptocurrency', 12),
  (15, 'PCPUSDT', 'PCP', 'USDT', 'Cryptocurrency', 7),
  (16, 'REPBTC', 'REP', 'BTC', 'Cryptocurrency', 10),
  (17, 'REPUSDT', 'REP', 'USDT', 'Cryptocurrency', 6),
  (18, 'SHIBBTC', 'SHIB', 'BTC', 'Cryptocurrency', 15),
  (19, 'SHIBUSDT', 'SHIB', 'USDT', 'Cryptocurrency', 10),
  (20, 'TRXBTC', 'TRX', 'BTC', 'Cryptocurrency', 11),
  (21, 'TRXUSDT', 'TRX', 'USDT', 'Cryptocurrency', 6),
  (22, 'TXRBTC', 'TXR', 'BTC', 'Cryptocurrency', 12),
  (23, 'TXRUSDT', 'TXR', 'USDT', 'Cryptocurrency', 8),
  (24, 'XLMBTC', 'XLM', 'BTC', 'Cryptocurrency', 11),
  (25, 'XLMUSDT', 'XLM', 'USDT', 'Cryptocurrency', 6),
  (26, 'XRPBTC', 'XRP', 'BTC', 'Cryptocurrency', 10),
  (27, 'XRPUSDT', 'XRP', 'USDT', 'Cryptocurrency', 5),
  (28, 'ZECBTC', 'ZEC', 'BTC', 'Cryptocurrency', 8),
  (29, 'ZECUSDT', 'ZEC', 'USDT', 'Cryptocurrency', 3),
  (30, 'ZRXBTC', 'ZRX', 'BTC', 'Cryptocurrency', 11),
  (31, 'ZRXUSDT', 'ZRX', 'USDT', 'Cryptocurrency', 6),
  (32, 'BCHEUR', 'BCH', 'EUR', 'Currencies', 3),
  (33, 'BCHGBP', 'BCH', 'GBP', 'Currencies', 3),
  (34, 'BCHUSD', 'BCH', 'USD', 'Currencies', 3),
  (35, 'BTCEUR', 'BTC', 'EUR', 'Currencies', 2),
  (36, 'BTCGBP', 'BTC', 'GBP', 'Currencies', 2),
  (37, 'BTCUSD', 'BTC', 'USD', 'Currencies', 2),
  (38, 'EOSEUR', 'EOS', 'EUR', 'Currencies', 6),
  (39, 'EOSGBP', 'EOS', 'GBP', 'Currencies', 6),
  (40, 'EOSUSD', 'EOS', 'USD', 'Currencies', 6),
  (41, 'ETCEUR', 'ETC', 'EUR', 'Currencies', 4),
  (42, 'ETCGBP', 'ETC', 'GBP', 'Currencies', 4),
  (43, 'ETCUSD', 'ETC', 'USD', 'Currencies', 4),
  (44, 'ETHEUR', 'ETH', 'EUR', 'Currencies', 2),
  (45, 'ETHGBP', 'ETH', 'GBP', 'Currencies', 2),
  (46, 'ETHUSD', 'ETH', 'USD', 'Currencies', 2),
  (47, 'LTCEUR', 'LTC', 'EUR', 'Currencies', 4),
  (48, 'LTCGBP', 'LTC', 'GBP', 'Currencies', 4),
  (49, 'LTCUSD', 'LTC', 'USD', 'Currencies', 4),
  (50, 'MKREUR', 'MKR', 'EUR', 'Currencies', 2),
  (51, 'MKRGBP', 'MKR', 'GBP', 'Currencies', 2),
  (52, 'MKRUSD', 'MKR', 'USD', 'Currencies', 2),
  (53, 'PCPEUR', 'PCP', 'EUR', 'Currencies', 7),
  (54, 'PCPGBP', 'PCP', 'GBP', 'Currencies', 7),
  (55, 'PCPUSD', 'PCP', 'USD', 'Currencies', 7),
  (56, 'REPEUR', 'REP', 'EUR', 'Currencies', 6),
  (57, 'REPGBP', 'REP', 'GBP', 'Currencies', 6),
  (58, 'REPUSD', 'REP', 'USD', 'Currencies', 6),
  (59, 'SHIBEUR', 'SHIB', 'EUR', 'Currencies', 10),
  (60, 'SHIBGBP', 'SHIB', 'GBP', 'Currencies', 11),
  (61, 'SHIBUSD', 'SHIB', 'USD', 'Currencies', 10),
  (62, 'TRXEUR', 'TRX', 'EUR', 'Currencies', 6),
  (63, 'TRXGBP', 'TRX', 'GBP', 'Currencies', 6),
  (64, 'TRXUSD', 'TRX', 'USD', 'Currencies', 6),
  (65, 'TXREUR', 'TXR', 'EUR', 'Currencies', 8),
  (66, 'TXRGBP', 'TXR', 'GBP', 'Currencies', 8),
  (67, 'TXRUSD', 'TXR', 'USD', 'Currencies', 8),
  (68, 'XLMEUR', 'XLM', 'EUR', 'Currencies', 6),
  (69, 'XLMGBP', 'XLM', 'GBP', 'Currencies', 6),
  (70, 'XLMUSD', 'XLM', 'USD', 'Currencies', 6),
  (71, 'XRPEUR', 'XRP', 'EUR', 'Currencies', 5),
  (72, 'XRPGBP', 'XRP', 'GBP', 'Currencies', 5),
  (73, 'XRPUSD', 'XRP', 'USD', 'Currencies', 5),
  (74, 'ZECEUR', 'ZEC', 'EUR', 'Currencies', 3),
  (75, 'ZECGBP', 'ZEC', 'GBP', 'Currencies', 3),
  (76, 'ZECUSD', 'ZEC', 'USD', 'Currencies', 3),
  (77, 'ZRXEUR', 'ZRX', 'EUR', 'Currencies', 6),
  (78, 'ZRXGBP', 'ZRX', 'GBP', 'Currencies', 6),
  (79, 'ZRXUSD', 'ZRX', 'USD', 'Currencies', 6),
  (80, 'EURUSD', 'EUR', 'USD', null, 5),
  (81, 'SPX', 'SPX', 'USD', null, 2),
  (82, 'NDX', 'NDX', 'USD', null, 2);

update instruments set not_live_reason = base || ' is not listed on any exchange that prices are taken from.'
where base in ('PCP', 'TXR');
update instruments set not_live_reason = 'No source for this index has been set up.' where symbol in ('SPX', 'NDX');
