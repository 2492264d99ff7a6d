import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import pg from 'pg'

const FOLDER = fileURLToPath(new URL('../../db/migrations', import.meta.url))

/** Migrates a database to the newest schema: plain SQL files, forward only, each in its own transaction. */
export async function migrate(ownerUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const done = await runner({
      dbClient: client,
      dir: FOLDER,
      direction: 'up',
      migrationsTable: 'migrations',
      singleTransaction: false,
      log: () => undefined,
      logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    })
    return done.map((migration) => migration.name)
  } finally {
    await client.end()
  }
}
