import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '#server/platform/database/migrate.ts'
import { startEmbedded } from '#server/platform/postgres/embedded.ts'
import { type DatabaseUrls, provision } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'

const TEMPLATE = 'tape_template'
/** Passwords of the logins, which belong to the whole PostgreSQL. */
const LOGINS = 'database-roles.json'

/** The PostgreSQL of the servers whose tape a test advances: where it is, and its superuser's address. */
interface TapeDatabases {
  dataDir: string
  superUrl: string
}

/** Starts it, with a migrated database that each of these servers copies. */
export async function startTapeDatabases(dataDir: string): Promise<{ stop(): Promise<void> }> {
  mkdirSync(dataDir, { mode: 0o711 })
  const settings = { max_connections: '300' }
  const postgres = await startEmbedded({ dataDir, log: createLog('error'), unsafeFast: true, settings })
  const urls = await provision(postgres.superUrl, dataDir, TEMPLATE)
  await migrate(urls.owner)
  process.env.E2E_TAPES = JSON.stringify({ dataDir, superUrl: postgres.superUrl } satisfies TapeDatabases)
  return postgres
}

/** The name of the database of the server with this process id. */
export const tapeDatabaseOf = (pid: number): string => `tape_${pid}`

/** Creates a database for the server on this data folder, unless an earlier one has made it (`TAPE_DATABASE`). */
export async function createTapeDatabase(dataDir: string): Promise<DatabaseUrls> {
  const from = JSON.parse(process.env.E2E_TAPES!) as TapeDatabases
  const earlier = process.env.TAPE_DATABASE
  const name = earlier ?? tapeDatabaseOf(process.pid)
  const client = new pg.Client({ connectionString: from.superUrl })
  await client.connect()
  try {
    // PostgreSQL rejects a template that another server is copying, and roles that another is changing.
    await client.query('select pg_advisory_lock(7001)')
    if (earlier === undefined) {
      await client.query(`create database ${name} template ${TEMPLATE} owner cleartick_owner`)
      mkdirSync(dataDir, { recursive: true })
      copyFileSync(join(from.dataDir, LOGINS), join(dataDir, LOGINS))
    }
    return await provision(from.superUrl, dataDir, name)
  } finally {
    await client.end()
  }
}
