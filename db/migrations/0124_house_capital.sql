-- Up Migration
-- The house's capital: what its owners paid in and took out, each by two admins.
create table capital_moves (
  id bigint primary key,
  -- Above 0: paid in.
  amount cents not null check (amount <> 0),
  -- The payment outside, as the bank or the chain names it.
  reference text not null check (length(reference) between 1 and 100)
);
create trigger capital_moves_come_with_proposal before insert on capital_moves
  for each row execute function details_come_with_proposal('capital-moves');
create trigger capital_moves_are_final before update or delete or truncate on capital_moves
  for each statement execute function refuse_change();
grant insert, select on capital_moves to cleartick_app;

create table capital (
  seq integer primary key check (seq > 0),
  -- Null: the play capital of a test installation, which counts for nothing in production.
  move_id bigint unique references capital_moves,
  amount cents not null check (amount <> 0),
  capital_after cents not null check (capital_after >= 0),
  at timestamptz not null
);
create function capital_follows_approval() returns trigger language plpgsql as $$
declare
  newest capital;
begin
  perform pg_advisory_xact_lock(hashtext('house_capital'));
  select * into newest from capital order by seq desc limit 1;
  if new.move_id is null and (newest.seq is not null or new.amount <> 10000000000) then
    raise exception 'play capital comes first, and once' using errcode = 'integrity_constraint_violation';
  end if;
  if new.move_id is not null and not exists (
    select from approved_now('capital-moves', 'capital') p join capital_moves m on m.id = p.id
    where p.id = new.move_id and m.amount = new.amount
  ) then
    raise exception 'capital move % was not approved by two operators', new.move_id using errcode = 'integrity_constraint_violation';
  end if;
  new.seq = coalesce(newest.seq, 0) + 1;
  new.capital_after = coalesce(newest.capital_after, 0) + new.amount;
  new.at = clock_timestamp();
  return new;
end
$$;
create trigger capital_follows_approval before insert on capital for each row execute function capital_follows_approval();
create trigger capital_is_final before update or delete or truncate on capital
  for each statement execute function refuse_change();
grant select, insert (move_id, amount) on capital to cleartick_app;

-- Until when an installation that had real trades before may trade with real money without capital.
create table capital_grace (
  only_row boolean primary key default true check (only_row),
  until timestamptz not null
);
insert into capital_grace (until) select now() + interval '30 days'
where exists (select from trades where mode = 'real' and status = 'Won') or exists (select from archived_days);
grant select on capital_grace to cleartick_app;
