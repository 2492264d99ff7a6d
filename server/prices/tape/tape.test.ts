import { expect, test } from 'vitest'
import { startTestPrices, TEST_CONFIG, TEST_START, type TestPrices } from '#tests/support/prices/prices.ts'
import { cutProxy } from '#tests/support/servers/cut-proxy.ts'
import { connectTo, type TestDatabase, testDatabase } from '#tests/support/servers/database.ts'
import { sql } from '../../platform/database/db.ts'
import type { PricesDeps } from '../deps.ts'
import { makeFrame } from './leader/next-frame.ts'
import { appendStatement, readHead } from './store.ts'
import { verifyTape } from './verify-tape.ts'

async function stored(database: TestDatabase) {
  const { rows } = await sql<{ n: bigint; t: bigint }>`select n, t from frames order by n`.execute(database.db)
  return rows.map((row) => ({ n: Number(row.n), t: Number(row.t) }))
}

/** What was shown is what is stored, each frame once, in order. */
async function shownEqualsStored(database: TestDatabase, prices: TestPrices) {
  expect(prices.frames.map(({ n, t }) => ({ n, t }))).toEqual(await stored(database))
  expect((await verifyTape(database.db)).broken).toBeUndefined()
}

/** Runs rounds until one succeeds, like the loop does. */
async function stepUntilDone(prices: TestPrices) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await prices.step()
    } catch (error) {
      if (attempt > 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

test('a quote becomes a tick that is stored, indexed and published', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  expect(prices.tape.head()).toEqual({ n: 0, t: 0 })
  expect(prices.tape.status('BTCUSDT')).toMatchObject({ status: 'stale' })
  await prices.tick({ BTCUSDT: '61837.63', ETHUSDT: '2683.8' })
  const t = TEST_START + 250
  const tick = { symbol: 'BTCUSDT', symbolId: 3, price: 6_183_763n, scale: 2, sourceMs: t, seq: 1, kind: 0 }
  expect(prices.tape.latest('BTCUSDT')).toEqual(tick)
  expect(prices.frames).toEqual([
    {
      n: 1,
      t,
      entries: [tick, { symbol: 'ETHUSDT', symbolId: 9, price: 268_380n, scale: 2, sourceMs: t, seq: 1, kind: 0 }],
    },
  ])
  const rows = await database.db.selectFrom('ticks').selectAll().orderBy('symbol_id').execute()
  expect(rows[0]).toEqual({ symbol_id: 3, source_ms: BigInt(t), seq: 1n, price: 6_183_763n, kind: 0, frame: 1n })
  expect(prices.tape.status('BTCUSDT')).toEqual({ status: 'open' })
  expect(prices.tape.kind('BTCUSDT')).toBe(0)
  await shownEqualsStored(database, prices)
})

test('writes at most one frame in 250 ms and at least one a second', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '1' })
  prices.clock.advance(249)
  prices.feed.quote('BTCUSDT', '2', prices.clock.now())
  await prices.step()
  expect(prices.tape.head().n).toBe(1)
  prices.clock.advance(1)
  await prices.step()
  expect(prices.tape.head().n).toBe(2)
  for (let i = 0; i < 40; i++) await prices.tick()
  const times = (await stored(database)).map(({ t }) => t)
  for (let i = 1; i < times.length; i++) {
    expect(times[i]! - times[i - 1]!).toBeGreaterThanOrEqual(250)
    expect(times[i]! - times[i - 1]!).toBeLessThanOrEqual(1_000)
  }
  expect(times.at(-1)! - TEST_START).toBeGreaterThan(9_500)
})

test('writes one frame a second while nobody watches and no trade is open, and four as soon as someone does', async () => {
  const database = await testDatabase()
  let isQuiet = true
  const prices = await startTestPrices(database, { isQuiet: () => isQuiet })
  for (let i = 0; i < 20; i++) await prices.tick({ BTCUSDT: String(i + 1) })
  const quiet = (await stored(database)).map(({ t }) => t)
  expect(quiet.slice(1).map((t, i) => t - quiet[i]!)).toEqual([1_000, 1_000, 1_000, 1_000])
  isQuiet = false
  const from = prices.tape.head().n
  for (let i = 0; i < 4; i++) await prices.tick({ BTCUSDT: String(i + 100) })
  expect(prices.tape.head().n).toBe(from + 4)
  await shownEqualsStored(database, prices)
})

test('proves a time by a later tick immediately, by silence after 3 s; stale after 10 s', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '1' })
  const first = prices.clock.now()
  expect(prices.tape.provenUntil('BTCUSDT')).toBe(first - 1)
  await prices.tick({ BTCUSDT: '2' })
  expect(prices.tape.provenUntil('BTCUSDT')).toBe(first + 249)
  for (let i = 0; i < 16; i++) await prices.tick()
  expect(prices.tape.provenUntil('BTCUSDT')).toBe(prices.tape.head().t - 3_001)
  expect(prices.tape.provenUntil('BTCUSDT')).toBeGreaterThan(first + 250)
  for (let i = 0; i < 24; i++) await prices.tick()
  expect(prices.tape.status('BTCUSDT')).toEqual({ status: 'open' })
  await prices.tick()
  expect(prices.tape.status('BTCUSDT')).toEqual({ status: 'stale', reason: 'No price for more than 10 seconds.' })
})

test('after a restart, the tape continues, and its time never goes back with the clock', async () => {
  const database = await testDatabase()
  const before = await startTestPrices(database)
  for (let i = 1; i <= 5; i++) await before.tick({ BTCUSDT: `${i}` })
  await before.stop()
  const prices = await startTestPrices(database)
  expect(prices.tape.head()).toEqual(before.tape.head())
  expect(prices.tape.latest('BTCUSDT')).toEqual(before.tape.latest('BTCUSDT'))
  // This clock started before the tape's end.
  expect(prices.clock.now()).toBeLessThan(prices.tape.head().t)
  await stepUntilDone(prices)
  await new Promise((resolve) => setTimeout(resolve, 1_050))
  await stepUntilDone(prices)
  expect(prices.tape.head().n).toBeGreaterThan(5)
  expect((await verifyTape(database.db)).broken).toBeUndefined()
})

test('after a lost reply, a written frame is shown once, and an unwritten one is resent or never shown', async () => {
  const database = await testDatabase()
  const proxy = await cutProxy(database.appUrl)
  const prices = await startTestPrices(database, { url: proxy.url })
  for (let i = 1; i <= 60; i++) {
    if (i % 6 === 0) proxy.loseNextReply()
    if (i % 6 === 3) proxy.loseNextRequest()
    await prices.tick({ BTCUSDT: `${i}` }).catch(() => stepUntilDone(prices))
  }
  await stepUntilDone(prices)
  const kept = (await stored(database)).length
  expect(kept).toBeGreaterThan(30)
  await shownEqualsStored(database, prices)
})

test('a session that ends as this node takes the lead takes the lead with it', async () => {
  const database = await testDatabase()
  const proxy = await cutProxy(database.appUrl)
  const prices = await startTestPrices(database, { url: proxy.url })
  proxy.endAfter('tape_epochs')
  await prices.tick({ BTCUSDT: '1' }).catch(() => undefined)
  // Until PostgreSQL has ended the lost session, that one keeps the lock.
  await expect
    .poll(async () => {
      await prices.tick({ BTCUSDT: '2' }).catch(() => undefined)
      return prices.tape.head().n
    })
    .toBeGreaterThan(0)
  const { rows } = await sql<{ sessions: number }>`
    select count(*)::int as sessions from pg_locks
    where locktype = 'advisory' and objid = 7301 and granted
      and database = (select oid from pg_database where datname = current_database())`.execute(database.db)
  expect(rows).toEqual([{ sessions: 1 }])
  await shownEqualsStored(database, prices)
})

test('survives connections cut by the database', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  for (let i = 1; i <= 40; i++) {
    if (i % 5 === 0) {
      const killed =
        sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'cleartick tape %' and datname = current_database()`.execute(
          database.db,
        )
      await Promise.allSettled([prices.tick({ BTCUSDT: `${i}` }), killed])
    }
    await prices.tick({ BTCUSDT: `${i}` }).catch(() => stepUntilDone(prices))
  }
  // On a busy machine it is longer without the lead after a cut, and some of the ticks above make no frame.
  const framesAfterMore = async () => {
    await prices.tick({ BTCUSDT: '41' }).catch(() => stepUntilDone(prices))
    return prices.tape.head().n
  }
  await expect.poll(framesAfterMore).toBeGreaterThan(35)
  await shownEqualsStored(database, prices)
})

test('one of two nodes writes; the follower reads the same tape and takes over', async () => {
  const database = await testDatabase()
  const first = await startTestPrices(database)
  const second = await startTestPrices(database)
  for (let i = 1; i <= 10; i++) {
    await first.tick({ BTCUSDT: `${i}` })
    await second.tick({ BTCUSDT: `${100 + i}` })
  }
  expect(second.frames).toEqual(first.frames)
  expect(first.frames).toHaveLength(10)
  await first.stop()
  for (let i = 1; i <= 50 && second.tape.head().n < 12; i++) {
    await second.tick({ BTCUSDT: `${200 + i}` })
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(second.tape.head().n).toBe(12)
  expect(second.tape.latest('BTCUSDT')!.seq).toBe(12)
  await shownEqualsStored(database, second)
})

test('a superseded leader steps down and publishes nothing', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '1' })
  const head = await readHead(database.pool)
  const other = { symbol: 'BTCUSDT', kind: 0, scale: 2, seq: 2, sourceMs: head.t + 100, units: 999 }
  await database.pool.query(appendStatement(prices.instruments, makeFrame(head, head.t + 200, [other]), [other]))
  await prices.tick({ BTCUSDT: '2' })
  expect(prices.tape.latest('BTCUSDT')!.price).toBe(999n)
  await prices.tick({ BTCUSDT: '3' })
  expect(prices.tape.latest('BTCUSDT')).toMatchObject({ price: 300n, seq: 3 })
  await shownEqualsStored(database, prices)
})

test("the application can't change published data", async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '1' })
  for (const change of [
    sql`update frames set t = t + 1`,
    sql`update ticks set price = price + 1`,
    sql`delete from tape_minutes`,
    sql`update tape_minutes set last_n = 1`,
    sql`update candles set open = 1`,
    sql`delete from candles`,
    sql`delete from tape_head`,
  ]) {
    await expect(change.execute(database.db)).rejects.toThrow(/permission denied/)
  }
})

test("a restored database starts a new epoch that names the end of the previous one; a normal restart doesn't", async () => {
  const database = await testDatabase()
  const epochs = async () => {
    const rows = await database.db.selectFrom('tape_epochs').selectAll().orderBy('epoch').execute()
    return rows.map((row) => [row.epoch, Number(row.after_frame)])
  }
  const run = async (config: Partial<PricesDeps['config']> = {}) => {
    const prices = await startTestPrices(database, { config: { ...TEST_CONFIG, ...config } })
    await prices.tick({ BTCUSDT: '1' })
    await prices.stop()
  }
  await run()
  await run()
  expect(await epochs()).toEqual([[1, 0]])
  const { n } = await readHead(database.pool)
  // Simulates PostgreSQL's recovery from a backup: the last epoch was written on an older timeline.
  await owner(database, 'update tape_epochs set timeline = timeline - 1')
  await run()
  expect(await epochs()).toEqual([
    [1, 0],
    [2, n],
  ])
  expect((await readHead(database.pool)).epoch).toBe(2)
  await run({ NEW_TAPE_EPOCH: true })
  expect((await epochs()).map(([epoch]) => epoch)).toEqual([1, 2, 3])
  expect((await verifyTape(database.db)).broken).toBeUndefined()
  await owner(database, "update tape_epochs set after_hash = sha256('other') where epoch = 2")
  expect((await verifyTape(database.db)).broken).toBe(`epoch 2: has a different hash of frame ${n}`)
  await expect(database.db.deleteFrom('tape_epochs').execute()).rejects.toThrow(/permission denied/)
})

/** Bypasses the trigger that protects epochs, which no role of the application may do. */
async function owner(database: TestDatabase, statement: string): Promise<void> {
  const client = await connectTo(database.ownerUrl)
  await client.query('alter table tape_epochs disable trigger user')
  await client.query(statement)
  await client.query('alter table tape_epochs enable trigger user')
  await client.end()
}

test('after a failover that lost the newest frames, leader and follower read the tape again and continue it', async () => {
  const database = await testDatabase()
  const first = await startTestPrices(database)
  const second = await startTestPrices(database)
  for (const price of ['1', '2', '3', '4']) {
    await first.tick({ BTCUSDT: price })
    await second.step()
  }
  expect([first.tape.head().n, second.tape.head().n]).toEqual([4, 4])
  // What a standby has that was promoted before it got the last two frames.
  const client = await connectTo(database.superUrl)
  await client.query(`
    set session_replication_role = replica;
    delete from ticks where frame > 2;
    delete from frames where n > 2;
    update tape_head set (number, t, hash) = (select n, t, hash from frames where n = 2);
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name like 'cleartick tape %' and datname = current_database()`)
  await client.end()
  const lastOf = (prices: TestPrices) => prices.tape.latest('BTCUSDT')?.price
  second.clock.set(first.clock.now() + 250)
  second.feed.quote('BTCUSDT', '7', second.clock.now())
  await stepUntilDone(second)
  await second.step()
  expect([second.leads(), second.tape.head().n, lastOf(second)]).toEqual([true, 3, 700n])
  for (const price of ['8', '9']) await second.tick({ BTCUSDT: price })
  // The follower finds a frame that doesn't follow from what it has.
  await stepUntilDone(first)
  await first.step()
  expect([first.leads(), first.tape.head(), lastOf(first)]).toEqual([false, second.tape.head(), 900n])
  expect((await verifyTape(database.db)).broken).toBeUndefined()
})
