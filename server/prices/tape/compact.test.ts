import { expect, test } from 'vitest'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { startTestPrices, TEST_START, type TestPrices } from '#tests/support/prices/prices.ts'
import { scriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import { connectTo, type TestDatabase, testDatabase } from '#tests/support/servers/database.ts'
import { sql } from '../../platform/database/db.ts'
import { barsOf } from '../candles/candles.ts'
import { measureTape } from './compact.ts'
import { readChain, unpackBodies } from './frames/pack.ts'
import { readTicks, TicksDropped } from './read-ticks.ts'
import { verifyTape } from './verify-tape.ts'

/** How much of the tape is kept row by row. */
const HOT_MS = 15 * 60_000

/** A tape of a few minutes: BTC each second with late ticks, ETH occasionally, silence between. */
async function writeMinutes(prices: TestPrices, minutes: number): Promise<void> {
  let units = 6_000_000
  for (let second = 0; second < minutes * 60; second++) {
    // A small custom generator: the same tape on every run.
    units += ((second * 7919) % 101) - 50
    prices.clock.advance(1_000)
    prices.feed.quote('BTCUSDT', `${units / 100}`, prices.clock.now() - (second % 3) * 900)
    if (second % 90 < 20) prices.feed.quote('ETHUSDT', `${2_683 + (second % 13) / 100}`, prices.clock.now())
    await prices.step()
  }
}

const rowsOf = async (database: TestDatabase, table: string) =>
  (await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(database.db)).rows[0]!
    .count

test('packs closed minutes without changing a byte or any lookup', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  await writeMinutes(prices, 20)
  const before = await database.db.selectFrom('frames').selectAll().orderBy('n').execute()
  const ticksBefore = await readTicks(database.db, 3, TEST_START, TEST_START + 20 * MINUTE_MS)
  expect(ticksBefore).toHaveLength(1200)
  await prices.runHousekeeping()

  const minutes = await sql<{ minute: bigint; first_n: bigint; last_n: bigint; chain: Buffer; packed: Buffer }>`
    select * from tape_minutes join tape_bodies using (minute) order by minute`.execute(database.db)
  expect(minutes.rows.length).toBeGreaterThanOrEqual(4)
  const unpacked = minutes.rows.flatMap((row) => {
    const links = readChain(Number(row.minute), row.chain)
    return unpackBodies(row.packed, links).map((body, i) => ({
      n: row.first_n + BigInt(i),
      t: BigInt(links[i]!.t),
      body,
    }))
  })
  const left = await database.db.selectFrom('frames').select(['n', 't', 'body']).orderBy('n').execute()
  expect([...unpacked, ...left]).toEqual(before.map(({ n, t, body }) => ({ n, t, body })))
  const headT = prices.tape.head().t
  expect(Number(left[0]!.t)).toBeGreaterThanOrEqual(startOf(headT - HOT_MS, MINUTE_MS))

  expect(await rowsOf(database, 'ticks')).toBeLessThan(1_300)
  expect(await readTicks(database.db, 3, TEST_START, TEST_START + 20 * MINUTE_MS)).toEqual(ticksBefore)
  expect(await readTicks(database.db, 3, TEST_START + 61_500, TEST_START + 62_500)).toEqual(
    ticksBefore.filter((tick) => tick.sourceMs >= TEST_START + 61_500 && tick.sourceMs <= TEST_START + 62_500),
  )
  expect(await verifyTape(database.db)).toMatchObject({ frames: before.length, droppedMinutes: 0, broken: undefined })
  // What a trade gets that follows a close: the first tick after a second, and the last one up to it.
  const stored = await database.db.selectFrom('candles').selectAll().where('symbol_id', '=', 3).execute()
  expect(stored.length).toBeGreaterThan(3)
  for (const { minute, entry, exit } of stored) {
    const since = (sourceMs: number) => sourceMs - Number(minute)
    const ticks = ticksBefore.filter(({ sourceMs }) => since(sourceMs) >= 0 && since(sourceMs) < MINUTE_MS)
    expect(entry).toBe(ticks.find(({ sourceMs }) => since(sourceMs) > 1_000)!.price)
    expect(exit).toBe(ticks.findLast(({ sourceMs }) => since(sourceMs) <= 1_000)?.price ?? 0n)
  }
  const size = await measureTape(database.db)
  expect(size.bodyBytes).toBe(minutes.rows.reduce((sum, row) => sum + row.packed.length, 0))
  expect(size.chainBytesPerDay).toBeGreaterThan(1_000_000)
})

test('keeps what open trades need, and the last tick of a silent symbol', async () => {
  const database = await testDatabase()
  let needed: Ms = TEST_START + 30_000
  const prices = await startTestPrices(database, { neededFrom: async () => needed })
  await prices.tick({ XRPUSDT: '2.2' })
  await writeMinutes(prices, 17)
  await prices.runHousekeeping()
  const oldest = async (id: number) =>
    Number(
      (await database.db
        .selectFrom('ticks')
        .select('source_ms')
        .where('symbol_id', '=', id)
        .orderBy('source_ms')
        .executeTakeFirst())!.source_ms,
    )
  expect(await oldest(3)).toBeGreaterThanOrEqual(TEST_START + 30_000)
  expect(await oldest(3)).toBeLessThan(TEST_START + 32_000)
  expect(await oldest(27)).toBe(TEST_START + 250)
  needed = Number.POSITIVE_INFINITY
  await writeMinutes(prices, 2)
  await prices.runHousekeeping()
  expect(await oldest(3)).toBeGreaterThan(prices.tape.head().t - HOT_MS - 65_000)
  expect(await oldest(27)).toBe(TEST_START + 250)
  expect((await verifyTape(database.db)).broken).toBeUndefined()
})

test('drops bodies after the retention, except needed minutes; the chain still verifies', async () => {
  const database = await testDatabase()
  const kept = TEST_START + 2 * MINUTE_MS
  const asked: number[] = []
  const prices = await startTestPrices(database, {
    neededMinutes: async (from, to) => {
      asked.push((to - from) / MINUTE_MS)
      return new Set([kept].filter((minute) => minute >= from && minute < to))
    },
  })
  await writeMinutes(prices, 20)
  await prices.runHousekeeping()
  const before = await verifyTape(database.db)
  prices.clock.advance(8 * 86_400_000)
  await prices.step()
  await prices.runHousekeeping()
  const left = await database.db.selectFrom('tape_bodies').select('minute').orderBy('minute').execute()
  expect(left.map((row) => Number(row.minute))).toEqual([kept, kept + MINUTE_MS])
  expect(asked, 'an hour at a time, and the minute before it').toEqual([61])
  for (let hour = 0; hour < 3; hour++) {
    prices.clock.advance(2 * 3_600_000)
    await prices.step()
    await prices.runHousekeeping()
  }
  expect(asked, 'a kept minute is not looked at again').toEqual([61])
  const after = await verifyTape(database.db)
  expect(after.broken).toBeUndefined()
  expect(after.frames).toBe(before.frames + 4)
  expect(after.droppedMinutes).toBeGreaterThan(3)
  await expect(readTicks(database.db, 3, TEST_START, TEST_START + 1_000)).rejects.toThrow(TicksDropped)
  expect((await readTicks(database.db, 3, kept, kept + 59_999)).length).toBeGreaterThan(50)
})

test('candles match the ticks for every interval, from disk and memory, and after a restart', async () => {
  const database = await testDatabase()
  const first = await startTestPrices(database, { feed: scriptedFeed('simulation') })
  await writeMinutes(first, 40)
  await first.runHousekeeping()
  const second = await startTestPrices(database, { feed: scriptedFeed('simulation') })
  second.clock.set(first.clock.now())
  await second.runHousekeeping()
  const ticks = await readTicks(database.db, 3, 0, first.clock.now())
  const beginning = startOf(ticks[0]!.sourceMs, MINUTE_MS)
  for (const prices of [first, second]) {
    for (const [interval, ms] of Object.entries({
      '1s': 1_000,
      '5s': 5_000,
      '1m': 60_000,
      '5m': 300_000,
      '15m': 900_000,
      '1h': 3_600_000,
    })) {
      const naive = barsOf(ms)
      for (const { sourceMs, price } of ticks) {
        const units = Number(price)
        naive.add(sourceMs, [units, units, units, units])
      }
      for (const before of [undefined, first.clock.now() - 17 * MINUTE_MS, first.clock.now() - 25 * MINUTE_MS - 1]) {
        const rows = await candles(prices, { interval, limit: '200', ...(before ? { before: `${before}` } : {}) })
        expect(rows.length).toBeGreaterThan(0)
        expect(rows.length).toBeLessThanOrEqual(200)
        const end = before ?? Number.POSITIVE_INFINITY
        // Simulated history precedes the tape; compare what follows it, without gaps.
        const compared = (time: number) => time >= Math.max(beginning, rows[0]![0]) && time < end
        const expected = naive.bars
          .filter(([time]) => compared(time))
          .map(([time, ...units]) => [time, ...units.map((one) => (one / 100).toFixed(2))])
        expect(rows.filter(([time]) => compared(time))).toEqual(expected)
        if (ms >= 60_000) expect(rows).toHaveLength(200 * ms > 2 * 86_400_000 ? rows.length : 200)
      }
    }
  }
})

test("includes a tick in its minute's candle even if that minute has no frame", async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  prices.clock.advance(250)
  prices.feed.quote('BTCUSDT', '100', TEST_START - 500)
  await prices.step()
  await prices.tick({ BTCUSDT: '101' })
  for (let i = 0; i < 18; i++) {
    prices.clock.advance(MINUTE_MS)
    await prices.step()
  }
  await prices.runHousekeeping()
  const rows = await database.db.selectFrom('candles').selectAll().orderBy('minute').execute()
  expect(rows.map((row) => [Number(row.minute) - TEST_START, row.open, row.close])).toEqual([
    [-MINUTE_MS, 10_000n, 10_000n],
    [0, 10_100n, 10_100n],
  ])
  const again = await startTestPrices(database)
  expect((await readTicks(database.db, 3, TEST_START - 500, TEST_START + 500)).map((tick) => tick.seq)).toEqual([1, 2])
  expect(again.tape.latest('BTCUSDT')).toMatchObject({ seq: 2, price: 10_100n })
  expect((await verifyTape(database.db)).broken).toBeUndefined()
})

async function candles(prices: TestPrices, query: Record<string, string>): Promise<[number, ...string[]][]> {
  const answer = await prices.routes['GET /prices/candles']({
    query: { symbol: 'BTCUSDT', ...query },
    reads: prices.db,
  } as never)
  return JSON.parse((answer as { text: string }).text).data
}

const PLANTED: [what: string, sql: string, found: RegExp][] = [
  [
    'a price in the index',
    `update ticks set price = price + 1 where symbol_id = 3 and seq = 1150`,
    /ticks BTCUSDT at \d+: differs/,
  ],
  ['a tick that no frame has', `insert into ticks values (9, 5, 1, 1, 0, 1)`, /ticks ETHUSDT at/],
  ['a missing tick', `delete from ticks where symbol_id = 3 and seq = 1150`, /ticks BTCUSDT at \d+: missing/],
  [
    'a byte of a frame',
    `update frames set body = set_byte(body, 0, get_byte(body, 0) # 1) where n = (select max(n) - 5 from frames)`,
    /^frame \d+: its hash/,
  ],
  ['a frame taken out', `delete from frames where n = (select max(n) - 5 from frames)`, /^frame \d+: follows frame/],
  [
    'the time of a frame',
    `update frames set t = t + 1 where n = (select max(n) - 5 from frames)`,
    /^frame \d+: its hash/,
  ],
  ['the head', `update tape_head set number = number + 1`, /^tape_head/],
  [
    'a byte of a chain',
    `update tape_minutes set chain = set_byte(chain, 10, get_byte(chain, 10) # 1) where minute = (select min(minute) from tape_minutes)`,
    /^minute \d+ .*: its chain/,
  ],
  [
    'a packed body',
    `update tape_bodies set packed = (select packed from tape_bodies order by minute desc limit 1) where minute = (select min(minute) from tape_bodies)`,
    /^(frame|minute) \d+/,
  ],
  [
    'a minute taken out',
    `delete from tape_bodies where minute = (select min(minute) from tape_minutes); delete from tape_minutes where minute = (select min(minute) from tape_minutes)`,
    /^minute \d+ .*follows frame 0/,
  ],
  [
    'a candle',
    `update candles set high = high + 1 where symbol_id = 3 and minute = (select max(minute) from candles)`,
    /^candles of symbol 3/,
  ],
]

test('the verifier finds every planted change and names its row', async () => {
  const database = await testDatabase()
  let needed = TEST_START
  const prices = await startTestPrices(database, { neededFrom: async () => needed })
  await writeMinutes(prices, 20)
  needed = TEST_START + 2 * MINUTE_MS
  await prices.runHousekeeping()
  expect((await verifyTape(database.db)).broken).toBeUndefined()
  const found: Record<string, string | undefined> = {}
  for (const [what, change] of PLANTED) {
    // Runs as the superuser with the triggers off, and restores the original rows afterwards.
    const client = await connectTo(database.superUrl)
    const save = ['ticks', 'frames', 'tape_head', 'tape_minutes', 'tape_bodies', 'candles']
    await client.query('set session_replication_role = replica')
    for (const table of save) await client.query(`create table saved_${table} as select * from ${table}`)
    await client.query(change)
    found[what] = (await verifyTape(database.db)).broken
    for (const table of save) {
      await client.query(`delete from ${table}`)
      await client.query(`insert into ${table} select * from saved_${table}`)
      await client.query(`drop table saved_${table}`)
    }
    await client.end()
  }
  for (const [what, , pattern] of PLANTED) expect(found[what], what).toMatch(pattern)
  expect((await verifyTape(database.db)).broken).toBeUndefined()
})
