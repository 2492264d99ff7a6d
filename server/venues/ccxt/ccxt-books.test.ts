import { test } from 'vitest'
import { startVenue } from '#tests/support/exchanges/start.ts'
import { DEFAULT_VENUES } from '../index.ts'

const AT = 1_786_562_940_921
const VENUES = [...DEFAULT_VENUES, 'okx', 'bybit']

test.concurrent.for(VENUES)(
  '%s: best bid and ask arrive as text, with the time of the exchange',
  async (id, context) => {
    const { expect } = context
    const { exchange, received, watch } = await startVenue(context, id, ['BTC/USD', 'ETH/EUR'])
    await watch('BTC/USD', 'ETH/EUR')
    exchange.push('BTC/USD', { bid: '63297.7', ask: '63297.81' }, AT)
    exchange.push('ETH/EUR', { bid: '0.00000812', ask: '0.0000082' }, AT + 3)
    exchange.push('BTC/USD', { bid: '63290.1', ask: '63297.81' }, AT + 5)
    await expect.poll(() => received.quotes.length).toBe(3)
    const said = received.quotes.map(({ market, unchecked, venueMs }) => [
      market,
      ...Object.values(unchecked).map(Number),
      venueMs,
    ])
    // Binance is the only one whose best bid and ask bear no time.
    const at = (ms: number) => (id === 'binance' ? undefined : ms)
    expect(said).toEqual([
      ['BTC/USD', 63297.7, 63297.81, at(AT)],
      ['ETH/EUR', 0.00000812, 0.0000082, at(AT + 3)],
      ['BTC/USD', 63290.1, 63297.81, at(AT + 5)],
    ])
    for (const { unchecked } of received.quotes)
      for (const price of Object.values(unchecked)) expect(price).toBeTypeOf('string')
    // Its quiet markets live by whatever else arrives on the same connection.
    expect(exchange.connections).toBe(1)
    expect(received.unreadable).toBe(0)
    expect(received.events).toEqual(['connected'])
  },
)

test.concurrent.for(VENUES)('%s: bad prices in a book are passed on as they are, or counted', async (id, context) => {
  const { expect } = context
  const { exchange, received, watch } = await startVenue(context, id, ['BTC/USD', 'ETH/USD'], {
    timing: { firstMs: 20 },
  })
  await watch('BTC/USD', 'ETH/USD')
  const others = () => received.prices('ETH/USD').length
  for (const bid of ['0', '-5', '1e400', '"abc"', 'null', '100000000000000000000000']) {
    exchange.push('BTC/USD', { bid, ask: '63297.8' })
    const before = others()
    // Where a change to a book was lost, a new connection brings a new one.
    await expect
      .poll(() => {
        exchange.push('ETH/USD', { bid: '2700.1', ask: '2700.2' })
        return others()
      })
      .toBeGreaterThan(before)
  }
  expect(new Set(received.prices('ETH/USD'))).toEqual(new Set(['2700.1/2700.2']))
  const believable = received.prices('BTC/USD').filter((said) => {
    const [bid, ask] = said.split('/').map(Number)
    return bid! > 0 && bid! < ask!
  })
  expect(believable).toEqual([])
  expect(received.unreadable + received.prices('BTC/USD').length).toBeGreaterThan(0)
})

test.concurrent('levels that are gone leave the book, and one without a possible price replaces it', async (context) => {
  const { expect } = context
  const { exchange, received, watch, subscribed } = await startVenue(context, 'coinbase', ['BTC/USD'], {
    timing: { firstMs: 20 },
  })
  await watch('BTC/USD')
  const prices = [
    { bid: '100', ask: '102' },
    { bid: '99.5', ask: '101.5' },
    { bid: '9.5', ask: '1000.5' },
  ]
  for (const price of prices) exchange.push('BTC/USD', price)
  await expect.poll(() => received.prices('BTC/USD')).toEqual(['100/102', '99.5/101.5', '9.5/1000.5'])
  exchange.push('BTC/USD', { bid: 'abc', ask: '101' })
  await expect.poll(() => exchange.connections).toBe(2)
  await subscribed(1)
  exchange.push('BTC/USD', { bid: '99', ask: '103' })
  await expect.poll(() => received.prices('BTC/USD').at(-1)).toBe('99/103')
  expect(received.unreadable).toBe(1)
  expect(received.events).toEqual(['connected', 'a change to an order book was unreadable', 'connected'])
})

test.concurrent('a book with one side has no price yet, which is not an error', async (context) => {
  const { expect } = context
  const { exchange, received, watch } = await startVenue(context, 'bitstamp', ['BTC/USD'])
  await watch('BTC/USD')
  const book = (bids: unknown, asks: unknown) =>
    exchange.send(JSON.stringify({ event: 'data', channel: 'order_book_btcusd', data: { bids, asks } }))
  book([], [['101', '1']])
  book([['100', '1']], [['101', '1']])
  await expect.poll(() => received.prices('BTC/USD')).toEqual(['100/101'])
  expect(received.unreadable).toBe(0)
  book([[100, '1']], 'none')
  await expect.poll(() => received.unreadable).toBe(1)
})
