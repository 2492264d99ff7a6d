import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countGrants, expireGrants } from '#ops/archive/index.ts'
import { verifyAll } from '#ops/commands/verify-all.ts'
import { balancesOf, completeFrom } from '#server/ledger/index.ts'
import { type Database, openDatabase, sql } from '#server/platform/database/db.ts'
import { recordRun } from '#server/platform/database/maintenance.ts'
import { withDatabase } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { inherited } from '#tests/support/servers/server.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'

const { database, market } = await marketOfFile()
let owner: Database
let users: bigint[]

const reset = (userId: bigint, key: string) =>
  market.trading.routes['POST /trading/demo/reset']({
    who: { userId } as never,
    request: { idempotencyKey: key, fingerprint: () => Buffer.from(key.padEnd(32)) },
  } as never)

async function rows() {
  const { rows } = await sql<{ grants: number; keys: number; others: number }>`
    select (select count(*)::int from transfers where cause = 'demo_grant') as grants,
      (select count(*)::int from request_keys where effect = 'demo_reset') as keys,
      (select count(*)::int from request_keys where effect <> 'demo_reset')
        + (select count(*)::int from transfers where cause <> 'demo_grant') as others`.execute(owner.db)
  return rows[0]!
}

const broken = async (db = owner.db) =>
  (await verifyAll(db, { patienceMs: 50 })).flatMap(({ name, broken }) => (broken === undefined ? [] : [name]))

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

const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

beforeAll(async () => {
  owner = openDatabase(database.ownerUrl, { max: 4, name: 'owner', log: createLog('error') })
  users = await Promise.all([100_000n, 0n].map((cents) => market.trader(cents)))
  await market.frame({ BTCUSDT: '60000.00' })
  // Each trades in demo and resets twice; a third reset changes nothing, and only its key is stored.
  for (const round of [1, 2]) {
    for (const user of users) await market.submit(user, { mode: 'demo', amount: 10 * round, key: `trade ${round}` })
    for (const user of users) await reset(user, `reset ${round}`)
  }
  await reset(users[0]!, 'reset 3')
  await market.submit(users[0]!, { mode: 'real', amount: 10 })
  await market.submit(users[0]!, { mode: 'demo', amount: 10 })
})
afterAll(() => owner.close())

test('the database lets only old grants leave, with their record, and keys of nothing but resets', async () => {
  const record = (until: string, more: string) => `
    insert into expired_grants (until, grants, granted, last_at, keys) ${more.replace('UNTIL', `'${until}'`)};`
  const one = "transfers m where m.cause = 'demo_grant' and m.cause_id = (select min(id) from users)"
  const grants = `select UNTIL, count(*), sum(amount), max(at), 0 from ${one}`
  const keys = (where: string) => `select UNTIL, 0, 0, null, count(*) from request_keys where ${where}`
  const run = (entry: string) => asSuper(`begin; ${entry} rollback`)
  await run(`${record(dayIn(2), grants)} delete from ${one};`)
  await expect(run(`delete from ${one};`)).rejects.toThrow(/can only be archived/)
  await expect(run(`${record(dayIn(2), grants)} delete from transfers where cause = 'demo_grant';`)).rejects.toThrow(
    /can only be archived/,
  )
  await expect(run(`${record(dayIn(2), grants)} delete from transfers where cause = 'trade_open';`)).rejects.toThrow(
    /can only be archived/,
  )
  await expect(run(record('2026-01-01', grants))).rejects.toThrow(/expired_grants_last_at/)
  const resets = "effect = 'demo_reset'"
  await run(`${record(dayIn(2), keys(resets))} delete from request_keys where ${resets};`)
  await expect(run(`delete from request_keys where ${resets};`)).rejects.toThrow(/only keys of demo resets can expire/)
  await expect(run(`${record('2026-01-01', keys(resets))} delete from request_keys where ${resets};`)).rejects.toThrow(
    /only keys of demo resets/,
  )
  await expect(
    run(`
      insert into request_keys select ${users[0]}, 'other', decode(repeat('00', 32), 'hex'), 'deposit', 1;
      ${record(dayIn(2), keys("key = 'other'"))} delete from request_keys where key = 'other';`),
  ).rejects.toThrow(/only keys of demo resets/)
  await expect(sql`delete from request_keys`.execute(database.db)).rejects.toThrow(/permission denied/)
  await expect(asSuper('delete from expired_grants')).rejects.toThrow(/final/)
})

test('resets leave their sums, and everything verifies', async () => {
  const before = await rows()
  expect(before).toMatchObject({ grants: 6, keys: 5 })
  const balances = await balancesOf(owner.db, users[0]!)
  expect(await expireGrants(owner.db, '2026-01-01'), 'nothing is that old').toBeUndefined()
  expect(await countGrants(owner.db, dayIn(2))).toEqual({ grants: 5, keys: 5 })
  expect(await expireGrants(owner.db, dayIn(2))).toEqual({ grants: 5, keys: 5 })
  // The newest movement of an account stays.
  expect(await rows()).toEqual({ grants: 1, keys: 0, others: before.others })
  expect(await balancesOf(owner.db, users[0]!)).toEqual(balances)
  expect(await broken()).toEqual([])
  expect(await expireGrants(owner.db, dayIn(2)), 'a run has one record').toBeUndefined()
  // A statement can begin only after them.
  expect(await completeFrom(owner.db, users[0]!, 'demo')).toBe(dayIn(1))
  expect(await completeFrom(owner.db, users[0]!, 'real')).toBeUndefined()
})

test('later resets expire in a later run, with the grant that was the newest', async () => {
  for (const user of users) await market.submit(user, { mode: 'demo', amount: 10 })
  // Its key has expired, so it's a new reset.
  for (const user of users) await reset(user, 'reset 1')
  await market.submit(users[1]!, { mode: 'demo', amount: 10 })
  expect(await expireGrants(owner.db, dayIn(3))).toEqual({ grants: 2, keys: 2 })
  expect(await broken()).toEqual([])
})

test('the command removes them with DEMO_AFTER_DAYS, and lists what it did', async () => {
  const archive = (...args: string[]) => {
    const command = fileURLToPath(new URL('../../../ops/commands/archive-command.ts', import.meta.url))
    const env = { ...inherited, DATABASE_URL: database.superUrl, DEMO_AFTER_DAYS: '62' }
    return spawnSync(process.execPath, [command, ...args], { encoding: 'utf8', env, timeout: 120_000 })
  }
  for (const command of ['verify', 'backup'] as const) await recordRun(owner.db, command, true)
  expect(archive('list').stdout).toBe(
    `before ${dayIn(2)}: 5 grants of demo balance and 5 keys of resets, expired\nbefore ${dayIn(3)}: 2 grants of demo balance and 2 keys of resets, expired\n`,
  )
  // However far the date is, 62 days stay.
  await reset(users[1]!, 'young')
  expect(archive('--demo', '--before', '2099-01-01').stdout).toMatch(/nothing from .* on\.\nNothing was removed\.\n$/)
  await asSuper("update request_keys set at = at - interval '100 days' where key = 'young'", { past: true })
  expect(archive('--dry-run').stdout).toBe(
    `Before ${dayIn(-62)}: would remove 0 grants of demo balance and 1 keys of resets\n`,
  )
  expect(archive().stdout).toContain(`Before ${dayIn(-62)}: removed 0 grants of demo balance and 1 keys of resets\n`)
  expect(await broken()).toEqual([])
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
  const first = '(select min(until) from expired_grants where grants > 0)'
  for (const [entry, names] of [
    [`update expired_grants set granted = granted + 1 where until = ${first}`, ['L10', 'H2']],
    [`update expired_grants set grants = grants + 1 where until = ${first}`, ['L10', 'H2']],
    [`update expired_grants set keys = keys + 1 where until = ${first}`, ['H2']],
    [`delete from expired_grants where until = ${first}`, ['L10', 'H2']],
    ['update expired_grant_sums set granted = granted + 1', ['L2', 'L3', 'L9', 'L10', 'order']],
    ['update expired_grant_sums set last_seq = 1000', ['L10']],
    // A grant that leaves with nothing recorded, and one whose account's newest movement it is.
    ["delete from transfers where cause = 'demo_grant' and account_seq > 3", ['L2', 'L3', 'L9']],
    ["delete from audit where action = 'expire-grants'", ['H2']],
    [
      `insert into request_keys select min(id), 'left', decode(repeat('00', 32), 'hex'), 'demo_reset', 1, now() - interval '100 days' from users`,
      ['I2'],
    ],
    ['alter table request_keys disable trigger request_keys_expire', ['I2']],
  ] as const)
    expect(await plant(entry), entry).toEqual(expect.arrayContaining([...names]))
  await client.end()
})
