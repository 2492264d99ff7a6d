-- Up Migration
-- Where a trader wants notifications of a kind; without a row, the defaults of contract/messages/notices.ts. The list in the app is
-- the record of what happened to money and account, and nobody who has taken over a session silences e-mails about it.
create table notice_preferences (
  user_id bigint not null references users (id),
  kind notice_kind not null,
  in_app boolean not null check (in_app or kind in ('trade-ending', 'trade-settled')),
  email boolean not null check (email or kind not in ('security', 'withdraw')),
  push boolean not null,
  primary key (user_id, kind)
);
grant select, insert, update on notice_preferences to cleartick_app;
create index notice_preferences_of_trades on notice_preferences (kind) where kind in ('trade-ending', 'trade-settled');

-- The trades whose owners were notified, for two days: once of each, over restarts and with several engines.
create table alert_trades (
  user_id bigint not null references users (id),
  trade_id bigint not null,
  kind notice_kind not null,
  at timestamptz not null default clock_timestamp(),
  primary key (user_id, trade_id, kind)
);
grant select, insert, delete on alert_trades to cleartick_app;
