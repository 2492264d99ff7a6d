import { expect, test } from 'vitest'
import { MINUTE_MS } from '#kernel/time.ts'
import { startTestPrices, TEST_START, type TestPrices } from '#tests/support/prices/prices.ts'
import { scriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { verifyTape } from '../index.ts'

const HISTORY_MS = 2 * 86_400_000

interface Answer {
  data: [number, string, string, string, string][]
  simulated_until?: number
  venue?: string
  venue_until?: number
  since?: number
}

async function candles(prices: TestPrices, query: Record<string, string>): Promise<Answer> {
  const answer = await prices.routes['GET /prices/candles']({
    query: { symbol: 'BTCUSDT', ...query },
    reads: prices.db,
  } as never)
  return JSON.parse((answer as { text: string }).text)
}

test('a simulated price begins with two simulated days that end at it', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database, { feed: scriptedFeed('simulation') })
  await prices.tick({ BTCUSDT: '61837.63', ETHBTC: '0.0434' })
  await prices.runHousekeeping()
  for (const symbol of ['BTCUSDT', 'ETHBTC']) {
    const { data, simulated_until } = await candles(prices, { symbol, interval: '1m', limit: '1000' })
    expect(data.length, symbol).toBe(1000)
    expect(simulated_until, symbol).toBe(TEST_START)
    for (const [, open, high, low, close] of data) {
      expect(Number(high)).toBeGreaterThanOrEqual(Math.max(Number(open), Number(close)))
      expect(Number(low)).toBeLessThanOrEqual(Math.min(Number(open), Number(close)))
    }
    // No jumps anywhere: each candle opens where the previous one closed.
    for (let i = 1; i < data.length - 1; i++) expect(data[i]![1]).toBe(data[i - 1]![4])
  }
  const { data } = await candles(prices, { interval: '1m', limit: '3' })
  expect(data.at(-1)).toEqual([TEST_START, '61837.63', '61837.63', '61837.63', '61837.63'])
  expect(data.at(-2)![4]).toBe('61837.63')
  const days = await candles(prices, { interval: '1h', limit: '1000' })
  expect(days.data[0]![0]).toBeLessThanOrEqual(TEST_START - HISTORY_MS + 3_600_000)
})

test('the second candles of the history match its minute candles', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database, { feed: scriptedFeed('simulation') })
  await prices.tick({ BTCUSDT: '61837.63' })
  await prices.runHousekeeping()
  const before = `${TEST_START}`
  const seconds = (await candles(prices, { interval: '1s', limit: '600', before })).data
  const minutes = (await candles(prices, { interval: '1m', limit: '10', before })).data
  expect(seconds).toHaveLength(600)
  for (const [time, open, high, low, close] of minutes) {
    const of = seconds.filter(([second]) => second >= time && second < time + MINUTE_MS)
    expect(of).toHaveLength(60)
    expect(of[0]![1]).toBe(open)
    expect(of.at(-1)![4]).toBe(close)
    expect(Math.max(...of.map((bar) => Number(bar[2])))).toBe(Number(high))
    expect(Math.min(...of.map((bar) => Number(bar[3])))).toBe(Number(low))
  }
})

test('a symbol whose first price comes later has its own history', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database, { feed: scriptedFeed('simulation') })
  await prices.tick({ BTCUSDT: '61837.63' })
  await prices.runHousekeeping()
  const kept = await candles(prices, { interval: '5m', before: `${TEST_START}` })
  for (let i = 0; i < 500; i++) await prices.tick()
  await prices.tick({ LTCUSDT: '91.5' })
  await prices.runHousekeeping()
  const { data, simulated_until } = await candles(prices, { symbol: 'LTCUSDT', interval: '1m' })
  expect(simulated_until).toBe(TEST_START + 2 * MINUTE_MS)
  expect(data.at(-2)![4]).toBe('91.5000')
  expect(await candles(prices, { interval: '5m', before: `${TEST_START}` })).toEqual(kept)
})

test('second candles reach back into the history', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database, { feed: scriptedFeed('simulation') })
  prices.clock.advance(30_000)
  await prices.tick({ BTCUSDT: '61837.63' })
  await prices.runHousekeeping()
  const { data, simulated_until } = await candles(prices, { interval: '5s', limit: '4' })
  expect(simulated_until).toBe(TEST_START)
  expect(data.map(([time]) => time - TEST_START)).toEqual([-15_000, -10_000, -5_000, 30_000])
  expect(data[2]![4]).toBe('61837.63')
})

test('charts and candles never mix kinds: after a change they begin with the new kind and its own history', async () => {
  const database = await testDatabase()
  const feed = scriptedFeed('simulation')
  const asked: [string, number, number][] = []
  const prices = await startTestPrices(database, { feed })
  await prices.tick({ BTCUSDT: '61837.63' })
  for (let i = 0; i < 500; i++) await prices.tick({ BTCUSDT: i % 2 ? '61000' : '62000' })
  await prices.runHousekeeping()
  expect((await candles(prices, { interval: '1m' })).since).toBeUndefined()

  feed.kind = 'live'
  feed.history = async ({ symbol }, from, until) => {
    asked.push([symbol, from, until])
    return {
      venue: 'Kraken',
      // Without a minute in which nothing was traded.
      minutes: [until - 3 * MINUTE_MS, until - MINUTE_MS, until].map((time) => [
        time,
        7000000,
        7000200,
        6999900,
        7000100,
      ]),
    }
  }
  // Before the first live price there is nothing to show.
  expect(await candles(prices, { interval: '1m', limit: '299' })).toEqual({ status: true, data: [] })
  const changed = prices.clock.now() + 250
  const minute = changed - (changed % MINUTE_MS)
  expect(changed).toBeGreaterThan(minute + 1_000)
  await prices.tick({ BTCUSDT: '70001.5' })
  await prices.tick({ BTCUSDT: '70002.5' })
  const bare = await candles(prices, { interval: '1m' })
  expect(bare).toMatchObject({ data: [[minute, '70001.50', '70002.50', '70001.50', '70002.50']], since: changed })
  expect(bare.simulated_until).toBeUndefined()

  await prices.runHousekeeping()
  await prices.tick({ BTCUSDT: '70002' })
  expect(asked).toEqual([['BTCUSDT', minute - HISTORY_MS, minute]])
  const venues = ['70000.00', '70002.00', '69999.00', '70001.00']
  expect(await candles(prices, { interval: '1m' })).toMatchObject({
    data: [
      [minute - 3 * MINUTE_MS, ...venues],
      [minute - MINUTE_MS, ...venues],
      [minute, '70001.50', '70002.50', '70001.50', '70002.00'],
    ],
    venue: 'Kraken',
    venue_until: minute,
    since: changed,
  })
  const seconds = await candles(prices, { interval: '1s', limit: '300' })
  expect(seconds.data.every(([, open]) => Number(open) > 70_000)).toBe(true)
  expect(prices.tape.closedCandles('BTCUSDT', MINUTE_MS, 10, minute + MINUTE_MS)).toEqual([])

  // The same from storage, once the minutes are packed and memory is read again.
  for (let minutes = 0; minutes < 18; minutes++) {
    prices.clock.advance(MINUTE_MS - 250)
    await prices.tick()
  }
  await prices.tick({ BTCUSDT: '70003' })
  await prices.runHousekeeping()
  const again = await startTestPrices(database, { clock: prices.clock, feed: scriptedFeed('live') })
  for (const node of [prices, again]) {
    await node.runHousekeeping()
    const { data, venue } = await candles(node, { interval: '1m' })
    expect(venue).toBe('Kraken')
    expect(node.tape.periodsOf('BTCUSDT').at(-1)).toMatchObject({ kind: 0, since: changed })
    expect(data.map(([time]) => (time - minute) / MINUTE_MS).slice(0, 3)).toEqual([-3, -1, 0])
    expect(data[2]).toEqual([minute, '70001.50', '70002.50', '70001.50', '70002.00'])
    const coarse = await candles(node, { interval: '1h' })
    expect(Math.min(...coarse.data.map(([, , , low]) => Number(low)))).toBe(69_999)
  }
  expect((await verifyTape(database.db)).broken).toBeUndefined()
})

test("asks a venue that couldn't answer again a minute later", async () => {
  const database = await testDatabase()
  const feed = scriptedFeed('live')
  let asked = 0
  feed.history = async () => {
    asked++
    return asked < 2 ? undefined : { venue: 'Kraken', minutes: [] }
  }
  const prices = await startTestPrices(database, { feed })
  await prices.tick({ BTCUSDT: '70000' })
  await prices.runHousekeeping()
  prices.clock.advance(30_000)
  await prices.runHousekeeping()
  expect(asked).toBe(1)
  prices.clock.advance(30_000)
  await prices.runHousekeeping()
  prices.clock.advance(90_000)
  await prices.runHousekeeping()
  expect(asked).toBe(2)
})
