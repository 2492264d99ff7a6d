-- Up Migration
-- Changes of what a live price must satisfy: until a change counts, prices are made by the terms before it. One that two
-- admins approve while real trades are open counts after those that end soon.
create table terms_changes (
  id bigint primary key,
  symbol text not null,
  before jsonb not null,
  effective_from bigint not null
);
create index terms_changes_from on terms_changes (symbol, effective_from);
create index terms_changes_newest on terms_changes (effective_from);

create function terms_changes_follow_approval() returns trigger language plpgsql as $$
begin
  if not exists (
    select from approved_now('instrument-changes', new.symbol) p where p.id = new.id and p.payload ->> 'kind' = 'change'
  ) then
    raise exception 'the change of % was not approved by two operators', new.symbol using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end
$$;
create trigger terms_changes_follow_approval before insert on terms_changes
  for each row execute function terms_changes_follow_approval();
create trigger terms_changes_are_final before update or delete or truncate on terms_changes
  for each statement execute function refuse_change();
grant select, insert on terms_changes to cleartick_app;
