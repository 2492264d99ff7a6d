#!/usr/bin/env bash
# Copies the primary at the first start, then follows it.
set -eu
PGPASSWORD=$(cat /run/secrets/standby-password)
export PGPASSWORD
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  rm -rf "${PGDATA:?}"
  pg_basebackup -h postgres -U cleartick_standby -D "$PGDATA" -R -X stream --checkpoint=fast
  chmod 0700 "$PGDATA"
fi
exec postgres -D "$PGDATA" -c max_connections=300 -c hot_standby_feedback=on -c summarize_wal=on
