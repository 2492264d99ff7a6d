-- Up Migration
-- Settled trades and their movements can leave the database for files, a day at a time. What stays is enough to check the
-- ledger without them: what each account's archived trades summed up to, and of each day its counts, sums and hashes.

-- The trades in the trees of the checkpoints of a day, without those that something still needs.
create table archived_days (
  -- The UTC day of the checkpoints' frames.
  day date primary key,
  trades bigint not null check (trades > 0),
  transfers bigint not null check (transfers >= 2 * trades),
  -- Payouts less stakes, in cents.
  real_result bigint not null,
  demo_result bigint not null,
  -- The time of the newest of these movements.
  last_at timestamptz not null,
  -- sha256 over the id (8 bytes) and the leaf (32 bytes) of each, in the order of the checkpoints.
  leaves bytea not null check (octet_length(leaves) = 32),
  -- The files in ARCHIVE_URL: the folder's name, how many parts, and the sha256 of their content, which isn't encrypted.
  object text not null unique check (object ~ '^\d{4}-\d\d-\d\d-[0-9a-f]{16}$'),
  parts integer not null check (parts > 0),
  sha256 bytea not null check (octet_length(sha256) = 32),
  bytes bigint not null check (bytes > 0),
  archived_at timestamptz not null default clock_timestamp(),
  -- The transaction that removed the rows.
  removed_in xid8 not null default pg_current_xact_id()
);
create trigger archived_days_are_final before update or delete on archived_days for each statement execute function refuse_change();
create trigger archived_days_are_kept before truncate on archived_days for each statement execute function refuse_change();
grant select on archived_days to cleartick_app;

-- What the archived trades of an account summed up to. Their stakes came and went, so only the balance has a sum.
create table archived_sums (
  account_id bigint primary key references accounts,
  trades bigint not null check (trades > 0),
  transfers bigint not null check (transfers >= 2 * trades),
  -- Payouts less stakes, in cents.
  result bigint not null,
  -- The newest archived movement. Up to here the movements that are left have gaps between their numbers.
  last_seq bigint not null,
  last_at timestamptz not null,
  constraint archived_sums_fit check (last_seq >= transfers)
);
create trigger archived_sums_are_kept before delete or truncate on archived_sums for each statement execute function refuse_change();
grant select on archived_sums to cleartick_app;

-- Movements leave only in the transaction that records their day, and only as many and as much as it says.
create function transfers_leave_archived() returns trigger language plpgsql as $$
begin
  if exists (
    select from (
      select count(*) as transfers, bool_and(cause in ('trade_open', 'trade_settle')) as of_trades,
        coalesce(sum(case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end) filter (where mode = 'real'), 0) as real_result,
        coalesce(sum(case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end) filter (where mode = 'demo'), 0) as demo_result
      from removed
    ) r left join archived_days d on d.removed_in = pg_current_xact_id()
    where r.transfers > 0 and (r.of_trades and r.transfers = d.transfers and r.real_result = d.real_result and r.demo_result = d.demo_result) is not true
  ) then
    raise exception 'movements can only be archived' using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;
create or replace trigger transfers_are_final before update on transfers for each statement execute function refuse_change();
create trigger transfers_leave_archived after delete on transfers
  referencing old table as removed for each statement execute function transfers_leave_archived();
