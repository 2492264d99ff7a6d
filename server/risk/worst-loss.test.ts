import { expect, test } from 'vitest'
import { FACTORS, SHOCKS } from './shocks.ts'
import { type OpenTrades, worstLoss } from './worst-loss.ts'

const prices = [
  { symbol: 'BTCUSD', base: 'BTC', quote: 'USD', price: 10_000 },
  { symbol: 'ETHBTC', base: 'ETH', quote: 'BTC', price: 5_000 },
]
const trade = (fields: Partial<OpenTrades> & { end?: number }): OpenTrades => ({
  ...{ symbol: 'BTCUSD', side: 'Buy', stake: 100, profit: 80, entry: 10_000 },
  ...{ firstEnd: fields.end ?? 60, lastEnd: fields.end ?? 60 },
  ...fields,
})
const of = (...book: OpenTrades[]) => worstLoss(book, prices)

test('a Buy loses when the base rises or the quote falls, and a hedge takes its stake off', () => {
  const { factors, symbols, worst } = of(trade({}), trade({ side: 'Sell', stake: 30, profit: 20 }))
  expect(factors.get('BTC')).toEqual({ up: 50, down: 0, rest: 0 })
  expect(factors.get('USD')).toEqual({ up: 0, down: 50, rest: 0 })
  expect(factors.get('ETH')).toEqual({ up: 0, down: 0, rest: 0 })
  expect(symbols.get('BTCUSD')).toEqual({ up: 50, down: 0 })
  expect(worst).toBe(50)
})

test('a coin counts as the quote too', () => {
  expect(of(trade({ symbol: 'ETHBTC', entry: 5_000 })).factors.get('BTC')).toEqual({ up: 0, down: 80, rest: 0 })
})

test('a hedge that ends earlier counts for nothing, and one that ends later counts', () => {
  expect(of(trade({}), trade({ side: 'Sell', end: 59 })).factors.get('BTC')?.up).toBe(80)
  expect(of(trade({}), trade({ side: 'Sell', end: 61 })).factors.get('BTC')?.up).toBe(0)
})

test('a hedge that a part of the shock would win counts for nothing', () => {
  expect(of(trade({ entry: 9_990 }), trade({ side: 'Sell', entry: 10_100 })).factors.get('BTC')?.up).toBe(160)
  expect(of(trade({ entry: 10_200 }), trade({ side: 'Sell', entry: 10_100 })).factors.get('BTC')?.up).toBe(0)
})

test('a trade without an entry costs its profit on its side and is no hedge', () => {
  expect(of(trade({}), trade({ side: 'Sell', entry: null })).factors.get('BTC')).toEqual({ up: 80, down: 80, rest: 0 })
})

test('other trades count as they are at their prices now', () => {
  const book = [trade({}), trade({ symbol: 'ETHBTC', entry: 4_000, profit: 70 })]
  expect(of(...book).factors.get('USD')).toEqual({ up: 0, down: 80, rest: 70 })
  expect(of(...book).worst).toBe(150)
})

test('of two coins of one factor, either may move, and no other shock hedges it', () => {
  const coins = { symbol: 'LTCBCH', base: 'LTC', quote: 'BCH', price: 2_000 }
  const book = [trade({ symbol: 'LTCBCH', entry: 2_000 }), trade({ entry: 9_000, profit: 70 })]
  const { factors, symbols, worst } = worstLoss(book, [...prices, coins])
  expect(factors.get('COINS')).toEqual({ up: 0, down: 0, rest: 70 })
  expect(symbols.get('LTCBCH')).toEqual({ up: 80, down: 0 })
  expect(worst).toBe(150)
})

test('trades on a symbol without a price may win either way', () => {
  const { factors } = worstLoss([trade({})], [{ ...prices[0]!, price: null }])
  expect(factors.get('BTC')).toEqual({ up: 80, down: 80, rest: 0 })
})

test('of trades that are counted together, those that end first hedge nothing', () => {
  const hedge = trade({ side: 'Sell', firstEnd: 10, lastEnd: 90 })
  expect(of(trade({}), hedge).factors.get('BTC')?.up).toBe(80)
  expect(of(trade({ end: 9 }), hedge).factors.get('BTC')?.up).toBe(0)
})

test('each shock has a size and names its source with a year', () => {
  for (const factor of FACTORS) {
    const { up, down, upSource, downSource } = SHOCKS[factor]
    expect(up > 0 && down > 0 && down < 1).toBe(true)
    for (const source of [upSource, downSource]) expect(source).toMatch(/\b(19|20)\d\d\b/)
  }
})
