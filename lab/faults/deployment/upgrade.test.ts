import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sql } from '#server/platform/database/db.ts'
import { knownMigrations, migrate } from '#server/platform/database/migrate.ts'
import { withRole } from '#server/platform/postgres/provision.ts'
import { startInstallation } from '#tests/support/servers/installation.ts'
import { dataFolder, launch, openSuper, startServer } from '#tests/support/servers/server.ts'
import { broken, crowd, healthy, losses } from '#tests/support/trades/crowd.ts'
import { converge, startLoad } from '#tests/support/trades/load.ts'

/** Tests what docs/operations/upgrade.md promises about nodes whose version isn't the schema's. */
const OURS = fileURLToPath(new URL('../../../db/migrations', import.meta.url))
const TRADERS = 4
const TIMEOUT_MS = 120_000

const { freshData, submitTo } = crowd(TRADERS)

/**
 * Changes that a later version may make to every table in use: new columns, tables, indexes, values and constraints.
 */
const tables = [
  ...readFileSync(new URL('../../../db/schema.sql', import.meta.url), 'utf8').matchAll(/^create table (\w+)/gm),
]
const NEXT: Record<string, string> = {
  // One table at a time: a transaction that locks two can deadlock with the nodes.
  ...Object.fromEntries(
    tables.map(([, table]) => [
      `9001_${table}`,
      `alter table ${table} add column later text, add column later_number int not null default 7`,
    ]),
  ),
  '9002_table': `create table later (id bigint primary key); alter type trade_status add value 'Later'`,
  '9003_index':
    'drop index concurrently if exists trades_later_number; create index concurrently trades_later_number on trades (later_number);',
  '9004_constraint': 'alter table trades add constraint trades_later check (later_number > 0) not valid;',
  '9005_validate': 'alter table trades validate constraint trades_later;',
}

function laterVersion(): string {
  const folder = join(dataFolder(), 'migrations')
  mkdirSync(folder)
  cpSync(OURS, folder, { recursive: true })
  for (const [name, text] of Object.entries(NEXT)) writeFileSync(join(folder, `${name}.sql`), text)
  return folder
}

test(
  'a node keeps trading while a later version expands every table, and can restart on that schema',
  async () => {
    const dataDir = freshData()
    let server = await startServer(dataDir)
    const statuses = new Map<number, number>()
    const submit = submitTo(() => server, statuses)
    const load = startLoad(submit, { loops: 4, traders: TRADERS })
    await expect.poll(() => load.accepted(), { timeout: 20_000 }).toBeGreaterThan(50)

    const superUrl = readFileSync(join(dataDir, 'database-url'), 'utf8').trim()
    const { owner } = JSON.parse(readFileSync(join(dataDir, 'database-roles.json'), 'utf8')) as { owner: string }
    const ownerUrl = withRole(superUrl, 'cleartick_owner', owner, 'cleartick')
    const done = await migrate(ownerUrl, { folder: laterVersion(), pauseMs: 50 })
    expect(done.sort()).toEqual(Object.keys(NEXT).sort())

    const during = load.accepted()
    await expect.poll(() => load.accepted(), { timeout: 20_000 }).toBeGreaterThan(during + 50)
    const attempts = await load.stop()
    expect([...statuses.keys()]).toEqual([200])
    // Settlement writes to the expanded tables too. Make the trades end sooner than normally possible.
    const { db, close } = openSuper(dataDir)
    await sql.raw('alter table trades drop constraint if exists trades_terms').execute(db)
    await db.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`update trades set end_time = trade_time + 2000`.execute(tx)
    })
    await expect
      .poll(
        async () => {
          const { rows } = await sql<{ pending: number; entered: number; expanded: number }>`
            select count(*) filter (where status = 'Pending')::int as pending,
              count(*) filter (where entry_time is not null)::int as entered,
              count(*) filter (where status <> 'Pending' and later_number = 7)::int as expanded from trades`.execute(db)
          const { pending, entered, expanded } = rows[0]!
          return pending === 0 && entered > 0 && expanded > during
        },
        { timeout: 20_000 },
      )
      .toBe(true)
    await close()
    expect(server.output().match(/^.*error.*$/gm) ?? []).toEqual([])
    expect(await server.end('SIGTERM')).toBe(0)

    server = await startServer(dataDir)
    await healthy(server)
    const again = startLoad(submit, { loops: 4, traders: TRADERS })
    await expect.poll(() => again.accepted(), { timeout: 20_000 }).toBeGreaterThan(20)
    attempts.push(...(await again.stop()))
    await converge(attempts, submit)
    expect(await losses(dataDir, attempts)).toEqual([])
    expect(await broken(dataDir)).toEqual([])
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  "a node that may not migrate waits for its version's schema, and then starts",
  async () => {
    const names = knownMigrations()
    const { urls } = await startInstallation({ migrateWith: (url) => migrate(url, { count: names.length - 1 }) })
    const { child, output, ended } = launch('server/app/main.ts', {
      DATA_DIR: dataFolder(),
      ROLES: 'web',
      MIGRATIONS: 'wait',
      DATABASE_APP_URL: urls.app,
      FILES_KEY: 'ab'.repeat(32),
    })
    await expect
      .poll(output, { timeout: 20_000 })
      .toContain(`Waiting for the database's migration ${names.at(-1)}. Run npm run migrate`)
    const command = launch('ops/commands/migrate-command.ts', {
      DATA_DIR: dataFolder(),
      DATABASE_URL: urls.owner,
      DATABASE_APP_URL: urls.app,
    })
    expect(await command.ended).toBe(0)
    expect(command.output()).toBe(
      `Migrated: ${names.at(-1)}\nThe database is ready for this version (${names.at(-1)}).\n`,
    )
    await expect.poll(output, { timeout: 30_000 }).toContain('is up')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  'a node refuses to start on a schema that requires a later version, and says so',
  async () => {
    const { urls, db } = await startInstallation()
    await sql`insert into migrations (name, run_on) values ('9001_expand', now()), ('9002_contract', now())`.execute(db)
    const start = async (env: Record<string, string>) => {
      const { ended, output } = launch('server/app/main.ts', {
        DATA_DIR: dataFolder(),
        ROLES: 'web',
        FILES_KEY: 'ab'.repeat(32),
        ...env,
      })
      return { code: await ended, output: output() }
    }
    await sql`insert into schema_needs (migration, needs) values ('9002_contract', '9001_expand')`.execute(db)
    const refused = {
      code: 1,
      output: expect.stringContaining(
        'too old for its database: after migration 9002_contract, only versions that know 9001_expand can work on it',
      ),
    }
    expect(await start({ DATABASE_URL: urls.owner, DATABASE_APP_URL: urls.app })).toEqual(refused)
    expect(await start({ MIGRATIONS: 'wait', DATABASE_APP_URL: urls.app })).toEqual(refused)
  },
  TIMEOUT_MS,
)

test.each([[{ MIGRATIONS: 'wait' }], [{ DATABASE_APP_URL: 'postgres://u:p@127.0.0.1:1/x' }]])(
  'MIGRATIONS=wait and DATABASE_APP_URL need each other: %j',
  async (env) => {
    const { ended, output } = launch('server/app/main.ts', { DATA_DIR: dataFolder(), ...env })
    expect(await ended).toBe(1)
    expect(output()).toContain('MIGRATIONS=wait and DATABASE_APP_URL belong together')
  },
)
