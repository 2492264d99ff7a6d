-- Up Migration
-- The application runs as a role of its own that may do only what each migration grants it (docs/decisions).
do $$
begin
  if not exists (select from pg_roles where rolname = 'cleartick_app') then
    create role cleartick_app nologin;
  end if;
end
$$;

revoke create on schema public from public;
grant usage on schema public to cleartick_app;

-- Facts are only ever added: no UPDATE, no DELETE, whoever asks (invariants L5, H3).
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: its rows are final', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end
$$;

-- Each process takes a number, so that the ids it makes differ from those of every other.
create sequence node_numbers as integer minvalue 0 maxvalue 1023 cycle;
grant usage on sequence node_numbers to cleartick_app;
