import { expect, test } from 'vitest'
import { MINUTE_MS } from '#kernel/time.ts'
import { testDatabase } from '#tests/support/database.ts'
import { startTestPrices, TEST_START, type TestPrices } from '#tests/support/prices.ts'
import { HISTORY_MS } from './history.ts'

interface Answer {
  data: [number, string, string, string, string][]
  simulated_until?: number
}

async function candles(prices: TestPrices, query: Record<string, string>): Promise<Answer> {
  const answer = await prices.routes['GET /prices/candles']({ query: { symbol: 'BTCUSDT', ...query } } as never)
  return JSON.parse((answer as { text: string }).text)
}

test('on a first start, every chart has two simulated days that end at the first price', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '61837.63', ETHBTC: '0.0434' })
  const begun = performance.now()
  await prices.keepHouse()
  expect(performance.now() - begun).toBeLessThan(8_000)
  for (const { symbol } of prices.instruments.list) {
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
  const prices = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '61837.63' })
  await prices.keepHouse()
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

test('regenerates only the history of a symbol whose first price comes later', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '61837.63' })
  await prices.keepHouse()
  const kept = await candles(prices, { interval: '5m', before: `${TEST_START}` })
  for (let i = 0; i < 500; i++) await prices.tick()
  await prices.tick({ LTCUSDT: '91.5' })
  await prices.keepHouse()
  const { data, simulated_until } = await candles(prices, { symbol: 'LTCUSDT', interval: '1m' })
  expect(simulated_until).toBe(TEST_START + 2 * MINUTE_MS)
  expect(data.at(-2)![4]).toBe('91.5000')
  expect(await candles(prices, { interval: '5m', before: `${TEST_START}` })).toEqual(kept)
})

test('second candles reach back into the history', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  prices.clock.advance(30_000)
  await prices.tick({ BTCUSDT: '61837.63' })
  await prices.keepHouse()
  const { data, simulated_until } = await candles(prices, { interval: '5s', limit: '4' })
  expect(simulated_until).toBe(TEST_START)
  expect(data.map(([time]) => time - TEST_START)).toEqual([-15_000, -10_000, -5_000, 30_000])
  expect(data[2]![4]).toBe('61837.63')
})
