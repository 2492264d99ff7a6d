import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '#server/platform/database/db.ts'
import { withDatabase } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'

export interface TestDatabase extends Database {
  /** URLs of this copy for the application, the owner and the superuser. */
  appUrl: string
  ownerUrl: string
  superUrl: string
  drop(): Promise<void>
}

/**
 * Creates a copy of the migrated template, opened with the application's role. Drop it when done (`afterAll(() =>
 * database.drop())`).
 */
export async function createTestDatabase(options: { max?: number } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await asSuper(`create database ${name} template cleartick_template owner cleartick_owner`)
  const appUrl = withDatabase(inject('appUrl'), name)
  const database = openDatabase(appUrl, { max: options.max ?? 5, name: 'test', log: createLog('error') })
  return {
    ...database,
    appUrl,
    ownerUrl: withDatabase(inject('ownerUrl'), name),
    superUrl: withDatabase(inject('superUrl'), name),
    async drop() {
      await database.close()
      await asSuper(`drop database if exists ${name} with (force)`)
    },
  }
}

/** The same for a single test: the copy is dropped when the test ends. */
export async function testDatabase(options: { max?: number } = {}): Promise<TestDatabase> {
  const database = await createTestDatabase(options)
  onTestFinished(() => database.drop())
  return database
}

/**
 * Connects a client. If its database is dropped while it's connected, because its test failed or timed out, only the
 * pending queries fail, not the whole run.
 */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

// Two files must not copy the template at the same time: PostgreSQL rejects a template that is in use.
async function asSuper(statement: string): Promise<void> {
  const client = await connectTo(inject('superUrl'))
  try {
    await client.query('select pg_advisory_lock(7001)')
    await client.query(statement)
  } finally {
    await client.end()
  }
}
