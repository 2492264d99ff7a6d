import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, connect as dial } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { freePort } from '../postgres/embedded.ts'
import { concurrentStatements, migrate, waitForDatabase, whyIncompatible } from './migrate.ts'

const OURS = fileURLToPath(new URL('../../../db/migrations', import.meta.url))

/** A folder with our migrations and these. */
function withMigrations(more: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-migrations-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(OURS, folder, { recursive: true })
  for (const [name, sql] of Object.entries(more)) writeFileSync(join(folder, `${name}.sql`), sql)
  return folder
}

test('does nothing to a database that is up to date', async () => {
  const { ownerUrl } = await testDatabase()
  expect(await migrate(ownerUrl)).toEqual([])
})

test('rejects a database with migrations of another build, and leaves it unchanged', async () => {
  const { ownerUrl, superUrl } = await testDatabase()
  const client = await connectTo(superUrl)
  const names = async () => (await client.query('select name from migrations order by id')).rows
  await client.query(`update migrations set name = '0012_nobodys_own' where name = '0011_desk'`)
  const before = await names()
  await expect(migrate(ownerUrl)).rejects.toThrow(/its migration 0012_nobodys_own is not part of this one\. Use a new/)
  expect(await names()).toEqual(before)
  await client.end()
})

test('a migration that waits for a lock lets others pass, and is applied once the lock is free', async () => {
  const { ownerUrl } = await testDatabase()
  const folder = withMigrations({ '9001_wait': 'alter table users add column later text' })
  const [reader, other] = [await connectTo(ownerUrl), await connectTo(ownerUrl)]
  await reader.query('begin')
  await reader.query('select count(*) from users')
  const said: string[] = []
  let tried!: () => void
  const triedOnce = new Promise<void>((resolve) => {
    tried = resolve
  })
  const migrating = migrate(ownerUrl, {
    folder,
    lockTimeoutMs: 50,
    pauseMs: 20,
    say(text) {
      said.push(text)
      tried()
    },
  })
  await triedOnce
  // Were it to hold its place in the queue, this would wait for the reader.
  await other.query('set statement_timeout = 10_000')
  await other.query('select count(*) from users')
  await reader.query('commit')
  expect(await migrating).toEqual(['9001_wait'])
  expect(said).toEqual(['A migration waits for running transactions to end; trying again …'])
  expect((await other.query('select later from users')).rows).toEqual([])
  await Promise.all([reader.end(), other.end()])
})

test('two runners at once: an index is built concurrently, and each migration runs once', async () => {
  const { ownerUrl } = await testDatabase()
  const folder = withMigrations({
    '9001_index':
      '-- Up Migration\n-- Why; and more.\ndrop index concurrently if exists users_later;\ncreate index concurrently users_later on users (created_at);\n',
    '9002_table': 'create table later (id bigint)',
  })
  const done = await Promise.all([1, 2, 3].map(() => migrate(ownerUrl, { folder, pauseMs: 10 })))
  expect(done.flat().sort()).toEqual(['9001_index', '9002_table'])
})

test('a concurrent index that failed half-way is built again', async () => {
  const { ownerUrl } = await testDatabase()
  const folder = withMigrations({
    '9001_one': 'create table later (id bigint); insert into later values (1), (1)',
    '9002_index':
      'drop index concurrently if exists later_id; create unique index concurrently later_id on later (id);',
  })
  await expect(migrate(ownerUrl, { folder })).rejects.toThrow(/could not create unique index/)
  const client = await connectTo(ownerUrl)
  const valid = async () =>
    (await client.query(`select indisvalid as is from pg_index where indexrelid = 'later_id'::regclass`)).rows
  expect(await valid()).toEqual([{ is: false }])
  await client.query('truncate later')
  expect(await migrate(ownerUrl, { folder })).toEqual(['9002_index'])
  expect(await valid()).toEqual([{ is: true }])
  await client.end()
})

test('a migration that fails leaves nothing behind, and those before it stay', async () => {
  const { ownerUrl } = await testDatabase()
  const folder = withMigrations({
    '9001_fine': 'create table fine (id bigint)',
    '9002_fails': 'create table half (id bigint); select 1 / 0',
  })
  await expect(migrate(ownerUrl, { folder })).rejects.toThrow(/division by zero/)
  const client = await connectTo(ownerUrl)
  const { rows } = await client.query(`select to_regclass('fine') as fine, to_regclass('half') as half`)
  expect(rows).toEqual([{ fine: 'fine', half: null }])
  await client.end()
})

test('only files whose statements are CONCURRENTLY run outside of a transaction', () => {
  expect(concurrentStatements('-- create index concurrently\ncreate table a (id int);')).toBeUndefined()
  expect(concurrentStatements('create index concurrently a on b (c);\n')).toEqual([
    'create index concurrently a on b (c)',
  ])
})

const known = ['0001_a', '0002_b', '0005_c']
test.each([
  ['the same', ['0001_a', '0002_b', '0005_c'], [], undefined],
  ['an older schema', ['0001_a'], [], undefined],
  ['a newer schema that was only expanded', [...known, '0006_d'], [], undefined],
  ['a newer schema that asks for what this build knows', [...known, '0006_d'], [['0006_d', '0005_c']], undefined],
  [
    'a newer schema that asks for more',
    [...known, '0006_d', '0007_e'],
    [['0007_e', '0006_d']],
    /0007_e, only .* 0006_d/,
  ],
  ['a schema of another build', ['0001_a', '0003_x'], [], /migration 0003_x is not part/],
] as const)('works on %s, or says why not', (_, applied, needs, message) => {
  const rows = needs.map(([migration, needed]) => ({ migration, needs: needed }))
  const problem = whyIncompatible(known, { applied: [...applied], needs: rows })
  if (message) expect(problem).toMatch(message)
  else expect(problem).toBeUndefined()
})

test('waits for a database that does not answer yet, and says so once', async () => {
  const { ownerUrl } = await testDatabase()
  const target = new URL(ownerUrl)
  const port = await freePort(0)
  const late = new URL(ownerUrl)
  late.port = String(port)
  const lines: string[] = []
  const waited = waitForDatabase(late.href, (text) => lines.push(text), 5)
  await expect.poll(() => lines).toHaveLength(1)
  const proxy = createServer((socket) => {
    const upstream = dial(Number(target.port), target.hostname)
    socket.pipe(upstream).pipe(socket)
    for (const end of [socket, upstream]) end.on('error', () => undefined)
  })
  onTestFinished(() => void proxy.close())
  proxy.listen(port, target.hostname)
  await waited
  expect(lines).toEqual(['Waiting for the database, which does not answer (ECONNREFUSED).'])
})

test('does not wait for a database that refuses the login', async () => {
  const { ownerUrl } = await testDatabase()
  const wrong = new URL(ownerUrl)
  wrong.password = 'wrong'
  await expect(waitForDatabase(wrong.href, () => undefined, 5)).rejects.toMatchObject({ code: '28P01' })
})
