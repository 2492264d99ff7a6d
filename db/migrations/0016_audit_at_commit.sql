-- Up Migration
-- The end of the audit chain is locked at the commit, not before: whoever records a deed writes it here, and the database
-- carries it into the chain as the last thing of the transaction. Nobody waits for another's way back to the application.
-- Nothing stays in this table, so a crash has nothing to restore.
create unlogged table deeds (
  id bigint generated always as identity primary key,
  operator_id bigint,
  operator text not null,
  action text not null,
  item_kind text not null,
  item_id text not null,
  user_id bigint,
  before jsonb,
  after jsonb,
  why text not null default ''
);

create function deeds_are_recorded() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit (operator_id, operator, action, item_kind, item_id, user_id, before, after, why)
  values (new.operator_id, new.operator, new.action, new.item_kind, new.item_id, new.user_id, new.before, new.after, new.why);
  delete from deeds where id = new.id;
  return null;
end
$$;
create constraint trigger deeds_are_recorded after insert on deeds deferrable initially deferred
  for each row execute function deeds_are_recorded();
create trigger deeds_are_final before update on deeds for each statement execute function refuse_change();

-- One look at the head instead of two.
create or replace function audit_chain() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The head's lock lets one transaction after the other write; it is held until the commit.
  select n + 1, hash into new.n, new.previous from audit_head for update;
  new.at = clock_timestamp();
  new.hash = audit_hash(new);
  update audit_head set n = new.n, hash = new.hash;
  return new;
end
$$;

grant insert on deeds to cleartick_app;
revoke insert on audit from cleartick_app;
