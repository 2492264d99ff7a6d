import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { isDatabaseDown, openDatabase } from '#server/platform/database/db.ts'
import { changeAddress } from '#server/platform/postgres/address.ts'
import { withRole } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'
import { startTestPrices } from '#tests/support/prices/prices.ts'
import { processOf } from '#tests/support/servers/nodes.ts'
import { call, dataFolder, type ServerProcess, startServer, traders } from '#tests/support/servers/server.ts'
import { makeStandby, type PostgresServer, startPrimary } from '#tests/support/servers/standby.ts'
import { broken, losses, submitAs } from '#tests/support/trades/crowd.ts'
import { converge, startLoad } from '#tests/support/trades/load.ts'

/**
 * Two web nodes and two engines on a primary with a synchronous standby. The primary is killed under load and the
 * standby promoted, as Patroni would. Then the old primary comes back unchanged, and the new one is lost for a while.
 */
const TRADERS = 4
const LOOPS = 2
/** Time until the standby is promoted. */
const OUTAGE_MS = 1_500

const leaders = async (server: PostgresServer) =>
  (
    await server.ask<{ name: string }>(
      `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and l.objid = 7301 and l.granted`,
    )
  ).map(({ name }) => name)

const head = async (server: PostgresServer) =>
  Number((await server.ask<{ n: bigint }>('select number as n from tape_head'))[0]!.n)

/** Returns the nodes' connections to a server, except those that only ask whether it's the primary. */
const usesOf = async (server: PostgresServer) =>
  (
    await server.ask<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
       where application_name like 'cleartick%' and application_name <> 'cleartick primary?'`,
    )
  ).map(({ name }) => name)

const ready = (node: ServerProcess) =>
  expect
    .poll(async () => (await call(node, 'GET', '/ready').catch(() => undefined))?.status, { timeout: 20_000 })
    .toBe(200)

const HAS_ENTRY = 'exists (select from ticks k where k.symbol_id = t.symbol_id and k.source_ms > t.trade_time)'

/** Makes open trades that have their entry end in this many seconds. */
const endIn = (server: PostgresServer, seconds: number, count: number) =>
  server.ask(
    `set session_replication_role = replica;
     alter table trades drop constraint if exists trades_terms;
     update trades set end_time = floor(extract(epoch from clock_timestamp()) * 1000) + ${seconds * 1_000}
     where id in (select id from trades t where status = 'Pending' and ${HAS_ENTRY} order by id limit ${count})`,
  )

test('after a failover every acknowledged trade exists once and ends by the tape, and no node writes to the old primary', async () => {
  const folder = dataFolder()
  const old = await startPrimary(folder)
  onTestFinished(() => old.kill())
  const standby = await makeStandby(old.superUrl, { folder: join(folder, 'standby'), name: 'one' })
  onTestFinished(() => standby.kill())
  // From here on, only what the standby has is acknowledged.
  await old.ask("alter system set synchronous_standby_names = 'one'")
  await old.ask('select pg_reload_conf()')
  const both = `127.0.0.1:${old.port},127.0.0.1:${standby.port}`
  const address = changeAddress(old.superUrl, () => undefined).replace(/127\.0\.0\.1:\d+/, both)
  writeFileSync(join(folder, 'database-url'), address)

  const start = (role: 'web' | 'engine') =>
    startServer(dataFolder(), {
      DATABASE_URL: address,
      ROLES: role,
      FILES_KEY: 'ab'.repeat(32),
      PROOF_KEY: 'cd'.repeat(32),
    })
  // The database is already migrated; the first node creates the server's login.
  const web = await start('web')
  const [other, ...engines] = await Promise.all([start('web'), start('engine'), start('engine')])
  const nodes: ServerProcess[] = [web, other!, ...engines]
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.end('SIGTERM')))))
  const people = await traders(web, folder, TRADERS)
  let turn = 0
  const submit = submitAs(
    () => people,
    () => [web, other!][turn++ % 2]!,
  )

  const load = startLoad(submit, { loops: LOOPS, traders: TRADERS })
  await expect.poll(() => load.accepted()).toBeGreaterThan(40)
  const entered = async () => (await old.ask(`select from trades t where ${HAS_ENTRY}`)).length
  await expect.poll(entered).toBeGreaterThan(20)
  await endIn(old, 1, 50)
  await expect.poll(() => leaders(old)).toHaveLength(1)

  await old.kill()
  const before = load.accepted()
  await sleep(OUTAGE_MS)
  await standby.ask('select pg_promote()')
  const recoveredAt = Date.now()
  await expect.poll(() => load.accepted(), { timeout: 10_000 }).toBeGreaterThan(before + 20)
  const acceptedAfterMs = Date.now() - recoveredAt
  const n = await head(standby)
  await expect.poll(() => head(standby)).toBeGreaterThan(n + 3)
  await expect.poll(() => leaders(standby)).toHaveLength(1)
  for (const node of [web, other!]) await ready(node)

  // The old primary comes back unchanged, and would accept writes without a standby.
  await old.start({ synchronous_standby_names: '' })
  const oldHead = await head(old)
  const child = processOf(web.pid, 'web')!
  process.kill(child, 'SIGKILL')
  await expect.poll(() => processOf(web.pid, 'web')).toSatisfy((pid) => pid !== undefined && pid !== child)
  await ready(web)
  const engine = processOf(engines[0]!.pid, 'engine')!
  process.kill(engine, 'SIGKILL')
  await expect.poll(() => processOf(engines[0]!.pid, 'engine')).toSatisfy((pid) => pid !== undefined && pid !== engine)
  const while_ = load.accepted()
  await expect.poll(() => load.accepted(), { timeout: 10_000 }).toBeGreaterThan(while_ + 20)
  await expect.poll(() => leaders(standby)).toHaveLength(1)
  expect(await usesOf(old)).toEqual([])

  // Now only the old primary responds. It was replaced, so no node uses it.
  standby.signal('SIGSTOP')
  await sleep(3_000)
  expect(await usesOf(old)).toEqual([])
  standby.signal('SIGCONT')
  const after = load.accepted()
  await expect.poll(() => load.accepted(), { timeout: 15_000 }).toBeGreaterThan(after + 20)
  expect(await head(old)).toBe(oldHead)

  const attempts = await load.stop()
  await converge(attempts, submit)
  expect(await losses(folder, attempts)).toEqual([])
  await endIn(standby, 1, 1_000_000)
  await expect
    .poll(
      async () =>
        (
          await standby.ask(
            `select from trades where status = 'Pending' and end_time < extract(epoch from clock_timestamp()) * 1000 - 2000`,
          )
        ).length,
      { timeout: 20_000 },
    )
    .toBe(0)
  const [late] = await standby.ask<{ ms: number }>(
    `select max(extract(epoch from settled_at) * 1000 - greatest(end_time, ${recoveredAt}))::float8 as ms from trades
     where settled_at is not null and end_time < ${recoveredAt}`,
  )
  expect(acceptedAfterMs).toBeLessThan(5_000)
  expect(late!.ms).toBeLessThan(5_000)
  expect(await broken(folder)).toEqual([])
})

test('connections leave a hanging primary, and never return to it', async () => {
  const folder = dataFolder()
  const old = await startPrimary(folder)
  onTestFinished(() => old.kill())
  const standby = await makeStandby(old.superUrl, { folder: join(folder, 'standby'), name: 'one' })
  onTestFinished(() => standby.kill())
  const address = old.superUrl.replace(`:${old.port}/`, `:${old.port},127.0.0.1:${standby.port}/`)
  const { pool, close } = openDatabase(address, { max: 4, name: 'test', log: createLog('silent') })
  onTestFinished(close)
  const portOf = async () => Number((await pool.query('show port')).rows[0].port)
  expect(await portOf()).toBe(old.port)

  const underWay = pool.query('select pg_sleep(60)').catch((error: unknown) => error)
  old.signal('SIGSTOP')
  await standby.ask('select pg_promote()')
  const failure = await underWay
  expect(isDatabaseDown(failure)).toBe(true)
  expect(String(failure)).toContain(`the primary is now 127.0.0.1:${standby.port}`)
  expect(await portOf()).toBe(standby.port)

  // It wakes up and believes that it's still the primary.
  old.signal('SIGCONT')
  await standby.kill()
  await expect(portOf()).rejects.toSatisfy(isDatabaseDown)
  await expect(portOf()).rejects.toThrow(`127.0.0.1:${old.port} is a primary that was replaced by a failover`)
  await standby.start()
  await expect.poll(() => portOf().catch(() => 0)).toBe(standby.port)
  // A wrong password is reported.
  const wrong = openDatabase(withRole(address, 'postgres', 'wrong'), { max: 1, name: 'test', log: createLog('silent') })
  onTestFinished(wrong.close)
  await expect(wrong.pool.query('select 1')).rejects.toMatchObject({ code: '28P01' })
})

test('an empty installation at one of the addresses is never mistaken for the primary', async () => {
  const ours = await startPrimary(dataFolder())
  onTestFinished(() => ours.kill())
  const empty = await startPrimary(dataFolder())
  onTestFinished(() => empty.kill())
  const { username, password } = new URL(empty.superUrl)
  await ours.ask(`alter role "${username}" password '${password}'`)
  const address = empty.superUrl.replace(`:${empty.port}/`, `:${ours.port},127.0.0.1:${empty.port}/`)
  const { pool, close } = openDatabase(address, { max: 1, name: 'test', log: createLog('silent') })
  onTestFinished(close)
  const portOf = async () => Number((await pool.query('show port')).rows[0].port)
  await expect(portOf()).rejects.toThrow("aren't copies of one installation")
  await empty.kill()
  expect(await portOf()).toBe(ours.port)
  // Wait: the other servers are polled every second.
  await empty.start()
  await sleep(2_500)
  expect(await portOf()).toBe(ours.port)
  await ours.kill()
  await expect(portOf()).rejects.toSatisfy(isDatabaseDown)
  await expect(portOf()).rejects.toThrow(`127.0.0.1:${empty.port} is another installation of PostgreSQL`)
})

test('no engine takes over from a leader whose frame waits for a lost standby, and no client sees that frame', async () => {
  const folder = dataFolder()
  const primary = await startPrimary(folder)
  onTestFinished(() => primary.kill())
  const database = openDatabase(primary.urls.app, { max: 2, name: 'test', log: createLog('silent') })
  onTestFinished(database.close)
  const given = {
    ...database,
    appUrl: primary.urls.app,
    ownerUrl: primary.urls.owner,
    superUrl: primary.superUrl,
    drop: async () => undefined,
  }
  const [leader, other] = [await startTestPrices(given), await startTestPrices(given)]
  await leader.tick({ BTCUSDT: '1' })
  await other.tick()
  expect(other.tape.head().n).toBe(1)

  // No such standby exists.
  await primary.ask("alter system set synchronous_standby_names = 'gone'")
  await primary.ask('select pg_reload_conf()')
  let probes = 0
  const waitsForIt = async () => {
    void primary.ask(`create table probe_${++probes} ()`).catch(() => undefined)
    await sleep(100)
    return (await primary.ask("select from pg_stat_activity where wait_event = 'SyncRep'")).length > 0
  }
  await expect.poll(waitsForIt).toBe(true)
  const waiting = leader.tick({ BTCUSDT: '2' })
  for (const until = performance.now() + 4_000; performance.now() < until; await sleep(100)) await other.tick()
  expect([leader.tape.head().n, other.tape.head().n]).toEqual([1, 1])

  await primary.ask('alter system reset synchronous_standby_names')
  await primary.ask('select pg_reload_conf()')
  await waiting
  expect(leader.tape.head().n).toBe(2)
  await expect.poll(() => other.tick().then(() => other.tape.head().n)).toBe(2)
})
