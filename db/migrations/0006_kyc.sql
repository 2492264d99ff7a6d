-- Up Migration
-- Checks of a government ID and of a proof of address. An approved ID is checked again when the trader's name, birth date
-- or country changes; withdrawals are held until compliance confirms it.
create type check_kind as enum ('identity', 'address');
create type check_method as enum (
  'drivers_license', 'international_passport', 'national_id', 'utility_bill', 'bank_statement', 'tax_document', 'others'
);

create table identity_checks (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  method check_method not null,
  status decision_status not null default 'Pending',
  reason text check (length(reason) <= 500),
  -- Name in the private file storage; null once the picture was deleted.
  file text unique,
  created_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  -- Set when a newer check replaced this one after a rejection, or when the account was closed.
  superseded_at timestamptz,
  kind check_kind not null default 'identity',
  -- What the trader changed after an earlier approval: the values from before, by field.
  changed_from jsonb check (jsonb_typeof(changed_from) = 'object'),
  -- Passed on to the check that replaces a rejected one, so that uploading again doesn't release the hold.
  holds_withdrawals boolean not null default false,
  constraint identity_checks_reason check (status <> 'Rejected' or reason is not null),
  constraint identity_checks_decided check ((status = 'Pending') = (decided_at is null)),
  constraint identity_checks_picture check (file is not null or superseded_at is not null),
  constraint identity_checks_holds_identity check (kind = 'identity' or not holds_withdrawals),
  constraint identity_checks_method check (
    case kind
      when 'identity' then method in ('drivers_license', 'international_passport', 'national_id', 'others')
      else method in ('utility_bill', 'bank_statement', 'tax_document', 'others')
    end
  )
);
create unique index identity_checks_current on identity_checks (user_id, kind) where superseded_at is null;
create index identity_checks_of_user on identity_checks (user_id);
create index identity_checks_pending on identity_checks (id) where status = 'Pending' and superseded_at is null;
-- A decision is final. Only the picture may be deleted, when a newer check or the closing of the account allows it.
create trigger identity_checks_decided_once before update on identity_checks for each row
  when (old.status <> 'Pending' and (new.status, new.reason, new.decided_at) is distinct from (old.status, old.reason, old.decided_at))
  execute function refuse_change();
grant select, insert, update on identity_checks to cleartick_app;
