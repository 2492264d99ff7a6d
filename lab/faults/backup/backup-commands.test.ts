import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { bucketServer } from '#tests/support/outside/bucket.ts'
import { dataFolder, discard, launch, openSuper, postmasterOf, startServer } from '#tests/support/servers/server.ts'
import { broken, healthy } from '#tests/support/trades/crowd.ts'

/** Runs the commands as an operator does, on a whole installation. Alone, the longest test takes 15 seconds. */
const TIMEOUT_MS = 180_000
const KEY = randomBytes(32).toString('hex')

async function run(file: string, env: Record<string, string>, args: string[] = []) {
  const { output, ended } = launch(file, env, args)
  return { code: await ended, output: output() }
}
const backup = (env: Record<string, string>, ...args: string[]) => run('ops/commands/backup-command.ts', env, args)
const restore = (env: Record<string, string>, ...args: string[]) => run('ops/commands/restore-command.ts', env, args)

const epochsOf = async (dataDir: string) => {
  const { db, close } = openSuper(dataDir)
  const rows = await db.selectFrom('tape_epochs').select('epoch').orderBy('epoch').execute()
  await close()
  return rows.map(({ epoch }) => epoch)
}

test(
  'backs up to a bucket while running and stopped, restores with a new tape epoch, and prints no secret',
  async () => {
    const dataDir = dataFolder()
    const bucket = await bucketServer(join(dataFolder(), 'bucket'))
    onTestFinished(bucket.close)
    const env = {
      DATA_DIR: dataDir,
      BACKUP_URL: bucket.url.replace('/cleartick', '/cleartick/backups'),
      BACKUP_KEY: KEY,
    }
    const server = await startServer(dataDir)
    await healthy(server)
    const first = await backup(env)
    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/^Backup \S+: full, /) })
    const second = await backup(env)
    expect(second.output).toMatch(/: continues \d{8}T/)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(await epochsOfStopped(dataDir)).toEqual([1])
    const third = await backup(env)
    expect(third).toMatchObject({ code: 0, output: expect.stringMatching(/: continues /) })
    expect(postmasterOf(dataDir)).toBeUndefined()
    expect((await backup(env, 'list')).output.trim().split('\n')).toHaveLength(3)
    expect(await backup(env, 'check')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/intact, with the 2 that it continues/),
    })

    const into = join(dataFolder(), 'restored')
    const restored = await restore(env, '--into', into)
    expect(restored).toMatchObject({ code: 0, output: expect.stringMatching(/All \d+ checks passed/) })
    const again = await startServer(into)
    await healthy(again)
    expect(await epochsOf(into)).toEqual([1, 2])
    expect(await broken(into)).toEqual([])
    expect(await again.end('SIGTERM')).toBe(0)

    const occupied = await restore(env, '--into', into)
    expect(occupied).toMatchObject({
      code: 1,
      output: expect.stringMatching(/isn't empty, and a restore never overwrites/),
    })
    renameSync(into, `${into}.restoring`)
    expect(await restore(env, '--into', into)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/restored\.restoring is an installation that was started/),
    })
    renameSync(`${into}.restoring`, into)
    const other = { ...env, BACKUP_KEY: randomBytes(32).toString('hex') }
    const wrongKey = await restore(other, '--into', join(dataFolder(), 'other'))
    expect(wrongKey).toMatchObject({ code: 1, output: expect.stringMatching(/another key than BACKUP_KEY/) })
    const secret = decodeURIComponent(new URL(bucket.url.replace('s3+', '')).password)
    for (const { output } of [first, second, third, restored, occupied, wrongKey]) {
      expect(output).not.toContain(KEY)
      expect(output).not.toContain(secret)
      expect(output).not.toMatch(/ at .*\.ts/)
    }
  },
  TIMEOUT_MS,
)

async function epochsOfStopped(dataDir: string): Promise<number[]> {
  const server = await startServer(dataDir)
  const epochs = await epochsOf(dataDir)
  expect(await server.end('SIGTERM')).toBe(0)
  return epochs
}

test(
  'a killed backup never looks complete, a killed restore leaves no installation, and the next run works',
  async () => {
    const dataDir = dataFolder()
    const folder = dataFolder()
    const env = { DATA_DIR: dataDir, BACKUP_URL: join(folder, 'backups'), BACKUP_KEY: KEY }
    const server = await startServer(dataDir)
    await healthy(server)
    const slow = launch('ops/commands/backup-command.ts', env, ['--max-mebibytes-per-second', '10'])
    const parts = () => (existsSync(env.BACKUP_URL) ? readdirSync(env.BACKUP_URL, { recursive: true }).length : 0)
    while (parts() < 3) await sleep(5)
    slow.child.kill('SIGKILL')
    await slow.ended
    expect((await backup(env, 'list')).output).toMatch(/^\S+: incomplete, interrupted or being written\n$/)
    expect(await restore(env, '--into', join(folder, 'none'))).toMatchObject({
      code: 1,
      output: expect.stringMatching(/There are no complete backups/),
    })
    expect((await backup(env)).code).toBe(0)
    expect(await server.end('SIGTERM')).toBe(0)

    const into = join(folder, 'restored')
    const work = `${into}.restoring`
    onTestFinished(() => discard(work))
    for (const reached of ['files.key', 'postgres/postmaster.pid']) {
      const interrupted = launch('ops/commands/restore-command.ts', env, ['--into', into])
      while (!existsSync(join(work, reached)) && !existsSync(into)) await sleep(1)
      interrupted.child.kill('SIGKILL')
      await interrupted.ended
      expect(existsSync(into)).toBe(false)
    }
    expect(await restore(env, '--into', into)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/checks passed/),
    })
    expect(existsSync(work)).toBe(false)
    // Before its first start, too.
    const restored = { ...env, DATA_DIR: into, FEED: 'simulation' }
    const verified = launch('ops/commands/verify.ts', restored)
    expect([await verified.ended, verified.output()]).toEqual([0, expect.stringContaining('All checks passed')])
    const examined = launch('ops/commands/doctor-command.ts', restored)
    await examined.ended
    expect(examined.output()).toMatch(/ok +schema/)
    const again = await startServer(into)
    await healthy(again)
    expect(await again.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  'explains what is missing or wrong in one sentence and exits with 1',
  async () => {
    const dataDir = dataFolder()
    const env = { DATA_DIR: dataDir, BACKUP_URL: join(dataDir, 'backups'), BACKUP_KEY: KEY }
    const { BACKUP_KEY: _key, ...keyless } = env
    const { BACKUP_URL: _url, ...homeless } = env
    const file = join(dataDir, 'file')
    writeFileSync(file, '')
    mkdirSync(join(dataDir, 'empty'))
    for (const [found, says] of [
      [backup(keyless), /npm run backup -- new-key FILE/],
      [backup(homeless), /Set BACKUP_URL to where/],
      [backup(env), /There is no database in /],
      [backup({ ...env, BACKUP_KEY: 'short' }), /BACKUP_KEY must be 32 bytes/],
      [backup({ ...env, BACKUP_URL: 'https://somewhere' }), /BACKUP_URL must be a folder or s3/],
      [backup(env, '--keep-days', '0', 'check'), /There are no complete backups/],
      [backup(env, 'erase'), /^Unexpected argument 'erase'.\n\nUsage: npm run backup/],
      [restore(env), /^Say where to restore it: --into FOLDER.\n\nUsage: npm run restore/],
      [restore(env, '--into', dataDir), /There are no complete backups/],
      [
        restore(env, '--into', dataDir, '--backup', '20260101T000000000Z-0000000000000000'),
        /There is no complete backup 2026/,
      ],
      [restore(env, '--into', dataDir, '--until', '2026-01-01 10:00'), /Write it with its zone/],
    ] as const) {
      expect(await found).toMatchObject({ code: 1, output: expect.stringMatching(says) })
    }
  },
  TIMEOUT_MS,
)
