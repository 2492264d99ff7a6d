import { describe, expect, test } from 'vitest'
import { startVenue } from '#tests/support/exchanges/start.ts'
import { createLog } from '../../platform/process/log.ts'
import { StartProblem } from '../../platform/process/start-problem.ts'
import { DEFAULT_VENUES, openVenue } from '../index.ts'
import type { VenueQuote } from '../venue.ts'

const AT = 1_786_562_940_921
const MINUTE = 1_786_562_940_000

const pricesOf = ({ unchecked }: VenueQuote) => Object.values(unchecked)

// Binance US has no line in the table: it works by the defaults.
describe.concurrent.each([...DEFAULT_VENUES, 'okx', 'bybit', 'binanceus'])('%s', (id) => {
  test('lists markets, reports prices as text with their times, and has minutes', async (context) => {
    const { expect } = context
    const { exchange, venue, received, watch } = await startVenue(context, id, ['BTC/USD', 'ETH/EUR'])
    await watch('BTC/USD', 'ETH/EUR')
    exchange.push('BTC/USD', '63297.7', AT)
    exchange.push('ETH/EUR', '0.00000812')
    exchange.push('BTC/USD', '63297.81', AT + 5)
    await expect.poll(() => received.quotes.length).toBe(3)
    const [first, other, second] = received.quotes
    expect([first!.market, first!.venueMs, new Set(pricesOf(first!))]).toEqual(['BTC/USD', AT, new Set(['63297.7'])])
    expect([other!.market, new Set(pricesOf(other!).map(Number))]).toEqual(['ETH/EUR', new Set([0.00000812])])
    expect([second!.venueMs, new Set(pricesOf(second!))]).toEqual([AT + 5, new Set(['63297.81'])])
    expect(received.unreadable).toBe(0)
    expect(received.events).toEqual(['connected'])

    const candle = { open: '63297.10', high: '63300.00', low: '63290.5', close: '63299.99' }
    exchange.candles([0, 1, 2].map((n) => ({ startMs: MINUTE + n * 60_000, ...candle })))
    const minutes = await venue.minutes('BTC/USD', MINUTE, 2)
    expect(minutes).toEqual([0, 1].map((n) => [MINUTE + n * 60_000, ...Object.values(candle)]))

    exchange.halt(['BTC/USD'])
    expect(await venue.markets()).toEqual([{ name: 'ETH/EUR', base: 'ETH', quote: 'EUR' }])
  })

  test('is alive without news, and replaces a connection that falls silent', async (context) => {
    const { expect } = context
    const { exchange, received, watch } = await startVenue(context, id, ['BTC/USD'], {
      // Longer than a busy machine holds up the heartbeats.
      timing: { silenceMs: 4_000 },
      heartbeatMs: 100,
    })
    await watch('BTC/USD')
    const since = received.alive
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    expect(exchange.connections).toBe(1)
    if (id !== 'binanceus') expect(received.alive).toBeGreaterThan(since + 1)
    exchange.silence()
    await expect.poll(() => exchange.connections).toBeGreaterThan(1)
    expect(received.events.join()).toMatch(/^connected,no message for \d+ ms/)
  })
})

test.concurrent.for(DEFAULT_VENUES)('%s: without news, it proves every second that it lives', async (id, context) => {
  const { expect } = context
  const { received, watch } = await startVenue(context, id, ['BTC/USD'])
  await watch('BTC/USD')
  const since = received.alive
  await expect.poll(() => received.alive).toBeGreaterThanOrEqual(since + 3)
})

test.concurrent('unknown venues stop the start', () => {
  const options = { clock: { now: () => 0, agrees: () => true }, log: createLog('silent') }
  for (const id of ['nowhere', '../kraken', 'Kraken', '']) expect(() => openVenue(id, options)).toThrow(StartProblem)
})

test.concurrent('reconnects each time, and subscribes to the same markets', async (context) => {
  const { expect } = context
  const { exchange, received, watch, subscribed } = await startVenue(context, 'binance', ['BTC/USDT', 'ETH/USDT'])
  await watch('BTC/USDT', 'ETH/USDT')
  for (let drop = 1; drop <= 3; drop++) {
    if (drop % 2) exchange.cut()
    else exchange.disconnect()
    await expect.poll(() => exchange.connections, { interval: 10 }).toBe(1 + drop)
    await subscribed(2)
  }
  exchange.push('ETH/USDT', '2700.1')
  await expect.poll(() => received.prices('ETH/USDT')).toEqual(['2700.1'])
  expect(received.events.filter((event) => event === 'connected')).toHaveLength(4)
  expect(received.events).toHaveLength(7)
})

test.concurrent('keeps trying while the exchange refuses, ever more slowly', async (context) => {
  const { expect } = context
  const { exchange, received, watch, subscribed } = await startVenue(context, 'binance', ['BTC/USDT'], {
    timing: { firstMs: 50 },
  })
  await watch('BTC/USDT')
  exchange.refuse(true)
  exchange.cut()
  await expect.poll(() => received.events.length).toBeGreaterThan(4)
  expect(received.events.slice(2)).toEqual(received.events.slice(2).map(() => expect.stringContaining('503')))
  exchange.refuse(false)
  await subscribed(1)
  exchange.push('BTC/USDT', '61837.63')
  await expect.poll(() => received.prices('BTC/USDT')).toEqual(['61837.63'])
})

test.concurrent('connects once an exchange that was down at the start is back', async (context) => {
  const { expect } = context
  const { exchange, venue, received, subscribed } = await startVenue(context, 'bitstamp', ['BTC/USD'], {
    timing: { firstMs: 50 },
  })
  exchange.refuse(true)
  await expect(venue.markets()).rejects.toThrow()
  venue.watch(['BTC/USD'], received.listener)
  await expect.poll(() => received.events.length).toBeGreaterThan(0)
  exchange.refuse(false)
  await subscribed(1)
  expect(received.events.at(-1)).toBe('connected')
})

test.concurrent('a gap in the numbers of the messages reconnects', async (context) => {
  const { expect } = context
  const { exchange, received, watch, subscribed } = await startVenue(context, 'coinbase', ['BTC/USD'], {
    timing: { stableMs: 0 },
  })
  await watch('BTC/USD')
  exchange.push('BTC/USD', '63310.25')
  await expect.poll(() => received.quotes.length).toBe(1)
  exchange.sessions[0]!.numbered += 1
  exchange.push('BTC/USD', '63310.26')
  await expect.poll(() => exchange.connections).toBe(2)
  await subscribed(1)
  expect(received.events).toEqual(['connected', 'messages were lost', 'connected'])
})

test.concurrent('a connection that only answers pings is replaced, if heartbeats are due', async (context) => {
  const { expect } = context
  const { exchange, watch } = await startVenue(context, 'coinbase', ['BTC/USD'], { timing: { silenceMs: 600 } })
  await watch('BTC/USD')
  exchange.silence('pings')
  await expect.poll(() => exchange.connections).toBeGreaterThan(1)
})

test.concurrent('watching other markets reconnects, watching the same ones does not', async (context) => {
  const { expect } = context
  const { exchange, venue, received, watch, subscribed } = await startVenue(context, 'binance', [
    'BTC/USDT',
    'ETH/USDT',
  ])
  await watch('BTC/USDT')
  venue.watch(['BTC/USDT'], received.listener)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(exchange.connections).toBe(1)
  await watch('BTC/USDT', 'ETH/USDT')
  expect(exchange.connections).toBe(2)
  venue.watch([], received.listener)
  await subscribed(0)
})

test.concurrent.for(['kraken', 'coinbase', 'bitstamp'])(
  '%s: a listing that vanishes drops only that market',
  async (id, context) => {
    const { expect } = context
    const { exchange, venue, received, subscribed } = await startVenue(context, id, ['BTC/USD', 'ETH/USD', 'EOS/USD'], {
      timing: { relistMs: 0 },
    })
    await venue.markets()
    exchange.list(['BTC/USD', 'ETH/USD'])
    venue.watch(['BTC/USD', 'EOS/USD', 'ETH/USD', 'PCP/USD'], received.listener)
    // Bitstamp's rejection concerns one market only, and ccxt doesn't report it.
    await expect.poll(() => exchange.connections).toBe(id === 'bitstamp' ? 1 : 2)
    await subscribed(2)
    for (const market of ['BTC/USD', 'ETH/USD']) exchange.push(market, '100')
    await expect.poll(() => received.quotes.map(({ market }) => market)).toEqual(['BTC/USD', 'ETH/USD'])
  },
)

test.concurrent('one market that is rejected although it is listed costs only itself', async (context) => {
  const { expect } = context
  const { exchange, venue, received, subscribed } = await startVenue(
    context,
    'coinbase',
    ['BTC/USD', 'ETH/USD', 'EOS/USD'],
    {
      timing: { firstMs: 20 },
    },
  )
  await venue.markets()
  exchange.list(['BTC/USD', 'ETH/USD'])
  venue.watch(['BTC/USD', 'EOS/USD', 'ETH/USD'], received.listener)
  await subscribed(2)
  exchange.push('ETH/USD', '100')
  await expect.poll(() => received.prices('ETH/USD')).toEqual(['100'])
})

test.concurrent('of two lists in one moment only the second is connected for', async (context) => {
  const { expect } = context
  const { exchange, venue, received, subscribed } = await startVenue(context, 'binance', ['BTC/USDT', 'ETH/USDT'])
  await venue.markets()
  venue.watch(['BTC/USDT'], received.listener)
  venue.watch(['ETH/USDT'], received.listener)
  await subscribed(1)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(exchange.sessions.flatMap(({ markets }) => [...markets])).toEqual(['ETH/USDT'])
  expect(received.events).toEqual(['connected'])
})

test.concurrent('Kraken rejects one market and keeps the others: the connection stays', async (context) => {
  const { expect } = context
  const { exchange, venue, received, subscribed } = await startVenue(context, 'kraken', ['BTC/USD', 'EOS/USD'])
  await venue.markets()
  exchange.list(['BTC/USD'])
  venue.watch(['EOS/USD', 'BTC/USD'], received.listener)
  await subscribed(1)
  await new Promise((resolve) => setTimeout(resolve, 800))
  expect(exchange.connections).toBe(1)
})

test.concurrent('stop leaves no connection and reports nothing more', async (context) => {
  const { expect } = context
  const { exchange, venue, received, watch } = await startVenue(context, 'kraken', ['BTC/USD'])
  await watch('BTC/USD')
  await venue.stop()
  await expect.poll(() => exchange.sessions).toHaveLength(0)
  await new Promise((resolve) => setTimeout(resolve, 800))
  expect(exchange.connections).toBe(1)
  expect(received.events).toEqual(['connected', 'stopped'])
})
