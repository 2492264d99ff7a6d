import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { auditHead, headMissing, inviteFromHost, logAuditHead, parseAuditHead } from '#server/desk/index.ts'
import { type Database, openDatabase, sql } from '#server/platform/database/db.ts'
import { createLog, type Log } from '#server/platform/process/log.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'

let database: TestDatabase
let all: Database
beforeEach(async () => {
  database = await createTestDatabase()
  all = openDatabase(database.superUrl, { max: 2, name: 'audit-head', log: createLog('silent') })
})
afterEach(async () => {
  await all.close()
  await database.drop()
})

const entry = (n: number) => inviteFromHost(database.db, { email: `ada-${n}@desk.example`, roles: ['risk'] })

/** Changes rows as the superuser, bypassing every trigger. */
async function tamper(change: string): Promise<void> {
  const client = await connectTo(database.superUrl)
  await client.query(`set session_replication_role = 'replica'; ${change}`)
  await client.end()
}

/** Recomputes every hash, so that the chain is consistent. */
const REHASH_CHAIN = `do $$
declare
  r audit;
  last bytea = decode(repeat('00', 32), 'hex');
begin
  for r in select * from audit order by n loop
    r.previous = last;
    last = audit_hash(r);
    update audit set previous = r.previous, hash = last where n = r.n;
  end loop;
  update audit_head set n = (select coalesce(max(n), 0) from audit), hash = last;
end $$`

const selfConsistent = async () =>
  (await sql<{ broken: string | null }>`select audit_broken() as broken`.execute(all.db)).rows[0]!.broken === null

const missing = (head: string) => headMissing(all.db, parseAuditHead(head)!)

test('a recorded head stays valid in a growing log', async () => {
  const heads = [await auditHead(all.db)]
  for (let n = 0; n < 3; n++) {
    await entry(n)
    heads.push(await auditHead(all.db))
  }
  expect(heads.map((head) => head.split(':')[0])).toEqual(['0', '1', '2', '3'])
  for (const head of heads) expect(await missing(head)).toBeUndefined()
})

test('a rewritten chain is consistent, but a recorded head exposes it', async () => {
  for (let n = 0; n < 4; n++) await entry(n)
  const recorded = await auditHead(all.db)
  await tamper(`update audit set why = 'nothing happened' where n = 2; ${REHASH_CHAIN}`)
  await entry(5)
  expect(await selfConsistent()).toBe(true)
  expect(await missing(recorded)).toBe('row 4 differs from the recorded one: the log was rewritten')
})

test('detects a truncated log, even after it has grown again', async () => {
  for (let n = 0; n < 4; n++) await entry(n)
  const recorded = await auditHead(all.db)
  await tamper(`delete from audit where n > 2; ${REHASH_CHAIN}`)
  expect(await selfConsistent()).toBe(true)
  expect(await missing(recorded)).toBe('the log ends at row 2, but row 4 was recorded')
  for (let n = 6; n < 9; n++) await entry(n)
  expect(await missing(recorded)).toBe('row 4 differs from the recorded one: the log was rewritten')
})

test.each([
  '',
  '4',
  '4:',
  '4:zz',
  `-1:${'0'.repeat(64)}`,
  `4:${'0'.repeat(63)}`,
  `4:${'A'.repeat(64)}`,
  `4 :${'0'.repeat(64)}`,
])('rejects %j as a head', (text) => expect(parseAuditHead(text)).toBeUndefined())

test('the server logs the head when it changes, and nothing for an empty log', async () => {
  const lines: unknown[] = []
  const log = {
    ...createLog('silent'),
    warn: (line: unknown) => lines.push(line),
    error: (line: unknown) => lines.push(line),
  }
  const loop = logAuditHead({ db: database.db, log: log as unknown as Log }, 20)
  await sleep(100)
  expect(lines).toEqual([])
  await entry(1)
  await expect.poll(() => lines.length).toBe(1)
  const first = await auditHead(all.db)
  await sleep(100)
  expect(lines).toEqual([{ head: first }])
  await entry(2)
  await expect.poll(() => lines.length).toBe(2)
  await loop.stop()
  expect(lines.at(-1)).toEqual({ head: await auditHead(all.db) })
})

test('the command prints the head, and verify fails on a rewritten log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-head-'))
  const run = (command: string, ...args: string[]) =>
    new Promise<{ code: number | null; said: string }>((resolve) => {
      const path = fileURLToPath(new URL(`../../../../ops/commands/${command}.ts`, import.meta.url))
      const env = { ...process.env, DATA_DIR: folder, DATABASE_URL: database.superUrl }
      const child = spawn(process.execPath, [path, ...args], { env })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (part) => {
          said += part
        })
      }
      child.on('close', (code) => resolve({ code, said }))
    })
  await entry(1)
  await entry(2)
  const { code, said } = await run('desk-command', 'audit-head')
  expect({ code, head: said.trim() }).toEqual({ code: 0, head: await auditHead(all.db) })
  const recorded = ['--audit-head', said.trim()]
  expect(await run('verify', ...recorded)).toMatchObject({
    code: 0,
    said: expect.stringMatching(/ok +H3 .*still contains the recorded row 2/),
  })
  await tamper(`update audit set operator = 'nobody' where n = 1; ${REHASH_CHAIN}`)
  const rewritten = await run('verify', ...recorded)
  expect(rewritten.code).toBe(1)
  expect(rewritten.said).toMatch(/ok +H1/)
  expect(rewritten.said).toMatch(/BROKEN H3 .*row 2 differs from the recorded one/)
  expect((await run('verify', '--audit-head', 'yesterday')).said).toMatch(/'yesterday' is not an audit head/)
  expect((await run('verify', '--audit-tail')).said).toMatch(/Usage/)
  rmSync(folder, { recursive: true, force: true })
})
