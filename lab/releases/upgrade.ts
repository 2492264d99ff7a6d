import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { verifyAll } from '#ops/commands/verify-all.ts'
import { startRetention } from '#server/app/web/retention.ts'
import { paymentProofOf } from '#server/cashier/deposits/payment-proof.ts'
import { depositById } from '#server/cashier/index.ts'
import type { Retention } from '#server/config/retention.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { knownMigrations, migrate } from '#server/platform/database/migrate.ts'
import { diskStorage, filesKey, openFiles } from '#server/platform/files/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { startInstallation } from '#tests/support/servers/installation.ts'
import { hashOf, type Release, restoreRows } from './dump.ts'

const CLI = fileURLToPath(new URL('../../packages/verify/cli.js', import.meta.url))
export const UPGRADE_WITHIN_MS = 360_000

/** Restores a release as it was, upgrades it, and checks everything that it holds. */
export async function upgrade(release: Release): Promise<void> {
  const { migrations, files, keys, receipts } = release
  const known = knownMigrations()
  expect(migrations.map(({ name }) => name)).toEqual(known.slice(0, migrations.length))
  for (const { name, sha256 } of migrations) expect(hashOf(name), `${name} was released and has changed`).toBe(sha256)

  const { db, urls, dataDir } = await startInstallation({
    migrateWith: (owner) => migrate(owner, { count: migrations.length }),
  })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true })
    writeFileSync(join(dataDir, name), Buffer.from(content, 'base64'))
  }
  await inTransaction(db, (tx) => restoreRows(tx, release))
  expect(await migrate(urls.owner)).toEqual(known.slice(migrations.length))

  const opened = openFiles({ storage: diskStorage(join(dataDir, 'files')), key: filesKey(dataDir, undefined) })
  // As every server does once it runs: by the day of the test, the period of what the dump holds may be over.
  const { rows } = await sql<{ kind: keyof Retention; days: number }>`select kind, days from retention_rules`.execute(
    db,
  )
  const periods = Object.fromEntries(rows.map(({ kind, days }) => [kind, days])) as unknown as Retention
  await startRetention({ db, files: opened, log: createLog('silent') }, periods).stop()
  const findings = await verifyAll(db)
  expect(findings.flatMap(({ name, broken }) => (broken === undefined ? [] : [`${name}: ${broken}`]))).toEqual([])
  const proofs = await db.selectFrom('deposits').select('id').where('receipt', 'is not', null).execute()
  expect(proofs.length).toBeGreaterThan(0)
  for (const { id } of proofs) {
    const deposit = await depositById(db, id)
    expect((await paymentProofOf({ files: opened }, deposit!)).length).toBeGreaterThan(0)
  }

  const keysFile = join(dataDir, 'keys.json')
  writeFileSync(keysFile, keys)
  expect(receipts.length).toBeGreaterThan(0)
  for (const receipt of receipts) {
    const file = join(dataDir, 'receipt.json')
    writeFileSync(file, receipt)
    const { status, stdout } = spawnSync(process.execPath, [CLI, file, '--keys', keysFile], { encoding: 'utf8' })
    expect(status, stdout).toBe(0)
  }
}
