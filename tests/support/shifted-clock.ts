import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from '#server/platform/db.ts'
import { openSuper, startServer } from './server.ts'

const SHIFTED_DATE = fileURLToPath(new URL('shifted-date.ts', import.meta.url))

/** The clock of the machine under a server and its database, as both of them read it. */
export interface ShiftedClock {
  /** Settings for `startServer`. */
  env: Record<string, string>
  /** Sets it wrong by so many seconds, from one moment to the next. */
  shift(seconds: number): Promise<void>
}

/**
 * Prepares a data folder so that the clock under it can be set wrong while everything runs, without touching the
 * machine's. In the database `clock_timestamp()` and `now()` of a schema that is searched first are the shifted ones (what
 * columns fill in by themselves keeps the true time); in the server it is `Date`. Monotonic clocks go on, as they do.
 */
export async function shiftableClock(dataDir: string): Promise<ShiftedClock> {
  // The database must run for this; it is reached by starting the server once.
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
