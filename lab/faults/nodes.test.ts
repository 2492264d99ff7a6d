import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, sql } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { processOf } from '#tests/support/servers/nodes.ts'
import { dataFolder, launch, openSuper, type ServerProcess, startServer } from '#tests/support/servers/server.ts'
import { broken, crowd, healthy, losses } from '#tests/support/trades/crowd.ts'
import { converge, startLoad } from '#tests/support/trades/load.ts'

/**
 * The engine and the web as separate processes. Whichever dies or hangs, nothing that a client saw accepted is lost or
 * duplicated, every trade ends by the tape, and only one node at a time writes the tape.
 */
const TRADERS = 6
const LOOPS = 8
const TIMEOUT_MS = 180_000

const { freshData, submitTo } = crowd(TRADERS)

const newest = async (dataDir: string) => {
  const { db, close } = openSuper(dataDir)
  try {
    const { rows } = await sql<{ n: bigint; age: number }>`
      select number as n, extract(epoch from clock_timestamp()) * 1000 - t as age from tape_head`.execute(db)
    return { n: Number(rows[0]!.n), ageMs: Number(rows[0]!.age) }
  } finally {
    await close()
  }
}

/** Waits until every trade that has ended is settled. Returns the longest time from a trade's end to its settlement. */
async function settledAll(dataDir: string): Promise<number> {
  const { db, close } = openSuper(dataDir)
  try {
    for (let waited = 0; waited < 90_000; waited += 200) {
      const { rows } = await sql<{ pending: bigint; latest: number | null }>`
        select count(*) filter (where status = 'Pending') as pending,
          max(extract(epoch from settled_at) * 1000 - end_time)::float8 as latest from trades`.execute(db)
      if (rows[0]!.pending === 0n) return rows[0]!.latest ?? 0
      await sleep(200)
    }
    throw new Error('some trades were not settled')
  } finally {
    await close()
  }
}

async function restarted(server: ServerProcess, role: 'engine' | 'web', before: number): Promise<number> {
  for (let waited = 0; waited < 5_000; waited += 5) {
    const pid = processOf(server.pid, role)
    if (pid !== undefined && pid !== before) return waited
    await sleep(5)
  }
  throw new Error(`the ${role} was not restarted:\n${server.output()}`)
}

test(
  'kill -9 of the engine: requests still get responses, it is back within seconds, and every trade ends by the tape',
  async () => {
    const dataDir = freshData()
    const server = await startServer(dataDir)
    const submit = submitTo(() => server)
    const load = startLoad(submit, { loops: LOOPS, traders: TRADERS })
    while (load.accepted() < 200) await sleep(5)
    const engine = processOf(server.pid, 'engine')!
    const before = load.accepted()
    process.kill(engine, 'SIGKILL')
    expect(await restarted(server, 'engine', engine)).toBeLessThan(1_000)
    // Prices are fresh for ten seconds, so orders are accepted while the engine starts.
    await expect.poll(() => load.accepted(), { timeout: 5_000 }).toBeGreaterThan(before)
    const { n } = await newest(dataDir)
    await expect.poll(async () => (await newest(dataDir)).n, { timeout: 8_000 }).toBeGreaterThan(n + 3)
    const attempts = await load.stop()
    await converge(attempts, submit)
    expect(await losses(dataDir, attempts)).toEqual([])
    expect(await settledAll(dataDir)).toBeLessThan(10_000)
    expect(await broken(dataDir)).toEqual([])
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  'kill -9 of the web: the tape continues without a gap, and the same address answers again within seconds',
  async () => {
    const dataDir = freshData()
    const server = await startServer(dataDir)
    const submit = submitTo(() => server)
    const load = startLoad(submit, { loops: LOOPS, traders: TRADERS })
    while (load.accepted() < 200) await sleep(5)
    const web = processOf(server.pid, 'web')!
    process.kill(web, 'SIGKILL')
    const ages: number[] = []
    const watching = setInterval(() => void newest(dataDir).then(({ ageMs }) => ages.push(ageMs)), 100)
    onTestFinished(() => clearInterval(watching))
    expect(await restarted(server, 'web', web)).toBeLessThan(1_000)
    await healthy(server)
    clearInterval(watching)
    expect(ages.length).toBeGreaterThan(5)
    expect(Math.max(...ages)).toBeLessThan(1_500)
    const before = load.accepted()
    await expect.poll(() => load.accepted(), { timeout: 5_000 }).toBeGreaterThan(before + 50)
    const attempts = await load.stop()
    await converge(attempts, submit)
    expect(await losses(dataDir, attempts)).toEqual([])
    expect(await broken(dataDir)).toEqual([])
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

test(
  'an engine that hangs is killed and restarted, even during startup',
  async () => {
    const dataDir = freshData()
    const server = await startServer(dataDir)
    const engine = processOf(server.pid, 'engine')!
    const another = async (than: number, timeout: number): Promise<number> => {
      await expect
        .poll(() => processOf(server.pid, 'engine'), { interval: 5, timeout })
        .toSatisfy((pid) => pid !== undefined && pid !== than)
      return processOf(server.pid, 'engine')!
    }
    process.kill(engine, 'SIGSTOP')
    const starting = await another(engine, 20_000)
    process.kill(starting, 'SIGSTOP')
    // One that starts may be silent for two minutes: it reads its code.
    await another(starting, 150_000)
    await expect.poll(async () => (await newest(dataDir)).ageMs, { timeout: 10_000 }).toBeLessThan(1_000)
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS + 60_000,
)

test.each([
  [{ ROLES: 'web' }, 'needs DATABASE_URL'],
  [{ ROLES: 'web', DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' }, 'needs FILES_KEY'],
  [{ ROLES: 'web,feed' }, 'ROLES must be engine, web, or both'],
])('roles that cannot work alone say what is missing: %j', async (env, message) => {
  const { ended, output } = launch('server/app/main.ts', { DATA_DIR: dataFolder(), ...env })
  expect(await ended).toBe(1)
  expect(output()).toContain(message)
  expect(output()).not.toContain('main.ts:')
})

/** Nodes on one database, each with its own supervisor and data folder, as on several machines. */
async function cluster(roles: ('engine' | 'web')[]) {
  const { superUrl, db } = await testDatabase()
  // Only a superuser can see which client a session belongs to.
  const all = openDatabase(superUrl, { max: 2, name: 'onlooker', log: createLog('silent') })
  onTestFinished(() => all.close())
  const nodes = await Promise.all(
    roles.map((role) => startServer(dataFolder(), { DATABASE_URL: superUrl, ROLES: role, FILES_KEY: 'ab'.repeat(32) })),
  )
  const pids = nodes.map((node, at) => processOf(node.pid, roles[at]!)!)
  onTestFinished(async () => {
    for (const pid of pids) resume(pid)
    await Promise.all(nodes.map((node) => node.end('SIGTERM')))
  })
  const head = async () => {
    const { rows } = await sql<{ n: bigint; age: number }>`
      select number as n, (extract(epoch from clock_timestamp()) * 1000)::float8 - t as age from tape_head`.execute(db)
    return { n: Number(rows[0]!.n), ageMs: Number(rows[0]!.age) }
  }
  /** Returns the processes whose sessions hold the leader's lock. */
  const leaders = async () => {
    const { rows } = await sql<{ name: string }>`
      select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.objid = 7301 and l.granted and a.datname = current_database()`.execute(all.db)
    return rows.map(({ name }) => Number(/^cleartick tape (\d+) on /.exec(name)?.[1]))
  }
  return { pids, head, leaders }
}

function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // It has exited.
  }
}

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'of two engines one writes the tape, and the other takes over within 3 s of its %s',
  async (signal) => {
    const { pids, head, leaders } = await cluster(['engine', 'engine'])
    const [leader, ...others] = await leaders()
    expect(others).toEqual([])
    expect(pids).toContain(leader)
    process.kill(leader!, signal)
    const { n } = await head()
    let longest = 0
    for (const until = performance.now() + 8_000; performance.now() < until; await sleep(50)) {
      longest = Math.max(longest, (await head()).ageMs)
      expect((await leaders()).length).toBeLessThanOrEqual(1)
    }
    expect(longest).toBeLessThan(signal === 'SIGKILL' ? 3_000 : 5_000)
    expect((await head()).n).toBeGreaterThan(n + 10)
    const [next] = await leaders()
    expect(next).not.toBe(leader)
    if (signal === 'SIGKILL') return
    // The paused node wakes up: it doesn't write, and becomes a follower.
    resume(leader!)
    await sleep(3_000)
    expect(await leaders()).toEqual([next])
  },
  TIMEOUT_MS,
)
