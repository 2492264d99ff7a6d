-- Up Migration
-- Payments by card that couldn't be credited: finance sees them at their deposit until one operator closes them.
create table uncredited_payments (
  -- The id of the payment at its provider.
  payment text primary key check (length(payment) between 1 and 255),
  -- Null: no deposit here has the id that the payment names.
  deposit_id bigint references deposits,
  amount cents not null check (amount > 0),
  at timestamptz not null default clock_timestamp(),
  closed_by bigint references operators,
  closed_at timestamptz,
  closed_reason text check (length(closed_reason) between 1 and 500),
  constraint uncredited_payments_closed_whole check (num_nulls(closed_by, closed_at, closed_reason) in (0, 3))
);
create index uncredited_payments_of_deposit on uncredited_payments (deposit_id);
create index uncredited_payments_open on uncredited_payments (deposit_id) where closed_at is null;
create index uncredited_payments_closed_by on uncredited_payments (closed_by) where closed_by is not null;

create function uncredited_payments_close_once() returns trigger language plpgsql as $$
begin
  raise exception 'payment % is closed already', old.payment using errcode = 'integrity_constraint_violation';
end
$$;
create trigger uncredited_payments_close_once before update on uncredited_payments for each row
  when (old.closed_at is not null) execute function uncredited_payments_close_once();

grant select, insert (payment, deposit_id, amount) on uncredited_payments to cleartick_app;
grant update (closed_by, closed_at, closed_reason) on uncredited_payments to cleartick_app;
