-- Up Migration
-- Upgrades without downtime. Older nodes continue on a schema with migrations that they don't know, unless one of those
-- removed or changed something: it then writes here which migration a node must know to work on the schema.
create table schema_needs (
  migration text primary key check (migration ~ '^\d{4}_\w+$'),
  needs text not null check (needs ~ '^\d{4}_\w+$' and needs < migration)
);
-- A node that may not migrate waits until the schema is there.
grant select on migrations, schema_needs to cleartick_app;
