import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg, { escapeIdentifier } from 'pg'
import { first } from '#kernel/must.ts'
import { connectTo } from '../database/primary.ts'
import { keepFile, replaceFile } from '../process/durable-file.ts'
import { StartProblem } from '../process/start-problem.ts'
import { changeAddress, readAddress } from './address.ts'
import { refuseOtherServer } from './version.ts'

/** The two logins to one database: the owner migrates, the application runs with minimal rights. */
export interface DatabaseUrls {
  owner: string
  app: string
}

/** The database of an installation with the bundled PostgreSQL. */
export const DATABASE = 'cleartick'
/** The role that the running server uses. Migrations grant it what it needs, table by table. */
export const APP_ROLE = 'cleartick_app'
const OWNER_ROLE = 'cleartick_owner'
const SERVER_LOGIN = 'cleartick_server'
const INSUFFICIENT_PRIVILEGE = '42501'
/** PostgreSQL cuts longer names off. */
const NAME_MAX_BYTES = 63

/**
 * Creates roles and database on an embedded PostgreSQL, on every start (idempotent), and writes the superuser's address
 * for tools.
 */
export async function provision(superUrl: string, dataDir: string, database = DATABASE): Promise<DatabaseUrls> {
  const passwords = keepPasswords(dataDir)
  const client = new pg.Client({ connectionString: superUrl })
  client.on('error', () => undefined)
  await client.connect()
  try {
    for (const [role, password] of [
      [OWNER_ROLE, passwords.owner],
      [APP_ROLE, passwords.app],
    ] as const) {
      const exists = await client.query('select 1 from pg_roles where rolname = $1', [role])
      // Role statements take no parameters; the password is base64url that we generated.
      await client.query(`${exists.rowCount ? 'alter' : 'create'} role ${role} login password '${password}'`)
    }
    const exists = await client.query('select 1 from pg_database where datname = $1', [database])
    if (!exists.rowCount) await client.query(`create database ${database} owner ${OWNER_ROLE}`)
  } finally {
    await client.end()
  }
  replaceFile(join(dataDir, 'database-url'), `${withDatabase(superUrl, database)}\n`)
  return {
    owner: withRole(superUrl, OWNER_ROLE, passwords.owner, database),
    app: withRole(superUrl, APP_ROLE, passwords.app, database),
  }
}

/**
 * Prepares the operator's PostgreSQL. The given login owns and migrates; the server signs in as another login that has
 * only the application's rights, so that no injected statement can become the owner (`SET ROLE` could be undone). Its
 * password is derived from the owner's address, so that every node computes the same one. Throws `StartProblem` if the
 * owner may not create it.
 */
export async function externalUrls(databaseUrl: string): Promise<DatabaseUrls> {
  const { username, password, pathname } = readAddress(databaseUrl)
  const serverPassword = createHash('sha256')
    .update(`cleartick server login\0${username}\0${password}\0${pathname}`)
    .digest('base64url')
  const client = connectTo(databaseUrl)
  client.on('error', () => undefined)
  let login: string
  await client.connect()
  try {
    await refuseOtherServer(client)
    // Two nodes that start at once: the second finds the roles.
    await client.query('select pg_advisory_lock(7002)')
    login = serverLogin(first((await client.query<{ name: string }>('select current_database() as name')).rows).name)
    const names = await client.query<{ rolname: string }>('select rolname from pg_roles where rolname = any ($1)', [
      [APP_ROLE, login],
    ])
    const exists = new Set(names.rows.map(({ rolname }) => rolname))
    if (!exists.has(APP_ROLE)) await client.query(`create role ${APP_ROLE} nologin`)
    await client.query(
      `${exists.has(login) ? 'alter' : 'create'} role ${escapeIdentifier(login)} login password '${serverPassword}'`,
    )
    await client.query(`grant ${APP_ROLE} to ${escapeIdentifier(login)}`)
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error
    throw new StartProblem(
      `The login in DATABASE_URL can't create the login that the server uses. Give it CREATEROLE and, if another login created the role ${APP_ROLE}, grant it that role with admin option. Or set DATABASE_APP_URL to a login that is a member of ${APP_ROLE}.`,
    )
  } finally {
    await client.end()
  }
  return { owner: databaseUrl, app: withRole(databaseUrl, login, serverPassword) }
}

/**
 * Returns the name of the server's login: a member of the application's role and of nothing else. Logins belong to the
 * whole PostgreSQL, so each database has its own, or a second installation would change the password of the first. The
 * name is one that nobody else has given to a login.
 */
function serverLogin(database: string): string {
  if (database === DATABASE) return SERVER_LOGIN
  const name = `${SERVER_LOGIN}_${database}`
  if (Buffer.byteLength(name) <= NAME_MAX_BYTES) return name
  return `${SERVER_LOGIN}_${createHash('sha256').update(database).digest('hex').slice(0, 32)}`
}

/**
 * Returns the address of a standby for the server's login: where DATABASE_READ_URL has no user name, it's the login of
 * `appUrl`, and where it has no database, its database.
 */
export function readUrl(url: string, appUrl: string): string {
  const [read, app] = [new URL(url), readAddress(appUrl)]
  if (read.username === '') [read.username, read.password] = [app.username, app.password]
  if (read.pathname === '' || read.pathname === '/') read.pathname = app.pathname
  return read.href
}

export const withDatabase = (url: string, database: string): string =>
  changeAddress(url, (one) => {
    one.pathname = `/${database}`
  })

export const withRole = (url: string, role: string, password: string, database?: string): string =>
  changeAddress(url, (one) => {
    one.username = role
    one.password = password
    if (database !== undefined) one.pathname = `/${database}`
  })

function keepPasswords(dataDir: string): { owner: string; app: string } {
  const create = () => randomBytes(24).toString('base64url')
  return JSON.parse(
    keepFile(join(dataDir, 'database-roles.json'), () => JSON.stringify({ owner: create(), app: create() })),
  )
}
