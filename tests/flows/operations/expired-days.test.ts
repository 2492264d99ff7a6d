import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveDay, checkAccounts, expireDay, planArchive } from '#ops/archive/index.ts'
import { targetAt } from '#ops/backup/index.ts'
import { verifyAll } from '#ops/commands/verify-all.ts'
import { type Database, openDatabase, sql } from '#server/platform/database/db.ts'
import { recordRun } from '#server/platform/database/maintenance.ts'
import { withDatabase } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'
import { openProofKey } from '#server/proof/index.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { inherited } from '#tests/support/servers/server.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { statedDay } from '#tests/support/trades/stated-day.ts'

const folder = mkdtempSync(join(tmpdir(), 'cleartick-expired-'))
const files = join(folder, 'files')
const key = randomBytes(32)

const { database, market } = await marketOfFile()
let owner: Database
let users: bigint[]
let day: string
let needed: bigint[]

beforeAll(async () => {
  owner = openDatabase(database.ownerUrl, { max: 4, name: 'owner', log: createLog('error') })
  ;({ users, day, needed } = await statedDay(market, database.db, owner.db, openProofKey(folder)))
})
afterAll(async () => {
  await owner.close()
  rmSync(folder, { recursive: true })
})

const broken = async (db = owner.db) =>
  (await verifyAll(db, { patienceMs: 50 })).flatMap(({ name, broken }) => (broken === undefined ? [] : [name]))

async function trades() {
  const { rows } = await sql<{ mode: string; ids: string[] }>`
    select a.mode::text as mode, array_agg(t.id order by t.id) as ids from trades t join accounts a on a.id = t.account_id
    group by a.mode`.execute(owner.db)
  return Object.fromEntries(rows.map(({ mode, ids }) => [mode, ids.map(BigInt)])) as Record<'real' | 'demo', bigint[]>
}

/** Runs statements as the superuser, without triggers if `past`. */
async function asSuper(entry: string, { past = false, url = database.superUrl } = {}): Promise<void> {
  const client = await connectTo(url)
  try {
    if (past) await client.query('set session_replication_role = replica')
    await client.query(entry)
  } finally {
    await client.end()
  }
}

test('no movement of a real account is removed by the record of expired trades', async () => {
  // A draw: it moved the stake, and back.
  const draw =
    "(select t.id from trades t join accounts a on a.id = t.account_id where a.mode = 'real' and t.status = 'Draw' limit 1)"
  const removal = (mode: string) => `
    insert into expired_days (day, trades, transfers, result, last_at, keys, trade_ids, leaves)
    select '2020-01-01', 1, count(*), 0, now(), 0, decode(repeat('00', 8), 'hex'), decode(repeat('00', 32), 'hex')
      from transfers where cause in ('trade_open', 'trade_settle') and cause_id = ${draw.replace("'real'", `'${mode}'`)};
    delete from transfers where cause in ('trade_open', 'trade_settle') and cause_id = ${draw.replace("'real'", `'${mode}'`)};`
  await expect(asSuper(`begin; ${removal('real')} commit`)).rejects.toThrow(/can only be archived/)
  await asSuper(`begin; ${removal('demo')} rollback`)
  await expect(sql`insert into expired_days default values`.execute(database.db)).rejects.toThrow(/permission denied/)
  await expect(asSuper('delete from expired_days')).rejects.toThrow(/final/)
})

test('demo trades leave their sums, ids, keys and hash, and everything verifies', async () => {
  const before = await trades()
  expect(await expireDay({ db: owner.db, instruments: market.prices.instruments }, day)).toMatchObject({
    trades: 8,
    stayed: 4,
  })
  const after = await trades()
  expect(after.real).toEqual(before.real)
  expect(after.demo).toHaveLength(4)
  expect(await broken()).toEqual([])
  const gone = before.demo.filter((id) => !after.demo.includes(id))
  const one = (trade_id: bigint) =>
    market.trading.routes['GET /trading/:trade_id']({
      who: { userId: users[0]! } as never,
      params: { trade_id },
      reads: database.db,
    } as never)
  await expect(one(gone[0]!)).rejects.toThrow(/in demo before .* may have expired/)
  // Their keys stay used, and their accounts trade on.
  const again = market.submit(users[0]!, { mode: 'demo', amount: 10, key: '1 demo' })
  await expect(again).rejects.toMatchObject({ code: 'idempotency_mismatch' })
  await market.submit(users[0]!, { mode: 'demo' })
  expect(await expireDay({ db: owner.db, instruments: market.prices.instruments }, '2020-01-01')).toBeUndefined()
})

test('a day expires once, and what is left of it can be archived afterwards', async () => {
  const later = Date.parse(day) + 100 * 86_400_000
  for (const command of ['verify', 'backup'] as const) await recordRun(owner.db, command, true)
  await sql`update maintenance_runs set finished_at = ${new Date(later)}, succeeded_at = ${new Date(later)}`.execute(
    owner.db,
  )
  await asSuper("update complaints set item = 'deposit'", { past: true })
  const plan = async (what: 'archive' | 'demo') =>
    (await planArchive(owner.db, { what, before: '2099-01-01', now: later, minDays: 62 })).days.map((one) => one.day)
  expect([await plan('demo'), await plan('archive')]).toEqual([[], [day]])
  await asSuper("update complaints set item = 'trade'", { past: true })
  const target = await targetAt(files, 'archive')
  const deps = { db: owner.db, instruments: market.prices.instruments, target, key }
  expect(await archiveDay(deps, day)).toMatchObject({ trades: 6 })
  expect(Object.values(await trades()).flat()).toEqual(expect.arrayContaining(needed))
  expect(await broken()).toEqual([])
  expect(await checkAccounts(deps, () => undefined)).toBeUndefined()
  await asSuper("update complaints set item = 'deposit'", { past: true })
  expect([await plan('demo'), await plan('archive')]).toEqual([[], []])
  await asSuper("update complaints set item = 'trade'", { past: true })
})

test('the command expires by its own setting, and lists what it did', () => {
  const archive = (args: string[], env: Record<string, string> = {}) => {
    const command = fileURLToPath(new URL('../../../ops/commands/archive-command.ts', import.meta.url))
    const options = {
      encoding: 'utf8',
      env: { ...inherited, DATABASE_URL: database.superUrl, ...env },
      timeout: 120_000,
    } as const
    const { stdout, stderr, status } = spawnSync(process.execPath, [command, ...args], options)
    return { stdout, stderr, status }
  }
  expect(archive(['list']).stdout).toMatch(
    /: 8 trades, \d+ movements, in demo, expired\n.*: 6 trades, \d+ movements, in /,
  )
  expect(archive([])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Everything is kept: set DEMO_AFTER_DAYS'),
  })
  // Without a place for files, which demo trades don't need.
  expect(archive([], { DEMO_AFTER_DAYS: '62' })).toEqual({ status: 0, stderr: '', stdout: 'Nothing was removed.\n' })
  expect(archive(['--demo', '--before', '2099-01-01', '--dry-run']).stdout).toContain('Nothing would be removed.')
})

test('names each planted change', async () => {
  await market.close()
  await owner.close()
  await database.db.destroy()
  const client = await connectTo(withDatabase(database.superUrl, 'postgres'))
  const source = new URL(database.superUrl).pathname.slice(1)
  const plant = async (entry: string) => {
    const url = withDatabase(database.superUrl, `${source}_planted`)
    await client.query(`create database ${source}_planted template ${source}`)
    const copy = openDatabase(url, { max: 2, name: 'planted', log: createLog('error') })
    try {
      await asSuper(entry, { past: true, url })
      return await broken(copy.db)
    } finally {
      await copy.close()
      await client.query(`drop database ${source}_planted with (force)`)
    }
  }
  for (const [entry, names] of [
    ["update expired_days set leaves = sha256('x')", ['proof', 'H2']],
    ['update expired_days set trade_ids = substring(trade_ids from 9) || substring(trade_ids for 8)', ['proof']],
    ['update expired_days set trades = trades - 1, trade_ids = substring(trade_ids from 9)', ['proof', 'L10']],
    ['update expired_days set result = result + 1', ['L10']],
    ['update expired_days set keys = keys + 1', ['I2']],
    ['delete from expired_days', ['proof', 'L10', 'I2', 'H2']],
    [
      `insert into expired_days select day - 1, trades, transfers, 0, last_at, 0, trade_ids, leaves from expired_days`,
      ['proof', 'L10', 'H2'],
    ],
  ] as const)
    expect(await plant(entry), entry).toEqual(expect.arrayContaining([...names]))
  await client.end()
})
