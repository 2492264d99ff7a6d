import { afterAll, beforeAll, expect, test } from 'vitest'
import { pricesCalls } from '#contract/prices/prices.ts'
import { Problem } from '#contract/problem.ts'
import { handClock } from '#tests/support/hand-clock.ts'
import { TEST_START } from '#tests/support/prices/prices.ts'
import { scriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { openBus } from '../platform/bus/index.ts'
import { createLog } from '../platform/process/log.ts'
import { type Prices, startPrices } from './index.ts'

let database: TestDatabase
let prices: Prices
const feed = scriptedFeed('live', { PCPUSDT: 'PCP is not listed on any exchange that prices are taken from.' })
const clock = handClock(TEST_START)

beforeAll(async () => {
  database = await createTestDatabase()
  prices = await startPrices({
    database,
    url: database.appUrl,
    clock,
    log: createLog('silent'),
    bus: await openBus(createLog('silent')),
    config: {
      FEED: 'auto',
      REPLAY_SPEED: 1,
      TAPE_RETENTION_DAYS: 7,
      NEW_TAPE_EPOCH: false,
      ROLES: ['engine'],
      dataDir: '',
      realTradesOnTestPrices: false,
    },
    neededFrom: async () => Number.POSITIVE_INFINITY,
    neededMinutes: async () => new Set(),
    feed,
    byHand: true,
  })
  for (let i = 0; i < 8; i++) {
    clock.advance(250)
    feed.quote('SHIBBTC', `${1.5e-10 + i * 1e-14}`, clock.now())
    await prices.step()
  }
  await prices.runHousekeeping()
})
afterAll(async () => {
  await prices.stop()
  await database.drop()
})

type Query = Record<string, string>
const candles = async (query: Query) => {
  const answer = await prices.routes['GET /prices/candles']({ query, reads: database.db } as never)
  return pricesCalls['GET /prices/candles'].reply.parse(JSON.parse((answer as { text: string }).text))
}
const ticks = async (query: Query) =>
  pricesCalls['GET /prices/ticks'].reply.parse(
    await prices.routes['GET /prices/ticks']({ query, reads: database.db } as never),
  ).data
const instruments = async (query: Query = {}) => {
  const answer = await prices.routes['GET /prices/instruments']({ query } as never)
  return pricesCalls['GET /prices/instruments'].reply.parse(JSON.parse((answer as { text: string }).text))
}

test('lists all instruments with state and, if known, price', async () => {
  const { data, source, real_trades } = await instruments()
  expect([data.length, source, real_trades]).toEqual([82, 'live', true])
  const count = (type: string | null) => data.filter((one) => one.trading_type === type).length
  expect([count('Cryptocurrency'), count('Currencies'), count(null)]).toEqual([31, 48, 3])
  expect(data.find((one) => one.symbol === 'SHIBBTC')).toEqual({
    symbol: 'SHIBBTC',
    base: 'SHIB',
    quote: 'BTC',
    trading_type: 'Cryptocurrency',
    status: 'open',
    scale: 15,
    price: '0.000000000150070',
    time: new Date(TEST_START + 2_000).toISOString(),
  })
  expect(data.find((one) => one.symbol === 'PCPUSDT')).toMatchObject({
    status: 'unavailable',
    reason: expect.stringMatching(/not listed/),
  })
  expect(data.find((one) => one.symbol === 'BTCUSDT')).toMatchObject({ status: 'stale' })
})

test('lists the named instruments with their prices', async () => {
  const { data } = await instruments()
  for (const symbol of ['SHIBBTC', 'BTCUSD']) {
    expect((await instruments({ symbols: symbol })).data).toEqual([data.find((one) => one.symbol === symbol)])
  }
  const named = (await instruments({ symbols: 'SHIBBTC,BTCUSD,NOSUCH' })).data
  expect(named.map(({ symbol, price }) => [symbol, price])).toEqual([
    ['BTCUSD', undefined],
    ['SHIBBTC', '0.000000000150070'],
  ])
})

test('returns candles from the tape, oldest first, as decimal text', async () => {
  const { data } = await candles({ symbol: 'SHIBBTC', interval: '1s', limit: '3' })
  expect(data).toEqual([
    [TEST_START, '0.000000000150000', '0.000000000150020', '0.000000000150000', '0.000000000150020'],
    [TEST_START + 1_000, '0.000000000150030', '0.000000000150060', '0.000000000150030', '0.000000000150060'],
    [TEST_START + 2_000, '0.000000000150070', '0.000000000150070', '0.000000000150070', '0.000000000150070'],
  ])
  const iso = new Date(TEST_START + 1_000).toISOString()
  for (const before of [`${TEST_START + 1_000}`, iso]) {
    expect((await candles({ symbol: 'SHIBBTC', interval: '1s', limit: '1', before })).data).toEqual(data.slice(0, 1))
  }
})

test('computes the candles of a frame once', async () => {
  const ask = () =>
    prices.routes['GET /prices/candles']({ query: { symbol: 'SHIBBTC', interval: '1m' }, reads: database.db } as never)
  expect(await ask()).toBe(await ask())
})

test('returns ticks with sequence, source time and price, both ends inclusive', async () => {
  expect(
    await ticks({ symbol: 'SHIBBTC', from: `${TEST_START + 500}`, to: new Date(TEST_START + 1_000).toISOString() }),
  ).toEqual([
    [2, TEST_START + 500, '0.000000000150010'],
    [3, TEST_START + 750, '0.000000000150020'],
    [4, TEST_START + 1_000, '0.000000000150030'],
  ])
  expect(await ticks({ symbol: 'SHIBBTC', from: '0' })).toHaveLength(8)
  expect(await ticks({ symbol: 'BTCUSDT' })).toEqual([])
})

test.each([{ symbol: 'NOPE' }, { symbol: 'btcusdt' }, { symbol: '__proto__' }])(
  'returns 404 for the unknown symbol %j',
  async (query) => {
    await expect(candles({ ...query, interval: '1m' })).rejects.toMatchObject({ code: 'not_found', httpStatus: 404 })
    await expect(ticks(query)).rejects.toMatchObject({ code: 'not_found', httpStatus: 404 })
  },
)

test.each(['soon', '-1', '1e3', '2026-13-45', '99999999999999999999', '2026-01-01T00:00:00', ' '])(
  'rejects the time %j and names its field',
  async (time) => {
    for (const field of ['from', 'to']) {
      const refused = await ticks({ symbol: 'BTCUSDT', [field]: time }).catch((error: Problem) => error)
      expect(refused).toBeInstanceOf(Problem)
      expect(refused).toMatchObject({ httpStatus: 422, errors: [{ field }] })
    }
    await expect(candles({ symbol: 'BTCUSDT', interval: '1m', before: time })).rejects.toMatchObject({
      httpStatus: 422,
    })
  },
)

test('returns nothing for extreme times', async () => {
  expect(await ticks({ symbol: 'BTCUSDT', from: '0', to: '99999999999999' })).toEqual([])
  expect((await candles({ symbol: 'SHIBBTC', interval: '1d', before: '0' })).data).toEqual([])
  expect((await candles({ symbol: 'SHIBBTC', interval: '1s', before: '1' })).data).toEqual([])
  expect(
    (await candles({ symbol: 'SHIBBTC', interval: '1s', before: '99999999999999', limit: '1' })).data,
  ).toHaveLength(1)
  await expect(ticks({ symbol: 'BTCUSDT', from: '2', to: '1' })).rejects.toMatchObject({ httpStatus: 422 })
})

test('returns only the named instruments and skips unknown names', async () => {
  const { data } = await instruments({ symbols: 'SHIBBTC,NOSUCH,PCPUSDT' })
  expect(data.map(({ symbol }) => symbol).sort()).toEqual(['PCPUSDT', 'SHIBBTC'])
  expect((await instruments()).data).toHaveLength(82)
})
