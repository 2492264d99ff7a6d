import { randomUUID } from 'node:crypto'
import { expect, onTestFailed, onTestFinished, test } from 'vitest'
import { type QuotingExchanges, startExchanges } from '#tests/support/exchanges/quoting.ts'
import { call, type ServerProcess, startServer } from '#tests/support/servers/server.ts'
import { broken, crowd, order } from '#tests/support/trades/crowd.ts'

const { freshData, person } = crowd(1)
const PRICES = { 'BTC/USDT': 61_837.63, 'ETH/USDT': 2_412.5, 'ETH/BTC': 0.03901, 'BTC/EUR': 56_730.1 }

async function exchanges(options: { refusing?: boolean } = {}): Promise<QuotingExchanges> {
  const started = await startExchanges(PRICES, options)
  onTestFinished(() => started.stop())
  return started
}

interface Market {
  source: string
  note?: string
  data: { symbol: string; status: string; price?: string; sources?: number; reason?: string }[]
}

async function market(server: ServerProcess) {
  const { json } = await call(server, 'GET', '/prices/instruments')
  const { source, note, data } = json as unknown as Market
  return { source, note, of: (symbol: string) => data.find((one) => one.symbol === symbol)! }
}
const candles = async (server: ServerProcess) =>
  (await call(server, 'GET', '/prices/candles?symbol=BTCUSDT&interval=1m')).json as {
    data: unknown[]
    source?: string
    since?: number
    venue?: string
    simulated_until?: number
  }

const submit = async (server: ServerProcess) => {
  const { token } = person(0)
  const { json } = await call(server, 'POST', '/trading/submit', { token, key: randomUUID(), body: order(101) })
  return (json as { data: { trade_id: string } }).data.trade_id
}
const statusOf = async (server: ServerProcess, tradeId: string) =>
  ((await call(server, 'GET', `/trading/${tradeId}`, { token: person(0).token })).json.data as { status: string })
    .status

test('FEED=auto is live from the first price where exchanges answer, and charts begin with their candles', async () => {
  const { VENUE_ADDRESSES, all } = await exchanges()
  const minute = Math.floor(Date.now() / 60_000) * 60_000
  const candle = { open: '61000', high: '61010', low: '60990', close: '61005' }
  for (const exchange of all)
    exchange.candles(Array.from({ length: 5 }, (_, n) => ({ startMs: minute - (5 - n) * 60_000, ...candle })))
  const server = await startServer(freshData(), { FEED: 'auto', VENUE_ADDRESSES })
  // Whether candles were asked for, and of whom.
  onTestFailed(() => console.error(server.output(), Object.fromEntries(all.map(({ id, requests }) => [id, requests]))))
  await expect.poll(async () => (await market(server)).of('BTCUSDT')).toMatchObject({ status: 'open', sources: 4 })
  const { source, note, of } = await market(server)
  expect([source, note]).toEqual(['live', undefined])
  expect(Number(of('BTCUSDT').price)).toBeCloseTo(61_837.63, -1)
  expect(of('PCPUSDT')).toMatchObject({ status: 'unavailable', reason: expect.stringMatching(/not listed/) })
  await expect.poll(async () => (await candles(server)).venue).toBe('Binance')
  // The traders were created on simulated prices, so the first live price started a new price source.
  expect(await candles(server)).toMatchObject({ source: 'live', since: expect.any(Number) })
  expect((await candles(server)).simulated_until).toBeUndefined()
  expect(await server.end('SIGTERM')).toBe(0)
})

test('FEED=auto without exchanges simulates and says why; it becomes live later, and survives a dead and a lying exchange', async () => {
  const { VENUE_ADDRESSES, all, byId } = await exchanges({ refusing: true })
  const dataDir = freshData()
  const server = await startServer(dataDir, { FEED: 'auto', VENUE_ADDRESSES })
  await expect.poll(async () => (await market(server)).of('BTCUSDT').status).toBe('open')
  // The engine has just decided; the web node is notified a moment later.
  await expect
    .poll(() => market(server))
    .toMatchObject({ source: 'simulation', note: expect.stringMatching(/no exchange answers/) })
  const simulated = await submit(server)

  for (const exchange of all) exchange.refuse(false)
  await expect.poll(async () => (await market(server)).source, { interval: 200 }).toBe('live')
  await expect.poll(async () => (await candles(server)).source).toBe('live')
  expect((await candles(server)).since).toBeGreaterThan(Date.now() - 10_000)

  const live = await submit(server)
  byId.binance.refuse(true)
  byId.binance.cut()
  byId.kraken.lie(10)
  await expect.poll(async () => (await market(server)).of('BTCUSDT').sources).toBe(2)
  expect((await market(server)).of('BTCUSDT')).toMatchObject({ status: 'open' })
  expect(Number((await market(server)).of('BTCUSDT').price)).toBeCloseTo(61_837.63, -1)

  await expect.poll(() => statusOf(server, simulated), { timeout: 75_000, interval: 500 }).toBe('Void')
  await expect.poll(() => statusOf(server, live), { timeout: 75_000, interval: 500 }).toMatch(/^(Won|Lost|Draw)$/)
  expect(await broken(dataDir)).toEqual([])
  expect(await server.end('SIGTERM')).toBe(0)
}, 300_000)
