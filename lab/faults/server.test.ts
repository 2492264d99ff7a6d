import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sql } from '#server/platform/database/db.ts'
import { childrenOf } from '#tests/support/servers/nodes.ts'
import {
  call,
  dataFolder,
  launch,
  openSuper,
  postmasterOf,
  startServer,
  traders,
} from '#tests/support/servers/server.ts'
import { broken, crowd, healthy, losses, order } from '#tests/support/trades/crowd.ts'
import { type Attempt, converge, startLoad } from '#tests/support/trades/load.ts'

/**
 * The whole server as a separate process, with the shipped durability and HTTP clients. Whatever is killed, nothing
 * that a client saw accepted is lost or duplicated, every invariant holds, and the server recovers by itself.
 */
const TRADERS = 6
const LOOPS = 24
/** A limit for busy machines: alone, the longest test takes half a minute. */
const TIMEOUT_MS = 180_000

const { freshData, submitTo } = crowd(TRADERS)

type Answer = number | 'order_expired'
/** A database failure causes a 503, or an order that waited for more than 2 s and isn't placed any more. Nothing else. */
const expectDatabaseFailures = (answers: ReadonlyMap<Answer, number>) =>
  expect([...answers.keys()].filter((answer) => ![200, 503, 'order_expired'].includes(answer))).toEqual([])

test.each(['the server', 'the server and its database'])(
  'survives kill -9 of %s during acceptance, three times',
  async (what) => {
    const dataDir = freshData()
    let server = await startServer(dataDir)
    const submit = submitTo(() => server)
    const everything: Attempt[] = []
    for (let round = 1; round <= 3; round++) {
      const load = startLoad(submit, { loops: LOOPS, traders: TRADERS })
      while (load.accepted() < 300 * round) await sleep(5)
      const postmaster = postmasterOf(dataDir)!
      if (what !== 'the server') process.kill(postmaster, 'SIGKILL')
      await server.end('SIGKILL')
      const attempts = await load.stop()
      everything.push(...attempts)
      expect(
        attempts.some(({ seen }) => seen.kind === 'unknown'),
        'the kill came while clients waited',
      ).toBe(true)

      server = await startServer(dataDir)
      expect(await losses(dataDir, everything)).toEqual([])
      await converge(attempts, submit)
      // A retry of an order accepted before the kill returns the same trade (I1).
      for (const attempt of attempts.filter(({ seen }) => seen.kind === 'accepted').slice(-40)) {
        expect(await submit(attempt.trader, attempt.key, attempt.cents)).toEqual(attempt.seen)
      }
    }
    expect(await losses(dataDir, everything)).toEqual([])
    expect(await broken(dataDir)).toEqual([])
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

/** Inserts 20,000 open trades that ended a moment ago on the tape's prices, as if the workers had been paused. */
const DUE_TRADES = `
with span as (select min(source_ms) as from_ms, max(source_ms) as to_ms, symbol_id, min(kind) as kind from ticks
  where symbol_id = 3 group by symbol_id),
made as (
  insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake, duration_seconds,
    trade_time, end_time)
  select n, a.id, a.mode, s.symbol_id, s.kind, 10000, case n % 2 when 0 then 'Buy' else 'Sell' end::trade_side, '75/3',
    case n % 2 when 0 then 75 else 3 end, 100, 2, s.to_ms - 4000 - n % 1000, s.to_ms - 2000 - n % 1000
  from generate_series(1, 20000) n, span s, lateral (
    select id, mode from accounts order by id offset n % (select count(*)::int from accounts) limit 1
  ) a
  returning id, account_id, mode, stake
), taken as (
  update accounts set balance = balance - t.stakes, escrow = escrow + t.stakes, seq = seq + t.count
  from (select account_id, sum(stake) as stakes, count(*) from made group by account_id) t where id = t.account_id
  returning id, balance, seq, t.stakes, t.count
)
insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
select 'trade_open', m.id, 1, m.account_id, m.mode, 'balance', 'escrow', m.stake, a.seq - a.count + row_number() over w,
  a.balance + a.stakes - sum(m.stake) over w, clock_timestamp()
from made m join taken a on a.id = m.account_id window w as (partition by m.account_id order by m.id)`

test(
  'kill -9 during settlement: each trade settles once, by the tape',
  async () => {
    const dataDir = freshData()
    let server = await startServer(dataDir)
    await sleep(5_500)
    const pending = async (): Promise<number> => {
      const { db, close } = openSuper(dataDir)
      const { rows } = await sql<{ n: bigint }>`select count(*) as n from trades where status = 'Pending'`.execute(db)
      await close()
      return Number(rows[0]!.n)
    }
    const { db, close } = openSuper(dataDir)
    await sql.raw(DUE_TRADES).execute(db)
    // Settlement skips a locked trade: however late we notice the first settled ones, it isn't finished.
    const locker = openSuper(dataDir)
    const killed = Promise.withResolvers<void>()
    const locked = locker.db.transaction().execute(async (tx) => {
      await sql`select from trades where id = 20000 for update`.execute(tx)
      await killed.promise
    })
    let left = 20_000
    while (left === 20_000) {
      const { rows } = await sql<{ n: bigint }>`select count(*) as n from trades where status = 'Pending'`.execute(db)
      left = Number(rows[0]!.n)
    }
    await close().catch(() => undefined)
    await server.end('SIGKILL')
    killed.resolve()
    await locked.catch(() => undefined)
    await locker.close().catch(() => undefined)
    expect(left, 'the kill came in the middle').toBeGreaterThan(0)

    server = await startServer(dataDir)
    await expect.poll(pending, { timeout: 10_000 }).toBe(0)
    expect(await broken(dataDir)).toEqual([])
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  'survives database connections cut at random under load',
  async () => {
    const dataDir = freshData()
    const server = await startServer(dataDir)
    const statuses = new Map<Answer, number>()
    const submit = submitTo(() => server, statuses)
    const load = startLoad(submit, { loops: LOOPS, traders: TRADERS })
    const { db, close } = openSuper(dataDir)
    let cut = 0
    const began = performance.now()
    // For at least five seconds, and on a slow machine until enough orders have got through.
    const goesOn = (ms: number) => ms < 5_000 || (ms < 30_000 && (cut <= 50 || load.accepted() <= 200))
    while (goesOn(performance.now() - began)) {
      const { rows } = await sql<{ done: boolean }>`
      select pg_terminate_backend(pid) as done from (
        select pid from pg_stat_activity where application_name like 'cleartick %' and application_name <> 'cleartick onlooker'
        order by random() limit 2
      ) victims`.execute(db)
      cut += rows.length
      await sleep(40)
    }
    await close()
    const attempts = await load.stop()
    await converge(attempts, submit)
    expect(cut).toBeGreaterThan(50)
    expect(load.accepted()).toBeGreaterThan(200)
    expectDatabaseFailures(statuses)
    expect(await losses(dataDir, attempts)).toEqual([])
    await healthy(server)
    expect(await broken(dataDir)).toEqual([])
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  'kill -9 of the database under load: returns 503, then recovers',
  async () => {
    const dataDir = freshData()
    const server = await startServer(dataDir)
    const statuses = new Map<Answer, number>()
    const submit = submitTo(() => server, statuses)
    const load = startLoad(submit, { loops: LOOPS, traders: TRADERS })
    while (load.accepted() < 300) await sleep(5)
    const before = load.accepted()
    const postmaster = postmasterOf(dataDir)!
    process.kill(postmaster, 'SIGKILL')
    // The database may be back before the health is looked at; orders on their way have failed by then.
    const isNoticed = async () =>
      (await call(server, 'GET', '/health')).status === 503 || [...statuses.keys()].some((answer) => answer !== 200)
    await expect.poll(isNoticed, { interval: 5, timeout: 10_000 }).toBe(true)
    await healthy(server)
    expect(postmasterOf(dataDir)).not.toBe(postmaster)
    await expect.poll(() => load.accepted(), { timeout: 10_000 }).toBeGreaterThan(before + 300)
    const attempts = await load.stop()
    await converge(attempts, submit)
    expectDatabaseFailures(statuses)
    expect(await losses(dataDir, attempts)).toEqual([])
    expect(await broken(dataDir)).toEqual([])
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  "of two first starts on one folder, one runs and the other says why it can't",
  async () => {
    const dataDir = dataFolder()
    const both = await Promise.allSettled([startServer(dataDir), startServer(dataDir)])
    const up = both.filter((start) => start.status === 'fulfilled').map((start) => start.value)
    const down = both.filter((start) => start.status === 'rejected').map((start) => String(start.reason))
    expect(up).toHaveLength(1)
    expect(down[0]).toContain(`already running on the data in ${dataDir}`)
    expect(down[0]).not.toMatch(/\n\s+at .*main\.ts/)
    await healthy(up[0]!)
    expect(await up[0]!.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  'a first start killed at any point is completed by the next one',
  async () => {
    const dataDir = dataFolder()
    // While it creates the cluster, starts it, creates the roles, migrates, or writes the first prices.
    for (const afterMs of [100, 300, 500, 700, 900, 1_100, 1_300, 1_500]) {
      const { child, ended } = launch('server/app/main.ts', { DATA_DIR: dataDir })
      await sleep(afterMs)
      child.kill('SIGKILL')
      await ended
    }
    const server = await startServer(dataDir)
    await healthy(server)
    const [trader] = await traders(server, dataDir, 1)
    const answer = await call(server, 'POST', '/trading/submit', { token: trader!.token, body: order(100) })
    expect(answer).toMatchObject({ status: 200 })
    expect(await broken(dataDir)).toEqual([])
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  'SIGTERM under load: keeps everything that was answered and nothing half-done',
  async () => {
    const dataDir = freshData()
    let server = await startServer(dataDir)
    const submit = submitTo(() => server)
    const load = startLoad(submit, { loops: LOOPS, traders: TRADERS })
    while (load.accepted() < 300) await sleep(5)
    // Some supervisors, and a terminal, signal every process of a group. Only the first decides when the others stop.
    const postmaster = postmasterOf(dataDir)
    for (const pid of childrenOf(server.pid)) if (pid !== postmaster) process.kill(pid, 'SIGTERM')
    while (load.accepted() < 600) await sleep(5)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(server.output(), 'an orderly stop').not.toMatch(/died|does not start|hangs/)
    const attempts = await load.stop()
    expect(postmasterOf(dataDir), 'the database stopped too').toBeUndefined()

    server = await startServer(dataDir)
    expect(await losses(dataDir, attempts)).toEqual([])
    await converge(attempts, submit)
    expect(await losses(dataDir, attempts)).toEqual([])
    expect(await broken(dataDir)).toEqual([])
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  'restarts after Ctrl-C and kill -9, and verify works with and without a server',
  async () => {
    const dataDir = freshData()
    let server = await startServer(dataDir)
    await submitTo(() => server)(0, 'one', 100)
    const verify = async () => {
      const { output, ended } = launch('ops/commands/verify.ts', { DATA_DIR: dataDir })
      return { code: await ended, said: output() }
    }
    expect(await verify()).toMatchObject({ code: 0, said: expect.stringContaining('All checks passed') })
    const url = readFileSync(join(dataDir, 'database-url'), 'utf8')
    expect(await server.end('SIGINT')).toBe(0)
    expect(postmasterOf(dataDir)).toBeUndefined()
    expect(await verify()).toMatchObject({ code: 0, said: expect.stringContaining('All checks passed') })
    expect(postmasterOf(dataDir), 'the command stopped what it started').toBeUndefined()

    server = await startServer(dataDir)
    expect(readFileSync(join(dataDir, 'database-url'), 'utf8'), 'tools keep their address').toBe(url)
    await server.end('SIGKILL')
    const orphan = postmasterOf(dataDir)
    expect(orphan, 'kill -9 leaves the database behind').toBeDefined()
    server = await startServer(dataDir)
    expect(postmasterOf(dataDir)).not.toBe(orphan)
    await healthy(server)
    // An order that takes longer than two seconds, or comes before the first price, is refused.
    const submit = submitTo(() => server)
    await expect.poll(() => submit(0, crypto.randomUUID(), 100)).toMatchObject({ kind: 'accepted' })

    // The command also detects a violation.
    const { db, close } = openSuper(dataDir)
    await sql
      .raw(
        "set session_replication_role = 'replica'; update accounts set balance = balance + 1 where id = (select min(id) from accounts)",
      )
      .execute(db)
    await close()
    const red = await verify()
    expect(red.code).toBe(1)
    expect(red.said).toMatch(/^BROKEN L3 .*"id":"\d+"/m)
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)
