import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { openProofKey, startSolvency } from '#server/proof/index.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'

const COMMAND = fileURLToPath(new URL('../../../ops/commands/proof-command.ts', import.meta.url))
const GIVEN = 'ab'.repeat(32)
let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await createTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'cleartick-proof-'))
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

const proof = (...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, DATA_DIR: folder, DATABASE_URL: database.superUrl },
    encoding: 'utf8',
  })

test('lists the keys of checkpoints, and revokes one once, with a reason', async () => {
  expect(proof('keys').stdout).toContain('No engine has signed a checkpoint yet.')
  const key = openProofKey(folder, GIVEN)
  await sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(database.db)
  expect(proof('keys').stdout).toContain(`${key.id}, since `)
  expect(proof('revoke', key.id).status).toBe(1)
  expect(proof('revoke', 'f'.repeat(32), 'Stolen.').stderr).toContain('There is no key')
  expect(proof('revoke', key.id, 'Stolen.').stdout).toContain('Revoked.')
  expect(proof('revoke', key.id, 'Again.').status).toBe(1)
  expect(proof('keys').stdout).toContain('UTC: Stolen.')
})

test('requests a statement of solvency, and waits for the engine to make it', async () => {
  const key = openProofKey(folder, GIVEN)
  const engine = startSolvency({ db: database.db, log: createLog('error'), key, leads: () => true, lookMs: 50 })
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [COMMAND, 'solvency'], {
    env: { ...process.env, DATA_DIR: folder, DATABASE_URL: database.superUrl },
  }).finally(engine.stop)
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^Statement 1: \$0\.00 is owed to 0 traders\. Root 0{64}\n$/)
})

test('a configured key is the same on every engine', () => {
  const [one, two] = [
    openProofKey(folder, GIVEN),
    openProofKey('/nonexistent', Buffer.from(GIVEN, 'hex').toString('base64')),
  ]
  expect(one.id).toBe(two.id)
  expect(one.sign('text')).toEqual(two.sign('text'))
  expect(openProofKey(folder).id).not.toBe(one.id)
})
