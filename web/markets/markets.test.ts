import { describe, expect, test } from 'vitest'
import type { Instrument } from '#contract/prices/prices.ts'
import {
  changePercent,
  groupsOf,
  type MarketTab,
  movers,
  named,
  notTradable,
  searchMarkets,
  symbolFor,
} from './markets.ts'

const pair = (base: string, quote: string, more: Partial<Instrument> = {}): Instrument => ({
  symbol: base + quote,
  base,
  quote,
  trading_type: ['EUR', 'USD', 'GBP'].includes(quote) ? 'Currencies' : 'Cryptocurrency',
  status: 'open',
  scale: 2,
  ...more,
})
const ALL = [
  pair('BCH', 'BTC'),
  pair('BTC', 'USDT', { price: '110', price_before: '100' }),
  pair('BTC', 'EUR', { price: '80', price_before: '100' }),
  pair('ETC', 'USDT'),
  pair('ETH', 'BTC'),
  pair('ETH', 'USDT'),
  pair('XRP', 'EUR'),
  pair('SHIB', 'USDT', { status: 'unavailable', reason: 'No price source covers this symbol.' }),
  pair('EUR', 'USD', { trading_type: null }),
]
const found = (typed: string) => searchMarkets(ALL, typed).map(({ symbol }) => symbol)

test('finds symbols of both trading types by code and by name, best first', () => {
  expect(found('bitcoin')).toEqual(['BTCUSDT', 'BTCEUR', 'BCHBTC', 'ETHBTC'])
  expect(found('btc')).toEqual(['BTCUSDT', 'BTCEUR', 'BCHBTC', 'ETHBTC'])
  expect(found('xrp eur')).toEqual(['XRPEUR'])
  expect(found('EUR/XRP')).toEqual(['XRPEUR'])
  expect(found('BTCUSDT')).toEqual(['BTCUSDT'])
  expect(found('ethereum')).toEqual(['ETHBTC', 'ETHUSDT', 'ETCUSDT'])
  expect(found('cash')).toEqual(['BCHBTC'])
  expect(found('doge')).toEqual([])
})

test('of markets that match as well, favourites come first', () => {
  const first = (typed: string) => searchMarkets(ALL, typed, ['BTCEUR', 'ETHBTC'])[0]?.symbol
  expect(first('bitcoin')).toBe('BTCEUR')
  expect(first('BTCUSDT')).toBe('BTCUSDT')
})

test('shows what can’t be traded, and why', () => {
  expect(found('EURUSD')).toEqual(['EURUSD'])
  expect(found('shiba')).toEqual(['SHIBUSDT'])
  const why = (symbol: string) => notTradable(ALL.find((one) => one.symbol === symbol)!)
  expect(why('EURUSD')).toBe('Display only')
  expect(why('SHIBUSDT')).toBe('No price source covers this symbol.')
  expect(why('BTCUSDT')).toBeUndefined()
})

test('movers fall or rise most, and can be traded', () => {
  const moved = movers(ALL).map(({ symbol }) => symbol)
  expect(moved.slice(0, 2)).toEqual(['BTCEUR', 'BTCUSDT'])
  expect(moved).not.toContain('EURUSD')
  expect(moved).not.toContain('SHIBUSDT')
})

test('favourites keep their order, and forget what is gone', () => {
  expect(named(ALL, ['XRPEUR', 'GONE', 'BCHBTC']).map(({ symbol }) => symbol)).toEqual(['XRPEUR', 'BCHBTC'])
})

test('the lists of a tab: a market is in one of them', () => {
  const kept = { favourites: ['XRPEUR', 'GONE'], recents: ['XRPEUR', 'BTCEUR'] }
  const of = (tab: MarketTab) =>
    groupsOf(tab, ALL, kept).map(({ title, rows }) => [title, ...rows.map(({ symbol }) => symbol)])
  expect(of('favourites')).toEqual([
    ['Favourites', 'XRPEUR'],
    ['Recent', 'BTCEUR'],
    ['Most moved, 24 h', 'BTCUSDT', 'BCHBTC', 'ETCUSDT', 'ETHBTC', 'ETHUSDT'],
  ])
  expect(of('movers')[0]?.slice(0, 3)).toEqual(['Most moved, 24 h', 'BTCEUR', 'BTCUSDT'])
  expect(of('all')).toHaveLength(1)
  expect(of('all')[0]).not.toContain('EURUSD')
})

describe('the symbol of another trading type', () => {
  const all = [
    pair('BCH', 'BTC'),
    pair('BCH', 'EUR'),
    pair('BCH', 'USD'),
    pair('ETH', 'USD'),
    pair('ETH', 'BTC'),
    pair('PCP', 'BTC'),
  ]
  test('keeps the base, in dollars', () => {
    expect(symbolFor('Currencies', 'BCHBTC', all)).toBe('BCHUSD')
    expect(symbolFor('Cryptocurrency', 'ETHUSD', all)).toBe('ETHBTC')
  })
  test('is tradable', () => {
    expect(symbolFor('Currencies', 'PCPBTC', all)).toBe('BCHEUR')
    const closed = all.map((one) => (one.symbol === 'BCHUSD' ? { ...one, status: 'unavailable' as const } : one))
    expect(symbolFor('Currencies', 'BCHBTC', closed)).toBe('BCHEUR')
  })
  test('stays while instruments are unknown', () => {
    expect(symbolFor('Currencies', 'BCHBTC', [])).toBe('BCHBTC')
  })
})

test('the change since a day ago', () => {
  expect(changePercent('102', '100')).toBeCloseTo(2)
  expect(changePercent('102', undefined)).toBeUndefined()
  expect(changePercent('102', '0')).toBeUndefined()
})
