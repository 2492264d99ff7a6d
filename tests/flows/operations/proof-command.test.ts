import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createLog } from '#server/platform/process/log.ts'
import { openProofKey, startSolvency, succeed } from '#server/proof/index.ts'
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

const proofWith = (env: Record<string, string>, ...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, ...env, DATABASE_URL: database.superUrl },
    encoding: 'utf8',
  })
const proof = (...args: string[]) => proofWith({ DATA_DIR: folder }, ...args)

test('requests a statement of solvency, and waits for the engine to make it', async () => {
  expect(proof('keys').stdout).toContain('No engine has signed a checkpoint yet.')
  const key = openProofKey(folder, GIVEN)
  const engine = startSolvency({
    db: database.db,
    log: createLog('error'),
    key,
    leads: () => true,
    production: false,
    lookMs: 50,
  })
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [COMMAND, 'solvency'], {
    env: { ...process.env, DATA_DIR: folder, DATABASE_URL: database.superUrl },
  }).finally(engine.stop)
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^Statement 1: \$0\.00 is owed to 0 traders\. Root 0{64}\n$/)
})

test('makes a new key that the outgoing one signs, as a file or for the setting', async () => {
  const outgoing = openProofKey(folder, GIVEN)
  const file = join(folder, 'new-proof-key')
  const asSetting = (...args: string[]) => proofWith({ DATA_DIR: folder, PROOF_KEY: GIVEN }, 'new-key', ...args)
  expect(asSetting().stderr).toContain('Name a file for the new one')
  expect(asSetting(file).stdout).toContain(`signed by ${outgoing.id}. Set PROOF_KEY to the content of ${file}`)
  const next = openProofKey('', readFileSync(file, 'utf8').trim())
  expect(proof('keys').stdout).toContain(`${next.id}, since`)
  // As after an interruption: the same key again.
  expect(asSetting(file).status).toBe(0)

  const host = mkdtempSync(join(tmpdir(), 'cleartick-proof-'))
  onTestFinished(() => rmSync(host, { recursive: true }))
  expect(proofWith({ DATA_DIR: host }, 'new-key').stderr).toContain('two admins begin a new one')
  const before = openProofKey(host)
  expect(proofWith({ DATA_DIR: host }, 'new-key').stderr).toContain(`The key ${before.id} can't sign a new one`)
  await succeed(database.db, next, before)
  expect(proofWith({ DATA_DIR: host }, 'new-key', file).stderr).toContain('takes no other')
  expect(proofWith({ DATA_DIR: host }, 'new-key').stdout).toContain(`signed by ${before.id}`)
  const { id } = openProofKey(host)
  expect(id).not.toBe(before.id)
  expect(proof('keys').stdout).toMatch(new RegExp(`^${id}, since .*, signed by ${before.id}, `, 'm'))
  expect(readdirSync(host)).toEqual(['proof.key'])
})

test('lists the keys of checkpoints, and revokes one once, with a reason', async () => {
  const key = openProofKey(folder, GIVEN)
  expect(proof('keys').stdout).toContain(`${key.id}, since `)
  expect(proof('revoke', key.id).status).toBe(1)
  expect(proof('revoke', 'f'.repeat(32), 'Stolen.').stderr).toContain('There is no key')
  expect(proof('revoke', key.id, 'Stolen.').stdout).toContain('Revoked.')
  expect(proof('revoke', key.id, 'Again.').status).toBe(1)
  expect(proof('keys').stdout).toContain('UTC: Stolen.')
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
