import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type MigrationBuilder, runner } from 'node-pg-migrate'
import type pg from 'pg'
import { first } from '#kernel/must.ts'
import { refuseOtherServer } from '../postgres/version.ts'
import { StartProblem } from '../process/start-problem.ts'
import { isDatabaseDown, sqlState } from './db.ts'
import { connectTo } from './primary.ts'

const FOLDER = fileURLToPath(new URL('../../../db/migrations', import.meta.url))
const LOCK_KEY = 7003
const [LOCK_NOT_AVAILABLE, DEADLOCK, INSUFFICIENT_PRIVILEGE] = ['55P03', '40P01', '42501']

interface MigrateOptions {
  /** Tests: a folder with more migrations. */
  folder?: string
  /** Tests: runs only so many of the next migrations. */
  count?: number
  /** How long a statement may wait for a lock. What comes after it, from running nodes, waits as long. */
  lockTimeoutMs?: number
  /** Pause before a migration that did not get its lock is tried again. */
  pauseMs?: number
  say?(text: string): void
}

/**
 * Migrates a database to the newest schema: plain SQL files, forward only, each in its own transaction. Nodes may be
 * running: a migration that can't get a lock in time lets them pass, and is tried again, without end. Throws
 * `StartProblem` if this build can't work on the schema.
 */
export async function migrate(ownerUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { pauseMs = 1_000, say = () => undefined } = options
  const applied: string[] = []
  for (let waiting = ''; ; await sleep(pauseMs)) {
    const result = await migrateOnce(ownerUrl, options, applied)
    if (result === 'done') return applied
    const why =
      result === 'other runner'
        ? 'Another node is migrating the database; waiting for it …'
        : 'A migration waits for running transactions to end; trying again …'
    if (why !== waiting) say(why)
    waiting = why
  }
}

async function migrateOnce(
  ownerUrl: string,
  { folder = FOLDER, count = Number.POSITIVE_INFINITY, lockTimeoutMs = 2_000 }: MigrateOptions,
  applied: string[],
): Promise<'done' | 'other runner' | 'locked'> {
  const client = connectTo(ownerUrl)
  client.on('error', () => undefined)
  await client.connect()
  try {
    await refuseOtherServer(client)
    // Never wait for this lock inside of a statement: CREATE INDEX CONCURRENTLY waits for all statements under way, and
    // so would the runner that holds the lock for the one that waits for it.
    const { rows } = await client.query<{ mine: boolean }>(`select pg_try_advisory_lock(${LOCK_KEY}) as mine`)
    if (!first(rows).mine) return 'other runner'
    const problem = whyIncompatible(migrationsIn(folder), await schemaOf(client))
    if (problem) throw new StartProblem(problem)
    for (let left = count - applied.length; left > 0; left--) {
      const [done] = await runner({
        dbClient: client,
        dir: folder,
        direction: 'up',
        count: 1,
        migrationsTable: 'migrations',
        singleTransaction: false,
        migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadWith(lockTimeoutMs) }],
        log: () => undefined,
        logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      })
      if (!done) break
      applied.push(done.name)
    }
    return 'done'
  } catch (error) {
    // Its transaction is rolled back when the connection ends.
    if ([LOCK_NOT_AVAILABLE, DEADLOCK].includes(sqlState(error) ?? '')) return 'locked'
    throw error
  } finally {
    await client.end()
  }
}

/** A file whose statements are CONCURRENTLY runs outside of a transaction, one statement at a time. */
const loadWith = (lockTimeoutMs: number) => async (paths: string[]) => {
  return paths.map((path) => ({
    id: path,
    filePaths: [path],
    actions: { up: (pgm: MigrationBuilder) => up(path, pgm) },
  }))

  function up(path: string, pgm: MigrationBuilder): void {
    const sql = readFileSync(path, 'utf8')
    const statements = concurrentStatements(sql)
    if (statements) pgm.noTransaction()
    // Nobody waits behind a concurrent statement, so it may wait.
    else pgm.sql(`set local lock_timeout = ${lockTimeoutMs}`)
    for (const statement of statements ?? [sql]) pgm.sql(statement)
  }
}

/** The statements of a migration that contains a CONCURRENTLY; undefined for any other. */
export function concurrentStatements(sql: string): string[] | undefined {
  const text = sql.replaceAll(/--.*$/gm, '')
  if (!/^\s*(create|drop|reindex)\b[^;]*\bconcurrently\b/im.test(text)) return undefined
  return text.split(';').filter((statement) => statement.trim() !== '')
}

/** Lists the migrations that a database has, oldest first. */
export const APPLIED_MIGRATIONS = 'select name from migrations order by id'

/** Lists what a database's migrations ask of the nodes that work on it. */
export const SCHEMA_NEEDS = 'select migration, needs from schema_needs'

/** The names of this build's migrations, oldest first. */
export const knownMigrations = (): string[] => migrationsIn(FOLDER)

const migrationsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => basename(file, '.sql'))
    .sort()

interface Schema {
  /** The migrations that a database has, oldest first. */
  applied: string[]
  /** What its migrations ask of nodes. */
  needs: { migration: string; needs: string }[]
}

async function schemaOf(client: pg.Client): Promise<Schema> {
  const { rows: tables } = await client.query<{ migrations: boolean; needs: boolean }>(
    `select to_regclass('migrations') is not null as migrations, to_regclass('schema_needs') is not null as needs`,
  )
  const found = first(tables)
  const applied = found.migrations ? (await client.query<{ name: string }>(APPLIED_MIGRATIONS)).rows : []
  const needs = found.needs ? (await client.query<Schema['needs'][number]>(SCHEMA_NEEDS)).rows : []
  return { applied: applied.map(({ name }) => name), needs }
}

/**
 * Returns why a build with the migrations `known` can't work on a schema; undefined if it can. Migrations that came
 * later are no reason, unless one says so in `schema_needs`.
 */
export function whyIncompatible(known: readonly string[], { applied, needs }: Schema): string | undefined {
  const newest = known.at(-1) ?? ''
  // Nothing was released before the baseline of one file per room, so a database from before it has no way forward.
  const foreign = applied.find((name) => !known.includes(name) && name <= newest)
  if (foreign !== undefined)
    return (
      `This database was made by another build: its migration ${foreign} is not part of this one. ` +
      'Use a new data folder (DATA_DIR) or an empty database (DATABASE_URL). Data of builds before the first release cannot be upgraded.'
    )
  const unmet = needs.find((row) => !known.includes(row.needs))
  if (unmet === undefined) return undefined
  return (
    `This version is too old for its database: after migration ${unmet.migration}, only versions that know ${unmet.needs} can work on it. ` +
    'Start the version that the other nodes run, or a later one.'
  )
}

/**
 * Waits until another node, or `npm run migrate`, has migrated the database: for nodes whose login may not. Throws
 * `StartProblem` if this build can't work on the schema.
 */
export async function waitForSchema(appUrl: string, say: (text: string) => void, pauseMs = 500): Promise<void> {
  const known = knownMigrations()
  for (let waiting = ''; ; await sleep(pauseMs)) {
    const missing = await missingFrom(appUrl, known)
    if (missing === undefined) return
    if (missing !== waiting)
      say(`Waiting for ${missing}. Run npm run migrate, or start a node of this version that may migrate.`)
    waiting = missing
  }
}

/** Waits until the operator's database answers: a server that starts before it needs nobody who starts it again. */
export async function waitForDatabase(url: string, say: (text: string) => void, pauseMs = 500): Promise<void> {
  for (let waiting = ''; ; await sleep(pauseMs)) {
    const client = connectTo(url)
    client.on('error', () => undefined)
    try {
      await client.connect()
      return
    } catch (error) {
      if (!isDatabaseDown(error)) throw error
      const why = sqlState(error) ?? 'no answer in time'
      if (why !== waiting) say(`Waiting for the database, which does not answer (${why}).`)
      waiting = why
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

async function missingFrom(appUrl: string, known: string[]): Promise<string | undefined> {
  const client = connectTo(appUrl)
  client.on('error', () => undefined)
  try {
    await client.connect()
    await refuseOtherServer(client)
    const schema = await schemaOf(client)
    const problem = whyIncompatible(known, schema)
    if (problem) throw new StartProblem(problem)
    const missing = known.find((name) => !schema.applied.includes(name))
    return missing && `the database's migration ${missing}`
  } catch (error) {
    // Before the migration that allows it, this login can't read which ones there are.
    if (sqlState(error) === INSUFFICIENT_PRIVILEGE) return `the database's migration ${known.at(-1)}`
    if (isDatabaseDown(error)) return 'the database, which does not answer'
    throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}
