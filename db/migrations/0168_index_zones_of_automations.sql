-- Up Migration
-- The engine reads the zones of the followers that run before each round.
drop index concurrently if exists automations_zones;
create index concurrently automations_zones on automations (time_zone) where state = 'Running';
