-- Up Migration
-- Each accepted order is bound in the tape: a frame within about a second holds the root of a tree of the orders accepted
-- since the one before. To change an order later, one must then change the tape as well.

-- What nobody can guess of an order, so that its published hash reveals nothing. Orders of older nodes get one too. Null for
-- the trades that are older than this migration: no frame binds them.
alter table trades add column salt bytea;
alter table trades alter column salt set default uuid_send(gen_random_uuid());

-- Accepted orders that no frame binds yet, a row for each statement that accepted some: a commit that comes late is found
-- all the same. The frame that binds them removes them.
create table unbound_orders (
  -- The smallest of its trades.
  id bigint primary key,
  -- Ascending.
  trade_ids bigint[] not null check (id = trade_ids[1])
);
grant select on unbound_orders to cleartick_app;

-- The orders that a frame binds: its body has their number and the root.
create table frame_orders (
  frame bigint primary key check (frame > 0),
  -- The frame's time, Unix ms.
  t bigint not null,
  -- Ascending.
  trade_ids bigint[] not null check (cardinality(trade_ids) > 0),
  -- The hash of each order, 32 bytes.
  leaves bytea not null check (octet_length(leaves) = 32 * cardinality(trade_ids)),
  root bytea not null check (octet_length(root) = 32)
);
create index frame_orders_by_time on frame_orders (t);
create trigger frame_orders_are_final before update or delete on frame_orders for each statement execute function refuse_change();
grant select, insert on frame_orders to cleartick_app;

-- Its rights are the owner's: no other statement adds or removes a row.
create function trades_await_frame() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into unbound_orders (id, trade_ids)
  select min(id), array_agg(id order by id) from added where salt is not null having count(*) > 0;
  return null;
end
$$;
create trigger trades_await_frame after insert on trades
  referencing new table as added for each statement execute function trades_await_frame();

-- An order is bound once: only one that awaits it, which it then no longer does.
create function frame_orders_bind() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  bound bigint[];
begin
  with gone as (
    delete from unbound_orders where id = any (new.trade_ids) returning trade_ids
  )
  select array_agg(id order by id) into bound from gone, unnest(gone.trade_ids) id;
  if bound is distinct from new.trade_ids then
    raise exception 'frame % binds orders that do not await it', new.frame using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;
create trigger frame_orders_bind after insert on frame_orders for each row execute function frame_orders_bind();
