import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { verifyAll } from '#ops/commands/verify-all.ts'
import { inTransaction, openDatabase, sql } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { symbolRoom } from '#server/risk/room-numbers.ts'
import { registration } from '#tests/support/people/identity.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { call, dataFolder, startServer } from '#tests/support/servers/server.ts'
import { type Attempt, converge, lossesOf, type Seen, startLoad } from '#tests/support/trades/load.ts'
import { fund } from '#tests/support/trades/money.ts'

/**
 * Two nodes accept real trades until the house may lose no more, while the engine that grants the room is killed: as
 * they begin, near the bound, and once their trades end. What the house can lose never passes the bound, and the room
 * that is returned is used again.
 */
const SYMBOL = 'BTCUSDT'
const BOUND = 6_000
/** What a stake of a dollar wins, in cents. */
const PROFIT = 75
const LOOPS = 6
const TRADERS = 6

test('the bound on what the house can lose holds while the granting engine is killed', async () => {
  const { superUrl, db } = await testDatabase()
  // Only a superuser sees which process holds the lead.
  const all = openDatabase(superUrl, { max: 3, name: 'onlooker', log: createLog('silent') })
  onTestFinished(() => all.close())
  const env = { DATABASE_URL: superUrl, FILES_KEY: 'ab'.repeat(32), PROOF_KEY: 'cd'.repeat(32) }
  const nodes = await Promise.all([1, 2].map(() => startServer(dataFolder(), env)))
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.end('SIGTERM')))
  })

  const traders = await Promise.all(
    Array.from({ length: TRADERS }, async () => {
      const form = registration()
      await call(nodes[0]!, 'POST', '/auth/register', { body: form })
      const { email, password } = form
      const { json } = await call(nodes[0]!, 'POST', '/auth/login', { body: { email, password } })
      const { id } = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
      await inTransaction(db, (tx) => fund(tx, id, usd(2_000_000n)))
      return (json.tokens as { access: { token: string } }).access.token
    }),
  )
  await changeSettings(db, { loss_limits: [{ name: SYMBOL, loss_max: BOUND / 100 }] }, (tx) =>
    sql`insert into risk_limits values (${SYMBOL}, ${BOUND})`.execute(tx),
  )
  const figures = async () =>
    (
      await sql<{
        figures: { rooms: Record<string, { most: number }> } | null
      }>`select figures from risk_count`.execute(db)
    ).rows[0]?.figures
  await expect
    .poll(async () => Object.values((await figures())?.rooms ?? {}).some(({ most }) => most === BOUND), {
      timeout: 60_000,
    })
    .toBe(true)
  // A node that hasn't read the limit yet takes no room of the symbol.
  const { id } = await db.selectFrom('instruments').select('id').where('symbol', '=', SYMBOL).executeTakeFirstOrThrow()
  const unlimited = async () =>
    (
      await sql<{ lanes: number }>`
      select count(*)::int as lanes from risk_lanes l
      where not exists (select from risk_rooms r where r.lane = l.lane and r.room = ${symbolRoom(id, 'up')})`.execute(
        db,
      )
    ).rows[0]!.lanes
  await expect.poll(unlimited, { timeout: 20_000 }).toBe(0)

  /** The profit of all open Buys, in cents. */
  const open = async () => {
    const { rows } = await sql<{ profit: number }>`
      select coalesce(sum((stake * percent + 50) / 100), 0)::float8 as profit from trades
      where status = 'Pending' and mode = 'real'`.execute(db)
    return rows[0]!.profit
  }
  const leader = async () => {
    const { rows } = await sql<{ name: string }>`
      select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.objid = 7301 and l.granted and a.datname = current_database()`.execute(all.db)
    return Number(/^cleartick tape (\d+) on /.exec(rows[0]?.name ?? '')?.[1])
  }
  const killed: number[] = []
  async function killEngine() {
    await expect.poll(leader, { timeout: 20_000 }).toSatisfy((pid: number) => pid > 0 && !killed.includes(pid))
    const pid = await leader()
    process.kill(pid, 'SIGKILL')
    killed.push(pid)
  }

  const accepted = [0, 0]
  let turn = 0
  async function submit(trader: number, key: string, cents: number): Promise<Seen> {
    const node = turn++ % 2
    const order = { symbol: SYMBOL, trading_type: 'Cryptocurrency', trade_mode: 'Buy', strike_rate: '75/3' }
    const body = { ...order, amount: cents / 100, duration: 60, mode: 'real' }
    try {
      const { status, json } = await call(nodes[node]!, 'POST', '/trading/submit', {
        token: traders[trader]!,
        key,
        body,
      })
      if (status >= 500) return { kind: 'unknown', why: `${status} ${json.message}` }
      if (status !== 200) {
        // The room is full: ask again soon, as traders do.
        await sleep(100)
        return { kind: 'refused', why: `${status} ${json.message}` }
      }
      accepted[node]!++
      return { kind: 'accepted', tradeId: (json.data as { trade_id: string }).trade_id }
    } catch (error) {
      return { kind: 'unknown', why: String(error) }
    }
  }
  const load = startLoad(submit, { loops: LOOPS, traders: TRADERS })
  const sums: number[] = []
  const watching = setInterval(() => void open().then((sum) => sums.push(sum)), 50)
  onTestFinished(() => clearInterval(watching))

  await expect.poll(open, { timeout: 60_000 }).toBeGreaterThan(BOUND / 3)
  await killEngine()
  await expect.poll(open, { timeout: 60_000 }).toBeGreaterThan(BOUND - 3 * PROFIT)
  await killEngine()
  const before = load.accepted()
  // The first trades end after a minute, and others take their room.
  await expect.poll(load.accepted, { timeout: 120_000 }).toBeGreaterThan(before + 5)
  await killEngine()
  const then = load.accepted()
  await expect.poll(load.accepted, { timeout: 60_000 }).toBeGreaterThan(then + 5)
  const attempts: Attempt[] = await load.stop()
  clearInterval(watching)
  await converge(attempts, submit)

  expect(killed).toHaveLength(3)
  expect(sums.length).toBeGreaterThan(100)
  expect(Math.max(...sums)).toBeLessThanOrEqual(BOUND)
  // At no moment between the samples either.
  const { rows } = await sql<{ most: number }>`
    select max(open)::float8 as most from (
      select sum(change) over (order by at, change) as open from (
        select to_timestamp(trade_time / 1000.0) as at, (stake * percent + 50) / 100 as change from trades where mode = 'real'
        union all
        select settled_at, -((stake * percent + 50) / 100) from trades where mode = 'real' and settled_at is not null
      ) changes
    ) sums`.execute(db)
  expect(rows[0]!.most).toBeLessThanOrEqual(BOUND)
  expect(Math.min(...accepted), 'both nodes accepted').toBeGreaterThan(5)
  expect(await lossesOf(db, attempts)).toEqual([])
  expect((await verifyAll(all.db)).flatMap(({ name, broken }) => (broken === undefined ? [] : [name]))).toEqual([])
}, 360_000)
