import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from '#server/platform/database/db.ts'
import { openSuper, startServer } from './server.ts'

const SHIFTED_DATE = fileURLToPath(new URL('shifted-date.ts', import.meta.url))

/** The clock that a server and its database both read, which can be shifted. */
export interface ShiftedClock {
  /** Settings for `startServer`. */
  env: Record<string, string>
  /** Shifts the clock abruptly by this many seconds. */
  shift(seconds: number): Promise<void>
}

/**
 * Prepares a data folder whose clock can be shifted while everything runs, without changing the machine's clock. In the
 * database, a schema early in the search path provides the shifted `clock_timestamp()` and `now()` (column defaults
 * keep the true time, except the one that a trigger compares with the clock); in the server, `Date` is shifted.
 * Monotonic clocks run normally, as they would on a real machine.
 */
export async function shiftableClock(dataDir: string): Promise<ShiftedClock> {
  // Start the server once, because the database must be running for this.
  const server = await startServer(dataDir)
  const before = openSuper(dataDir)
  await sql
    .raw(`
      create schema shifted;
      create table shifted.by (seconds float8 not null);
      insert into shifted.by values (0);
      create function shifted.clock_timestamp() returns timestamptz language sql volatile as
        'select pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => seconds) from shifted.by';
      create function shifted.now() returns timestamptz language sql stable as
        'select pg_catalog.now() + pg_catalog.make_interval(secs => seconds) from shifted.by';
      grant usage on schema shifted to public;
      grant select on shifted.by to public;
      alter table deposits alter column requested_at set default shifted.clock_timestamp();
      do $$ begin execute format('alter database %I set search_path = shifted, pg_catalog, public', current_database()); end $$`)
    .execute(before.db)
  await before.close()
  await server.end('SIGTERM')

  const file = join(dataDir, 'shift')
  writeFileSync(file, '0')
  return {
    env: { NODE_OPTIONS: `--import ${SHIFTED_DATE}`, SHIFT_FILE: file },
    async shift(seconds) {
      const { db, close } = openSuper(dataDir)
      await sql`update shifted.by set seconds = ${seconds}`.execute(db)
      await close()
      writeFileSync(file, String(seconds))
    },
  }
}
