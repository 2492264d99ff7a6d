import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import { StartProblem } from './start-problem.ts'

const FOLDER = fileURLToPath(new URL('../../db/migrations', import.meta.url))

/**
 * Migrates a database to the newest schema: plain SQL files, forward only, each in its own transaction. Throws
 * `StartProblem` if the database has migrations that this build doesn't know.
 */
export async function migrate(ownerUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await rejectUnknown(client)
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

/** Nothing was released before the baseline of one file per room, so a database from before it has no way forward. */
async function rejectUnknown(client: pg.Client): Promise<void> {
  const { rows: tables } = await client.query(`select to_regclass('migrations') is not null as found`)
  if (!(tables[0] as { found: boolean }).found) return
  const known = new Set(readdirSync(FOLDER).map((file) => basename(file, '.sql')))
  const { rows } = await client.query('select name from migrations order by id')
  const unknown = (rows as { name: string }[]).find(({ name }) => !known.has(name))
  if (!unknown) return
  throw new StartProblem(
    `This database was made by another build: its migration ${unknown.name} is not part of this one. ` +
      'Use a new data folder (DATA_DIR) or an empty database (DATABASE_URL). Data of builds before the first release cannot be upgraded.',
  )
}
