import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveDay, checkAccounts, checkDay, dayLines, planArchive } from '#ops/archive/index.ts'
import { targetAt } from '#ops/backup/index.ts'
import { verifyAll } from '#ops/commands/verify-all.ts'
import { accountOf, balanceBefore, completeFrom, transferPages, transfersBetween } from '#server/ledger/index.ts'
import { type Database, openDatabase, sql } from '#server/platform/database/db.ts'
import { recordRun } from '#server/platform/database/maintenance.ts'
import { withDatabase } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'
import { openProofKey, receiptOf } from '#server/proof/index.ts'
import { statementReply } from '#server/statements/statement.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { inherited } from '#tests/support/servers/server.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { statedDay } from '#tests/support/trades/stated-day.ts'

const folder = mkdtempSync(join(tmpdir(), 'cleartick-archive-'))
const files = join(folder, 'files')
const key = randomBytes(32)
const proofKey = openProofKey(folder)
const DAY_MS = 86_400_000

const { database, market } = await marketOfFile()
let owner: Database
let users: bigint[]
let day: string
let needed: bigint[]

beforeAll(async () => {
  owner = openDatabase(database.ownerUrl, { max: 4, name: 'owner', log: createLog('error') })
  ;({ users, day, needed } = await statedDay(market, database.db, owner.db, proofKey))
})
afterAll(async () => {
  await owner.close()
  rmSync(folder, { recursive: true })
})

const deps = async () => ({
  db: owner.db,
  instruments: market.prices.instruments,
  target: await targetAt(files, 'archive'),
  key,
})

const broken = async (db = owner.db) =>
  (await verifyAll(db, { patienceMs: 50 })).flatMap(({ name, broken }) =>
    broken === undefined ? [] : [`${name}: ${broken}`],
  )

async function counts() {
  const { rows } = await sql<{ trades: number; transfers: number; days: number }>`
    select (select count(*)::int from trades) as trades, (select count(*)::int from transfers) as transfers,
      (select count(*)::int from archived_days) as days`.execute(owner.db)
  return rows[0]!
}

/** Changes rows as the superuser, bypassing every trigger. */
async function past(entry: string, url = database.superUrl): Promise<void> {
  const client = await connectTo(url)
  await client.query('set session_replication_role = replica')
  const done = [await client.query(entry)].flat().at(-1)
  expect(done?.rowCount, `${entry} changed something`).not.toBe(0)
  await client.end()
}

test('refuses without a recent verification and backup, for recent days, and from an open complaint on', async () => {
  const later = Date.parse(day) + 100 * DAY_MS
  const plan = (before: string, now = later, backedUpElsewhere = false, what: 'archive' | 'demo' = 'archive') =>
    planArchive(owner.db, { what, before, now, minDays: 62, backedUpElsewhere })
  const dayAfter = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)
  expect(await plan(dayAfter)).toEqual({
    days: [],
    refusals: [expect.stringContaining('npm run verify must'), expect.stringContaining('npm run backup must')],
  })
  await recordRun(owner.db, 'verify', true)
  const now = Date.now()
  expect(await plan(dayAfter, now)).toEqual({ days: [], refusals: [expect.stringContaining('npm run backup must')] })
  expect((await plan(dayAfter, now, true)).refusals).toEqual([expect.stringContaining('at least 62 days')])
  const runs = sql`update maintenance_runs set finished_at = ${new Date(later)}, succeeded_at = ${new Date(later)}`
  await recordRun(owner.db, 'backup', true)
  await runs.execute(owner.db)
  expect(await plan(dayAfter)).toEqual({
    ...{ until: day, days: [] },
    refusals: [expect.stringContaining('A complaint about a trade')],
  })
  await past("update complaints set item = 'deposit'")
  expect(await plan(dayAfter)).toEqual({ until: dayAfter, days: [{ day, trades: 20 }], refusals: [] })
  expect(await plan(day)).toEqual({ until: day, days: [], refusals: [] })
  expect(await plan(dayAfter, later, false, 'demo')).toEqual({
    ...{ until: dayAfter, refusals: [] },
    days: [{ day, trades: 20 }],
  })
  await sql`insert into payout_halts (findings) values ('[]')`.execute(owner.db)
  expect((await plan(dayAfter)).refusals).toEqual([expect.stringContaining('Payouts are halted')])
  await past("delete from payout_halts; update complaints set item = 'trade'")
})

test('movements can be removed only with the record of an archived day that counts them', async () => {
  const client = await connectTo(database.superUrl)
  const { trades } = await counts()
  await expect(client.query('delete from transfers')).rejects.toThrow(/can only be archived/)
  const record = (
    result: number,
  ) => `insert into archived_days (day, trades, transfers, real_result, demo_result, last_at, leaves, object, parts, sha256, bytes)
    select '2020-01-01', 1, 2, ${result}, sum(case when credit = 'balance' then amount when debit = 'balance' then -amount else 0 end), now(), sha256(''), '2020-01-01-0123456789abcdef', 1, sha256(''), 1
    from transfers where mode = 'demo' and cause_id = $ID$`
  const { rows } = await client.query(
    "select cause_id from transfers where mode = 'demo' and cause = 'trade_settle' group by cause_id having count(*) = 1 limit 1",
  )
  const id = String(rows[0].cause_id)
  for (const [result, where] of [
    [1, `cause_id = ${id}`],
    [0, `cause_id = ${id} and cause = 'trade_open'`],
  ] as const) {
    await client.query('begin')
    await client.query(record(result).replace('$ID$', id))
    await expect(client.query(`delete from transfers where ${where}`), where).rejects.toThrow(/can only be archived/)
    await client.query('rollback')
  }
  await expect(client.query('update archived_sums set result = 1; delete from archived_sums')).rejects.toThrow(/final/)
  await client.end()
  await expect(sql`insert into archived_days default values`.execute(database.db)).rejects.toThrow(/permission denied/)
  expect((await counts()).trades).toBe(trades)
})

test('interrupted after any step, it leaves all rows or a complete archive', async () => {
  const before = await counts()
  const isRunning = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where application_name like '%archive' and datname = current_database()`.execute(
      owner.db,
    )
    return rows.length > 0
  }
  for (const last of ['chosen', 'stored', 'compared', 'recorded'] as const) {
    const cut = openDatabase(database.ownerUrl, { max: 1, name: 'archive', log: createLog('silent') })
    let wasCut = false
    const step = async (done: string) => {
      if (done !== last) return
      const { rows } = await sql`
        select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where application_name like '%archive' and datname = current_database()`.execute(owner.db)
      wasCut = rows.length === 1
    }
    await expect(archiveDay({ ...(await deps()), db: cut.db, step }, day), last).rejects.toThrow()
    await cut.close()
    expect(wasCut).toBe(true)
    expect(await counts(), last).toEqual(before)
  }
  // Kill the process itself, after it has removed all rows but before the commit, and right after the commit.
  const kill = (step: string) => {
    const script = fileURLToPath(new URL('../../support/servers/archive-and-die.ts', import.meta.url))
    const args = [script, database.ownerUrl, files, key.toString('hex'), day, step]
    const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: inherited, timeout: 120_000 })
    expect(signal, stderr).toBe('SIGKILL')
  }
  kill('removed')
  while (await isRunning()) await sleep(20)
  expect(await counts()).toEqual(before)
  expect(await broken()).toEqual([])
  expect(readdirSync(files)).toHaveLength(4)
  // The tape has looked through everything.
  await sql`update tape_expiry set until = ${Date.parse(day) + 30 * DAY_MS}`.execute(owner.db)
  kill('committed')
  const { rows: expiry } = await sql<{ until: bigint }>`select until from tape_expiry`.execute(owner.db)
  expect(Number(expiry[0]!.until), 'prices that no trade needs now may be dropped').toBeLessThan(Date.parse(day))
  const { transfers, days } = await counts()
  expect(days).toBe(1)
  expect(await checkDay(await deps(), day)).toEqual({ trades: 13, transfers: before.transfers - transfers })
  expect(await archiveDay(await deps(), '2020-01-01')).toBeUndefined()
})

test('afterwards everything verifies, accounts can trade, and needed rows remain', async () => {
  expect(await broken()).toEqual([])
  const { rows } = await sql<{ id: bigint }>`select id from trades order by id`.execute(owner.db)
  expect(rows).toHaveLength(7)
  expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(needed))
  await market.submit(users[0]!, { mode: 'real' })
  await market.pass(1_000)
  expect(await broken()).toEqual([])
  expect(await checkAccounts(await deps(), () => undefined)).toBeUndefined()
})

test('a statement starts after the archived days, with the right balances', async () => {
  const { db } = database
  const user = users[0]!
  const complete = (await completeFrom(db, user, 'real'))!
  expect(Date.parse(complete)).toBeGreaterThan(Date.now() - DAY_MS)
  const { rows } = await sql<{ first: bigint; at: Date; before: bigint }>`
    select account_seq as first, at, balance_after + amount as before from transfers
    where account_id = ${accountOf(user, 'real')} and cause = 'trade_open' order by account_seq limit 1`.execute(db)
  const { first, at, before } = rows[0]!
  expect(first).toBeGreaterThan(2n)
  const range = await transfersBetween(db, user, 'real', at.getTime(), Date.now() + DAY_MS)
  expect(await balanceBefore(db, range)).toBe(before)
  const { value: page } = await transferPages(db, range).next()
  expect(page![0].account_seq).toBe(first)
  const { rows: account } = await sql<{ balance: bigint; seq: bigint }>`
    select balance, seq from accounts where id = ${accountOf(user, 'real')}`.execute(db)
  expect(range.to).toBe(account[0]!.seq)
  expect(await balanceBefore(db, { ...range, from: range.to + 1n })).toBe(account[0]!.balance)
})

test('the key of an archived trade stays used, and verify sees a forgotten one', async () => {
  const { rows } = await sql<{ user_id: bigint; key: string }>`
    select user_id, key from request_keys where effect = 'archived_trade' order by key, user_id`.execute(database.db)
  const { trades } = await counts()
  expect(rows.length).toBeGreaterThan(3)
  // Both ways in: a second account that isn't locked, and all of them in one batch.
  const again = await Promise.allSettled(
    rows.map(({ user_id, key }) =>
      market.submit(user_id, { mode: key.endsWith('real') ? 'real' : 'demo', amount: 10, key }),
    ),
  )
  expect(again.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(
    rows.map(() => 'idempotency_mismatch'),
  )
  expect((await counts()).trades).toBe(trades)
  expect(await broken()).toEqual([])
  const { user_id, key: forgotten } = rows[0]!
  const which = `user_id = ${user_id} and key = '${forgotten}'`
  await past(
    `create table public.aside as select * from request_keys where ${which}; delete from request_keys where ${which}`,
  )
  expect(await broken()).toEqual([expect.stringContaining('I2')])
  await past('insert into request_keys select * from aside; drop table aside; select 1')
})

test('lists and statements report archived days', async () => {
  const who = { userId: users[0]! } as never
  const list = (limit: string) =>
    market.trading.routes['GET /trading']({ who, query: { mode: 'demo', limit }, reads: database.db } as never)
  const complete = (await completeFrom(database.db, users[0]!, 'demo'))!
  expect(await list('200')).toMatchObject({ archived_before: complete })
  expect(await list('1')).not.toHaveProperty('archived_before')
  let line = ''
  for await (const text of dayLines(await deps(), day)) if (text.startsWith('trade ')) line = text
  const trade_id = BigInt(/"id":(\d+)/.exec(line)![1]!)
  const one = (id: bigint) =>
    market.trading.routes['GET /trading/:trade_id']({ who, params: { trade_id: id }, reads: database.db } as never)
  await expect(one(trade_id)).rejects.toThrow(/may be archived: contact us/)
  await expect(one(trade_id + 2n ** 60n)).rejects.toThrow(/^Trade not found\.$/)
  const receipt = receiptOf({ db: database.db, instruments: market.prices.instruments }, users[0]!, trade_id)
  await expect(receipt).rejects.toThrow(/may be archived: contact us/)
  const statement = (from: string) =>
    statementReply({ db: database.db, startStream: async () => 'allowed' } as never, users[0]!, {
      mode: 'demo',
      from,
      to: '2099-01-01',
    })
  // Movements have the database's time; the tape's, an hour ahead here, may already be the next day.
  const dayBefore = new Date(Date.parse(complete) - DAY_MS).toISOString().slice(0, 10)
  await expect(statement(dayBefore)).rejects.toMatchObject({
    errors: [{ field: 'from', message: expect.stringContaining(complete) }],
  })
  await expect(statement(complete)).resolves.toBeDefined()
})

test('the command lists, checks and reads archived days, and reports missing settings', async () => {
  const archive = (args: string[], env: Record<string, string> = {}) => {
    const settings = { DATABASE_URL: database.superUrl, ARCHIVE_URL: files, BACKUP_KEY: key.toString('hex'), ...env }
    const command = fileURLToPath(new URL('../../../ops/commands/archive-command.ts', import.meta.url))
    const options = { encoding: 'utf8', env: { ...inherited, ...settings }, timeout: 120_000 } as const
    const { stdout, stderr, status } = spawnSync(process.execPath, [command, ...args], options)
    return { stdout, stderr, status }
  }
  const { stdout: list } = archive(['list'])
  expect(list).toMatch(new RegExp(`^${day}: 13 trades, \\d+ movements, in ${day}-[0-9a-f]{16}\n$`))
  expect(archive(['check'])).toEqual({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(new RegExp(`^ok {5}${day}: 13 trades and \\d+ movements\nok {5}the archived`)),
  })
  expect(archive(['read', day]).stdout.match(/^trade /gm)).toHaveLength(13)
  expect(archive(['--before', 'yesterday'])).toMatchObject({ status: 1, stderr: expect.stringContaining('npm run') })
  const otherKey = archive(['check', day], { BACKUP_KEY: randomBytes(32).toString('hex') })
  expect(otherKey).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/key/) })
})

test('detects any flipped byte of a file', async () => {
  const { rows } = await sql<{ object: string }>`select object from archived_days`.execute(owner.db)
  const folderOfDay = join(files, rows[0]!.object)
  for (const name of readdirSync(folderOfDay)) {
    const file = join(folderOfDay, name)
    const bytes = readFileSync(file)
    for (const at of [0, Math.floor(bytes.length / 2), bytes.length - 1]) {
      bytes[at]! ^= 1
      writeFileSync(file, bytes)
      await expect(checkDay(await deps(), day), `${name} ${at}`).rejects.toThrow()
      bytes[at]! ^= 1
      writeFileSync(file, bytes)
    }
  }
  await expect(checkDay(await deps(), day)).resolves.toMatchObject({ trades: 13 })
})

test('names each planted change, in the database and in the files', async () => {
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
      await past(entry, url)
      const accounts = await checkAccounts({ ...(await deps()), db: copy.db }, () => undefined).catch(String)
      return [
        ...(await broken(copy.db)).map((line) => line.split(':')[0]),
        ...(accounts === undefined ? [] : ['files']),
      ]
    } finally {
      await copy.close()
      await client.query(`drop database ${source}_planted with (force)`)
    }
  }
  const settled = "(select min(id) from trades where status <> 'Pending')"
  const two = '(select account_id from archived_sums where account_id % 2 = 1 order by account_id limit 2)'
  for (const [entry, names] of [
    [
      'update archived_sums set result = result + 1 where account_id = (select min(account_id) from archived_sums)',
      ['L2', 'L3', 'L9', 'L10', 'order', 'files'],
    ],
    // Two accounts, consistent with each other and with their balances: only the files reveal it.
    [
      `with two as (select account_id, 2 * row_number() over (order by account_id) - 3 as change from ${two} t),
        sums as (update archived_sums s set result = result + change from two where two.account_id = s.account_id),
        moves as (update transfers t set balance_after = balance_after + change from two, archived_sums s
          where two.account_id = t.account_id and s.account_id = t.account_id and t.account_seq > s.last_seq)
       update accounts a set balance = balance + change from two where two.account_id = a.id`,
      ['files'],
    ],
    [
      `delete from transfers where cause in ('trade_open', 'trade_settle') and cause_id = ${settled}; delete from trades where id = ${settled}`,
      ['L3', 'proof'],
    ],
    ["update archived_days set leaves = sha256('x')", ['proof']],
    ["update archived_days set sha256 = sha256('x')", ['H2', 'files']],
    ['delete from archived_days', ['L10', 'proof', 'H2', 'files']],
    ['alter table transfers disable trigger transfers_leave_archived', ['L5']],
  ] as const)
    expect(await plant(entry), entry).toEqual(expect.arrayContaining([...names]))
  await client.end()
})
