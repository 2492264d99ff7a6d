import { randomBytes } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '#server/platform/postgres/embedded.ts'
import { withRole } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { startInstallation } from '#tests/support/servers/installation.ts'
import { dataFolder, launch, startServer } from '#tests/support/servers/server.ts'
import { healthy } from '#tests/support/trades/crowd.ts'

test("the server runs on the operator's PostgreSQL with only its own login", async () => {
  const { superUrl } = await testDatabase()
  const server = await startServer(dataFolder(), { DATABASE_URL: superUrl })
  const client = await connectTo(superUrl)
  try {
    await healthy(server)
    const { rows } = await client.query<{ usename: string }>(
      'select distinct usename from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    expect(rows.map(({ usename }) => usename)).toEqual([`cleartick_server_${new URL(superUrl).pathname.slice(1)}`])
  } finally {
    await client.end()
    await server.end('SIGTERM')
  }
})

async function run(file: string, env: Record<string, string>, args: string[] = []) {
  const { output, ended } = launch(file, env, args)
  return { code: await ended, output: output() }
}

test("the operator's PostgreSQL is backed up by a login with REPLICATION, and a restore starts on it", async () => {
  const { dataDir: postgresDir, superUrl } = await startInstallation()
  const admin = await connectTo(superUrl)
  onTestFinished(() => admin.end())
  await admin.query("create role operator login createrole password 'secret'")
  await admin.query('grant cleartick_app to operator with admin option')
  await admin.query('create database mine owner operator')
  const dataDir = dataFolder()
  const folder = dataFolder()
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: withRole(superUrl, 'operator', 'secret', 'mine'),
    BACKUP_URL: join(folder, 'backups'),
    BACKUP_KEY: randomBytes(32).toString('hex'),
  }
  const server = await startServer(dataDir, env)
  await healthy(server)
  expect(await run('ops/commands/backup-command.ts', env)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/may not make backups\. Give it REPLICATION/),
  })
  await admin.query('alter role operator replication')
  expect(await run('ops/commands/backup-command.ts', env)).toMatchObject({ code: 0 })
  expect(await run('ops/commands/backup-command.ts', env)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/continues/),
  })
  const doctor = await run('ops/commands/doctor-command.ts', { ...env, FEED: 'simulation' })
  expect(doctor.output).toMatch(/^The server is running\./)
  expect(doctor.output).toMatch(/ok +backup +The newest of 2 backups is/)
  expect(await server.end('SIGTERM')).toBe(0)

  const into = join(folder, 'restored')
  expect(await run('ops/commands/restore-command.ts', env, ['--into', into])).toMatchObject({
    code: 0,
    output: expect.stringMatching(/Start your PostgreSQL 18 on .*restored\/postgres/),
  })
  // Run the operator's own PostgreSQL on the restored files. It has the original's logins.
  copyFileSync(join(postgresDir, 'postgres.password'), join(into, 'postgres.password'))
  const restored = await startEmbedded({ dataDir: into, log: createLog('error') })
  onTestFinished(() => restored.stop())
  const again = await startServer(into, {
    ...env,
    DATABASE_URL: withRole(restored.superUrl, 'operator', 'secret', 'mine'),
  })
  await healthy(again)
  const client = await connectTo(restored.superUrl.replace(/postgres$/, 'mine'))
  expect((await client.query('select epoch from tape_epochs order by epoch')).rows).toEqual([
    { epoch: 1 },
    { epoch: 2 },
  ])
  await client.end()
  expect(await again.end('SIGTERM')).toBe(0)
})
