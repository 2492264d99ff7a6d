#!/usr/bin/env bash
# Runs once, when PostgreSQL makes its empty data folder.
set -eu
psql -v ON_ERROR_STOP=1 --username postgres \
  -v owner="$(cat /run/secrets/owner-password)" \
  -v server="$(cat /run/secrets/server-password)" \
  -v standby="$(cat /run/secrets/standby-password)" \
  -f /roles.sql
echo 'host replication cleartick_standby all scram-sha-256' >>"$PGDATA/pg_hba.conf"
