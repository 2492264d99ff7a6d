import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { test } from 'vitest'
import { startVenue } from '#tests/support/exchanges/start.ts'
import { MARKET_DATA, testOnMarketData } from '#tests/support/prices/market-data.ts'
import { DEFAULT_VENUES } from '../index.ts'

const AT = 1_786_562_940_921

const GARBAGE = [
  'hello',
  '{"channel":',
  '[[[',
  '\u0000\u0001',
  '{"e":"trade","s":"BTCUSD","p":"1e99999999","T":1}',
  '{"channel":"ticker","data":[{"symbol":"BTC/USD","bid":1e400,"ask":2}]}',
]

test.concurrent.for(DEFAULT_VENUES)('%s: garbage is counted and stops no market', async (id, context) => {
  const { expect } = context
  const { exchange, received, watch } = await startVenue(context, id, ['BTC/USD', 'ETH/USD'])
  await watch('BTC/USD', 'ETH/USD')
  for (const text of GARBAGE) {
    exchange.send(text)
    exchange.push('ETH/USD', '2700.1')
  }
  await expect.poll(() => received.quotes.length).toBe(GARBAGE.length)
  expect(received.unreadable).toBe(GARBAGE.length)
  expect(received.events).toEqual(['connected'])
})

test.concurrent.for(DEFAULT_VENUES)('%s: bad prices are passed on as they are, or counted', async (id, context) => {
  const { expect } = context
  const { exchange, received, watch } = await startVenue(context, id, ['BTC/USD', 'ETH/USD'])
  await watch('BTC/USD', 'ETH/USD')
  const prices = ['0', '-5', '1e400', '"abc"', 'null', '100000000000000000000000']
  for (const price of prices) {
    exchange.push('BTC/USD', price)
    exchange.push('ETH/USD', '2700.1')
  }
  await expect.poll(() => received.prices('ETH/USD').length).toBe(prices.length)
  const passedOn =
    id === 'kraken'
      ? // ccxt takes a best bid of zero for none.
        ['-5/-5', '100000000000000000000000/100000000000000000000000']
      : ['0', '-5', '100000000000000000000000']
  expect(received.prices('BTC/USD')).toEqual(passedOn)
  expect(received.unreadable).toBe(prices.length - passedOn.length)
  expect(received.events).toEqual(['connected'])
})

test.concurrent.for(DEFAULT_VENUES)('%s: times are passed on as they are', async (id, context) => {
  const { expect } = context
  const { exchange, received, watch } = await startVenue(context, id, ['BTC/USD'])
  await watch('BTC/USD')
  // Out of order, then an hour in the future.
  const times = [AT, AT - 60_000, AT + 1, Date.now() + 3_600_000]
  for (const time of times) exchange.push('BTC/USD', '100', time)
  exchange.skew(-1_300)
  exchange.push('BTC/USD', '101')
  await expect.poll(() => received.quotes.length).toBe(times.length + 1)
  expect(received.quotes.slice(0, -1).map(({ venueMs }) => venueMs)).toEqual(times)
  const behind = received.quotes.at(-1)!
  const lagMs = behind.receivedMs - behind.venueMs!
  expect(lagMs).toBeGreaterThanOrEqual(1_300)
})

test.concurrent('a time that is no time leaves a quote without one', async (context) => {
  const { expect } = context
  const { exchange, received, watch } = await startVenue(context, 'binance', ['BTC/USDT'])
  await watch('BTC/USDT')
  for (const time of ['"abc"', 'null', '"Infinity"', '1e300'])
    exchange.send(`{"e":"trade","E":${AT},"s":"BTCUSDT","t":1,"p":"100","q":"1","T":${time},"m":false,"M":true}`)
  exchange.push('BTC/USDT', '101', AT)
  await expect.poll(() => received.prices('BTC/USDT').at(-1)).toBe('101')
  expect(received.quotes.map(({ venueMs }) => venueMs)).toEqual([undefined, undefined, undefined, AT])
  expect(received.unreadable).toBe(1)
})

test.concurrent.for(DEFAULT_VENUES)('%s: 500 quotes in a burst all arrive, in order', async (id, context) => {
  const { expect } = context
  const markets = ['BTC/USD', 'ETH/USD', 'LTC/USD', 'XRP/USD']
  const { exchange, received, watch } = await startVenue(context, id, markets)
  await watch(...markets)
  const prices = Array.from({ length: 500 }, (_, n) => `100.${1_000 + n}`)
  for (const [n, price] of prices.entries()) exchange.push(markets[n % 4]!, price)
  await expect.poll(() => received.quotes.length).toBe(500)
  expect(received.quotes.map(({ market }) => market)).toEqual(prices.map((_, n) => markets[n % 4]))
  expect(received.quotes.map(({ unchecked }) => Number(Object.values(unchecked)[0]))).toEqual(prices.map(Number))
  expect(received.unreadable).toBe(0)
})

testOnMarketData('20,000 recorded trades, best bids and asks of Binance arrive as they were', async (context) => {
  const { expect } = context
  const { exchange, received, watch } = await startVenue(context, 'binance', ['BTC/USDT', 'ETH/USDT'])
  await watch('BTC/USDT', 'ETH/USDT')
  const frames = gunzipSync(readFileSync(join(MARKET_DATA, 'binance-ws-2024-08-08/frames.ndjson.gz')))
    .toString()
    .split('\n', 20_000)
    .map((line) => JSON.parse(line).frame.data)
  for (const frame of frames) exchange.send(JSON.stringify(frame))
  await expect.poll(() => received.quotes.length).toBe(frames.length)
  const sent = frames.map((data) => ('T' in data ? [data.p, data.T] : [`${data.b}/${data.a}`, undefined]))
  const numbers = (said: string) => said.split('/').map(Number)
  expect(received.quotes.map(({ unchecked, venueMs }) => [Object.values(unchecked).map(Number), venueMs])).toEqual(
    sent.map(([said, time]) => [numbers(said), time]),
  )
  expect(sent.filter(([, time]) => time === undefined).length).toBeGreaterThan(10_000)
  expect(received.unreadable).toBe(0)
})

testOnMarketData('recorded messages of Kraken and Coinbase are understood', async (context) => {
  const { expect } = context
  const replay = async (id: string, file: string) => {
    const { exchange, received, watch } = await startVenue(context, id, ['BTC/USD'])
    await watch('BTC/USD')
    const lines = readFileSync(join(MARKET_DATA, 'ws-frames', file), 'utf8')
      .trim()
      .split('\n')
    const since = received.alive
    for (const line of lines) exchange.send(line)
    await expect.poll(() => received.alive).toBeGreaterThanOrEqual(since + lines.length)
    expect(received.unreadable).toBe(0)
    return received.quotes.map(({ unchecked, venueMs }) => [...Object.values(unchecked), venueMs])
  }
  expect(await replay('kraken', 'ccxt_kraken_v2_2026-08-12.ndjson')).toEqual([
    ['63297.7', '63297.8', Date.parse('2026-08-12T19:29:00.921Z')],
    ['63297.7', '63297.8', Date.parse('2026-08-12T19:29:02.066Z')],
  ])
  expect(await replay('coinbase', 'ccxt_coinbase_advanced_2026-08-12.ndjson')).toEqual([
    ['63320.73', '63320.74', 1786562853489],
    ['63318.86', '63318.87', 1786562853829],
    ['63310.25', 1786562867184],
    ['63310.25', 1786562867532],
    ['63310.25', 1786562868266],
    ['63310.25', 1786562868298],
  ])
})
