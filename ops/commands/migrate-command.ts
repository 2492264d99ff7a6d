import { readConfig } from '#server/config/config.ts'
import { knownMigrations, migrate } from '#server/platform/database/migrate.ts'
import { keepTimelines } from '#server/platform/database/timelines.ts'
import { externalUrls } from '#server/platform/postgres/provision.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { noMore, runCommand, say } from './run-command.ts'

const USAGE = 'Usage: npm run migrate, with the settings of the server and DATABASE_URL'

/** `npm run migrate`: brings the operator's PostgreSQL to the schema of this version, while nodes of the one before run. */
async function migration(args: string[]): Promise<undefined> {
  noMore(args)
  const { DATABASE_URL, DATABASE_APP_URL, dataDir } = readConfig()
  keepTimelines(dataDir)
  if (!DATABASE_URL)
    throw new StartProblem(
      'Set DATABASE_URL to the login that owns the tables. npm start migrates a built-in PostgreSQL.',
    )
  // Creates the server's login where the operator didn't.
  if (!DATABASE_APP_URL) await externalUrls(DATABASE_URL)
  const done = await migrate(DATABASE_URL, { say })
  for (const name of done) say(`Migrated: ${name}`)
  say(`The database is ready for this version (${knownMigrations().at(-1)}).`)
}

runCommand(USAGE, migration)
