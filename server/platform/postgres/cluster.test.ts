import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../process/log.ts'
import { StartProblem } from '../process/start-problem.ts'
import { startEmbedded } from './embedded.ts'

/** A data folder with these files; a name that ends with a slash is an empty folder. */
function folderWith(files: Record<string, string>): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-cluster-'))
  chmodSync(dataDir, 0o711)
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(dataDir, name, name.endsWith('/') ? '' : '..'), { recursive: true })
    if (!name.endsWith('/')) writeFileSync(join(dataDir, name), content)
  }
  return dataDir
}

/** Every file with its content. */
const contentOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path, entry.isFile() ? readFileSync(path, 'utf8') : 'folder']
    }),
  )

async function start(dataDir: string): Promise<void> {
  const postgres = await startEmbedded({ dataDir, log: createLog('silent'), unsafeFast: true })
  await postgres.stop()
}

test.each([
  ['database-url', { 'database-url': 'postgres://…' }, 'database-url'],
  ['files.key', { 'files.key': 'secret' }, 'files.key'],
  ['proof.key', { 'proof.key': 'secret' }, 'proof.key'],
  ['simulation-seed', { 'simulation-seed': 'secret' }, 'simulation-seed'],
  ['a part of the cluster', { 'postgres/base/1/112': 'rows' }, 'postgres/ with base'],
  [
    'an empty mount point and the keys',
    { 'postgres/': '', 'database-url': 'x', 'files.key': 'x' },
    'database-url, files.key',
  ],
  [
    'a large part of the cluster',
    { 'postgres/base/1': 'rows', 'postgres/global/2': 'rows', 'postgres/pg_wal/3': 'log', 'postgres/pg_xact/4': 'x' },
    'postgres/ with base, global, pg_wal and 1 more',
  ],
])('a start refuses a folder without postgres/PG_VERSION that has %s, and changes nothing', async (_, files, named) => {
  const dataDir = folderWith(files as Record<string, string>)
  const before = contentOf(dataDir)
  const refusal = await start(dataDir).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(StartProblem)
  expect((refusal as StartProblem).message).toContain(`has ${named}, but no postgres/PG_VERSION. Nothing was changed.`)
  expect(contentOf(dataDir)).toEqual(before)
})

test("a start refuses another version's files, and changes nothing in them", async () => {
  const dataDir = folderWith({ 'postgres/PG_VERSION': '17\n', 'postgres/base/1': 'rows', 'postgres.password': 'x' })
  const before = contentOf(dataDir)
  await expect(start(dataDir)).rejects.toThrow(
    /PostgreSQL 17 made the database in .*, but Cleartick needs 18\. Nothing/,
  )
  expect(contentOf(dataDir)).toEqual(before)
})

test('a first start takes an empty folder and what a killed one left, and removes only that', async () => {
  const dataDir = folderWith({
    'postgres/': '',
    'postgres.password': 'kept',
    'postgres.password.new': '',
    'postgres.new-a1B2c3/PG_VERSION': '18',
    'postgres.new-copy-of-monday/PG_VERSION': '18',
  })
  await start(dataDir)
  expect(readdirSync(dataDir).sort()).toEqual([
    'postgres',
    'postgres.log',
    'postgres.new-copy-of-monday',
    'postgres.password',
    'postgres.port',
  ])
  expect(readFileSync(join(dataDir, 'postgres/PG_VERSION'), 'utf8')).toBe('18\n')
})

test('a secret that could not be written completely is not left half-written', () => {
  const dataDir = folderWith({})
  const module = new URL('../process/durable-file.ts', import.meta.url).href
  const script = `const { keepFile } = await import(${JSON.stringify(module)}); keepFile(process.argv[1], () => 'x'.repeat(4096))`
  const file = join(dataDir, 'secret')
  // A file of more than 1 KiB can't be written: as on a disk that is full, or when the process is killed there.
  const limited = ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script, file]
  expect(spawnSync('/bin/sh', limited, { encoding: 'utf8' }).stderr).toContain('EFBIG')
  expect(readdirSync(dataDir)).not.toContain('secret')
  expect(spawnSync(process.execPath, ['--input-type=module', '-e', script, file]).status).toBe(0)
  expect(readFileSync(file, 'utf8')).toHaveLength(4096)
})
