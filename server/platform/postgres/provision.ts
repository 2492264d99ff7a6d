import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** The two doors to one database: the owner migrates, the application runs with the least rights. */
export interface DatabaseUrls {
  owner: string
  app: string
}

/** The role that the running server uses. Migrations grant it what it needs, table by table. */
export const APP_ROLE = 'cleartick_app'
const OWNER_ROLE = 'cleartick_owner'

/** Makes roles and database on a PostgreSQL of our own, on every start (idempotent), and leaves the superuser's address for tools. */
export async function provision(superUrl: string, dataDir: string, database = 'cleartick'): Promise<DatabaseUrls> {
  const passwords = keepPasswords(dataDir)
  const client = new pg.Client({ connectionString: superUrl })
  await client.connect()
  try {
    for (const [role, password] of [
      [OWNER_ROLE, passwords.owner],
      [APP_ROLE, passwords.app],
    ] as const) {
      const exists = await client.query('select 1 from pg_roles where rolname = $1', [role])
      // Roles take no parameters; the password is base64url of our own making.
      await client.query(`${exists.rowCount ? 'alter' : 'create'} role ${role} login password '${password}'`)
    }
    const exists = await client.query('select 1 from pg_database where datname = $1', [database])
    if (!exists.rowCount) await client.query(`create database ${database} owner ${OWNER_ROLE}`)
  } finally {
    await client.end()
  }
  writeFileSync(join(dataDir, 'database-url'), `${withDatabase(superUrl, database)}\n`, { mode: 0o600 })
  return {
    owner: withRole(superUrl, OWNER_ROLE, passwords.owner, database),
    app: withRole(superUrl, APP_ROLE, passwords.app, database),
  }
}

/** For a PostgreSQL of the operator's: the given login migrates, and the same login steps down to the application's role. */
export function externalUrls(databaseUrl: string): DatabaseUrls {
  const app = new URL(databaseUrl)
  app.searchParams.set('options', `-c role=${APP_ROLE}`)
  return { owner: databaseUrl, app: app.href }
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}

export function withRole(url: string, role: string, password: string, database: string): string {
  const changed = new URL(withDatabase(url, database))
  changed.username = role
  changed.password = password
  return changed.href
}

function keepPasswords(dataDir: string): { owner: string; app: string } {
  const file = join(dataDir, 'database-roles.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const passwords = { owner: randomBytes(24).toString('base64url'), app: randomBytes(24).toString('base64url') }
  writeFileSync(file, JSON.stringify(passwords), { mode: 0o600 })
  return passwords
}
