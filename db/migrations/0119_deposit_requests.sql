-- Up Migration
-- A coin deposit is a stored request from its preview on: what to send, where, and at which rate. It becomes a deposit with
-- its receipt, and is valued by when the coins arrive.
-- Requests that aren't submitted yet: at most three for each trader, deleted once they are submitted, cancelled or a day old.
create table deposit_requests (
  -- Also the id of the deposit that it becomes.
  id bigint primary key,
  user_id bigint not null references users,
  slot smallint not null check (slot between 1 and 3),
  coin coin not null,
  submitted cents not null check (submitted >= 100),
  coin_amount numeric(24, 8) not null,
  rate numeric not null,
  rate_source price_source,
  address text not null check (length(address) between 1 and 128),
  -- A made-up address of a test installation.
  is_test boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint deposit_requests_open unique (user_id, slot),
  constraint deposit_requests_rate check (
    rate > 0 and coin_amount >= 0 and abs(coin_amount * rate * 100 - submitted) <= rate / 1000000
  )
);
create index deposit_requests_by_age on deposit_requests (created_at);
create trigger deposit_requests_are_final before update on deposit_requests for each statement execute function refuse_change();
grant select, delete, insert (id, user_id, slot, coin, submitted, coin_amount, rate, rate_source, address, is_test)
  on deposit_requests to cleartick_app;

-- When the trader was shown what to send: the rate counts for coins that arrive within 15 minutes. Null in deposits from
-- before this migration, whose rate has no end.
alter table deposits add column requested_at timestamptz;
alter table deposits alter column requested_at set default clock_timestamp();

create function deposits_follow_requests() returns trigger language plpgsql as $$
begin
  -- One without a request is made and submitted at once.
  if new.requested_at between clock_timestamp() - interval '5 seconds' and clock_timestamp() then
    return new;
  end if;
  if not exists (
    select from deposit_requests r where r.id = new.id
      and (r.user_id, r.coin, r.submitted, r.coin_amount, r.rate, r.address, r.created_at)
        is not distinct from (new.user_id, new.coin, new.submitted, new.coin_amount, new.rate, new.address, new.requested_at)
      and r.created_at > clock_timestamp() - interval '24 hours'
  ) then
    raise exception 'deposit % is not what was requested', new.id
      using errcode = 'integrity_constraint_violation', constraint = 'deposits_follow_requests';
  end if;
  return new;
end
$$;
create trigger deposits_follow_requests before insert on deposits for each row
  when (new.method = 'crypto' and new.requested_at is not null) execute function deposits_follow_requests();

-- What arrived, as an operator read it from the blockchain, and what it was worth then.
create table deposit_arrivals (
  deposit_id bigint primary key references deposits,
  user_id bigint not null references users,
  coin coin not null,
  transaction_id text not null,
  coins numeric(24, 8) not null check (coins > 0),
  arrived_at timestamptz not null,
  -- The rate of the request for what arrived in time, otherwise the rate of the tape at that time.
  rate numeric not null check (rate > 0),
  amount cents not null check (amount >= 0),
  operator_id bigint not null references operators,
  at timestamptz not null default clock_timestamp(),
  -- A transaction may pay several traders, and each of them once.
  constraint deposit_arrivals_once unique (user_id, coin, transaction_id),
  constraint deposit_arrivals_transaction check (
    transaction_id ~ case coin when 'BTC' then '^[0-9a-f]{64}$' else '^0x[0-9a-f]{64}$' end
  ),
  constraint deposit_arrivals_past check (arrived_at <= at),
  constraint deposit_arrivals_worth check (abs(coins * rate * 100 - amount) <= 0.5)
);
create index deposit_arrivals_transactions on deposit_arrivals (coin, transaction_id);
create index deposit_arrivals_of_operator on deposit_arrivals (operator_id);
grant select, insert (deposit_id, user_id, coin, transaction_id, coins, arrived_at, rate, amount, operator_id) on deposit_arrivals to cleartick_app;
grant update (transaction_id, coins, arrived_at, rate, amount, operator_id, at) on deposit_arrivals to cleartick_app;

-- It can be corrected until someone has approved the deposit.
create function deposit_arrivals_before_approval() returns trigger language plpgsql as $$
begin
  if not exists (
    select from deposits d where d.id = new.deposit_id and d.status = 'Pending' and (d.user_id, d.coin) = (new.user_id, new.coin)
      and not exists (select from deposit_approvals a where a.deposit_id = d.id)
  ) then
    raise exception 'deposit % takes no arrival', new.deposit_id
      using errcode = 'integrity_constraint_violation', constraint = 'deposit_arrivals_before_approval';
  end if;
  return new;
end
$$;
create trigger deposit_arrivals_before_approval before insert or update on deposit_arrivals
  for each row execute function deposit_arrivals_before_approval();
