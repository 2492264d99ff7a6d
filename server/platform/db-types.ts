/** Made by `npm run db:dump` from the migrated schema; do not edit. */
export type DB = {}
