#!/usr/bin/env bash
# Makes the secrets of a new cluster in the folder `secrets` next to this file, or in the one named. Keep a copy of it
# elsewhere: without files-key, private files can't be read again,
# and without backup-key no backup.
set -eu
folder=${1:-$(dirname "$0")/secrets}
if [ -e "$folder" ]; then
  echo "$folder exists already. A cluster keeps its secrets." >&2
  exit 1
fi
umask 0077
mkdir -p "$folder"
random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
for name in superuser owner server standby valkey; do random 24 >"$folder/$name-password"; done
random 32 >"$folder/files-key"
random 32 >"$folder/proof-key"
random 32 >"$folder/backup-key"
random 10 >"$folder/s3-key"
random 24 >"$folder/s3-secret"
read_secret() { cat "$folder/$1"; }
printf 'postgres://cleartick_owner:%s@postgres:5432,standby:5432/cleartick' "$(read_secret owner-password)" >"$folder/database-url"
printf 'postgres://cleartick_server:%s@postgres:5432,standby:5432/cleartick' "$(read_secret server-password)" >"$folder/database-app-url"
printf 'postgres://cleartick_standby:%s@postgres:5432/cleartick' "$(read_secret standby-password)" >"$folder/backup-database-url"
printf 'redis://:%s@valkey:6379' "$(read_secret valkey-password)" >"$folder/redis-url"
printf 's3+http://%s:%s@s3:7070/cleartick' "$(read_secret s3-key)" "$(read_secret s3-secret)" >"$folder/files-url"
# Containers read the files as different users; nobody else gets into the folder.
chmod 0700 "$folder"
chmod 0444 "$folder"/*
echo "Made $folder. Add smtp-url, tls.crt and tls.key to it."
