/**
 * A full-size drill: backs up, restores and verifies a million entries. Prints how long each step takes, with a plain
 * copy of the same files as the reference.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkBackup, createBackup, openTarget, restoreBackup } from '#ops/backup/index.ts'
import { verifyAll } from '#ops/commands/verify-all.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { filesKey } from '#server/platform/files/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { writeEntries } from '#tests/support/trades/ledger-entries.ts'
import { benchPostgres } from '../support/postgres.ts'

const ENTRIES = Number(process.argv[2] ?? 1_000_000)
const LIMIT_SECONDS = 300

const postgres = await benchPostgres()
const folder = mkdtempSync(join(tmpdir(), 'cleartick-drill-'))
chmodSync(folder, 0o711)
const key = randomBytes(32)
let drillSeconds = 0

async function step<T>(name: string, work: () => Promise<T>, isDrill = true): Promise<T> {
  const began = performance.now()
  const result = await work()
  const seconds = (performance.now() - began) / 1000
  if (isDrill) drillSeconds += seconds
  console.log(`${name.padEnd(24)} ${seconds.toFixed(1).padStart(6)} s`)
  return result
}

/** Returns whether every invariant holds. */
async function verify(url: string): Promise<boolean> {
  const { db, close } = openDatabase(url, { max: 4, name: 'verify', log: createLog('silent') })
  const findings = await verifyAll(db, { patienceMs: 0 })
  await close()
  return findings.every(({ broken }) => broken === undefined)
}

try {
  const { db, close } = openDatabase(postgres.superUrl, { max: 1, name: 'drill', log: createLog('error') })
  const entries = { traders: 1_000, entries: ENTRIES }
  await step(`write ${ENTRIES} entries`, () => writeEntries(db, entries), false)
  await close()
  filesKey(postgres.dataDir, undefined)
  const target = await openTarget(join(folder, 'backups'))
  const source = {
    target,
    key,
    url: postgres.superUrl,
    kind: 'embedded',
    dataDir: postgres.dataDir,
    filesKey: undefined,
    files: undefined,
  } as const
  const full = await step('full backup', () => createBackup(source))
  await step(
    'reference: plain copy',
    async () => spawnSync('cp', ['-a', join(postgres.dataDir, 'postgres'), join(folder, 'copy')]),
    false,
  )
  const incremental = await step('incremental backup', () => createBackup(source))
  await step('check every byte', () => checkBackup(target, key, incremental.id))
  await step('restore and verify', () => restoreBackup({ target, key, into: join(folder, 'restored'), verify }))
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  console.log(
    `database ${mebibytes(full.database.bytes)}, stored ${mebibytes(full.stored)}, incremental ${mebibytes(incremental.stored)}`,
  )
  const verdict = drillSeconds <= LIMIT_SECONDS ? 'ok' : 'TOO SLOW'
  console.log(`${verdict}: the drill took ${drillSeconds.toFixed(0)} s, limit ${LIMIT_SECONDS} s`)
  if (drillSeconds > LIMIT_SECONDS) process.exitCode = 1
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
