import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFolder, launch, postmasterOf, startServer } from '#tests/support/servers/server.ts'
import { healthy } from '#tests/support/trades/crowd.ts'

async function run(file: string, env: Record<string, string>, args: string[] = []) {
  const { output, ended } = launch(file, env, args)
  return { code: await ended, output: output() }
}

test('the doctor examines an installation while it runs and while it is stopped', async () => {
  const dataDir = dataFolder()
  const env = { DATA_DIR: dataDir, FEED: 'simulation', BACKUP_URL: join(dataFolder(), 'backups'), RATE_LIMITS: 'on' }
  const doctor = () => run('ops/commands/doctor-command.ts', env)
  expect(await doctor(), 'before the first start').toMatchObject({
    code: 1,
    output: expect.stringMatching(/PROBLEM database +There is no database in .*yet/),
  })

  const server = await startServer(dataDir)
  await healthy(server)
  const ill = await doctor()
  expect(ill.code).toBe(1)
  expect(ill.output).toMatch(/^The server is running\.\n/)
  expect(ill.output.match(/PROBLEM .*\n.*/g)).toEqual([
    'PROBLEM backup    There is no backup.\n                   → Run npm run backup now, and see why its timer did not; docs/operations/backup.md.',
  ])
  await run('ops/commands/backup-command.ts', { ...env, BACKUP_KEY: 'ab'.repeat(32) })
  const well = await doctor()
  expect(well.output).not.toContain('PROBLEM')
  expect(well.code).toBe(0)
  expect(await server.end('SIGTERM')).toBe(0)

  const stopped = await doctor()
  expect(stopped).toMatchObject({ code: 0, output: expect.stringMatching(/^The server is stopped/) })
  expect(stopped.output).toMatch(/ok +tape +The newest frame is \d+ s old; the server is stopped\./)
  expect(postmasterOf(dataDir)).toBeUndefined()

  renameSync(join(dataDir, 'postgres'), join(dataDir, 'unmounted'))
  const before = readdirSync(dataDir)
  const lost = await doctor()
  expect(lost.output).toMatch(
    /PROBLEM database +The database in .* is missing: its folder has database-url, files\.key, proof\.key, simulation-seed, but no postgres\/PG_VERSION\. Nothing was changed\.\n +→ Mount its disk, /,
  )
  expect(lost.output).not.toContain('Start it')
  expect(await run('server/app/main.ts', { DATA_DIR: dataDir, FEED: 'simulation' })).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^\nThe database in .* is missing/),
  })
  expect(readdirSync(dataDir)).toEqual(before)
  renameSync(join(dataDir, 'unmounted'), join(dataDir, 'postgres'))

  const misset = await run('ops/commands/doctor-command.ts', { ...env, PORT: 'three' })
  expect(misset).toMatchObject({ code: 1, output: expect.stringMatching(/PORT must be a whole number/) })
  const unreachable = { ...env, DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/none' }
  const noDatabase = await run('ops/commands/doctor-command.ts', unreachable)
  expect(noDatabase).toMatchObject({
    code: 1,
    output: expect.stringMatching(/PROBLEM database +Can't reach the database/),
  })
  expect(noDatabase.output).not.toContain('hunter2')
})
