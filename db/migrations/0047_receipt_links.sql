-- Up Migration
-- Links to receipts: anyone who has one sees the receipt, until its owner revokes it.

create table receipt_links (
  user_id bigint not null references users (id),
  trade_id bigint not null,
  -- 128 random bits as base64url: the link's secret.
  token text not null unique check (token ~ '^[A-Za-z0-9_-]{22}$'),
  created_at timestamptz not null default clock_timestamp(),
  primary key (user_id, trade_id)
);
grant select, insert, delete on receipt_links to cleartick_app;
