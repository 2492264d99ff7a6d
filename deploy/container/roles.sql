-- The logins: the owner migrates, the server works with the rights that the migrations grant, the standby copies.
create role cleartick_owner login password :'owner';
create role cleartick_app nologin;
create role cleartick_server login password :'server' in role cleartick_app;
create role cleartick_standby login replication password :'standby';
create database cleartick owner cleartick_owner;

-- Backups are copies too, and are described by what is in the tables.
grant pg_read_all_data to cleartick_standby;
-- What `doctor` and the metrics read: the archive's state, and the lag of standbys.
grant pg_monitor to cleartick_owner;
grant pg_read_all_stats to cleartick_server;
