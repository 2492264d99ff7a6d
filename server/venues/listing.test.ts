import { expect, test } from 'vitest'
import { planListing, type Wanted } from './listing.ts'
import { DEFAULT_TERMS, type IndexTerms } from './terms.ts'

const wanted = (pair: string, terms: Partial<IndexTerms> = {}): Wanted => {
  const [base = '', quote = ''] = pair.split('/')
  return { symbol: base + quote, base, quote, terms: { ...DEFAULT_TERMS, ...terms } }
}
const lists = (id: string, ...names: string[]) => ({
  id,
  name: id[0]!.toUpperCase() + id.slice(1),
  markets: names.map((name) => ({ name, base: name.split('/')[0]!, quote: name.split('/')[1]! })),
})

test('a pair that enough venues list is made directly, inverted where only the inverse exists', () => {
  const plan = planListing(
    [wanted('BTC/EUR')],
    [lists('kraken', 'BTC/EUR'), lists('coinbase', 'EUR/BTC'), lists('binance', 'BTC/USDT')],
  )
  expect(plan.recipes.get('BTCEUR')).toEqual({ is: 'direct', pair: 'BTC/EUR' })
  expect(plan.pairs.get('BTC/EUR')!.members).toEqual([
    { venue: 'kraken', market: 'BTC/EUR', inverted: false },
    { venue: 'coinbase', market: 'EUR/BTC', inverted: true },
  ])
  expect(Object.fromEntries(plan.watch)).toEqual({ kraken: ['BTC/EUR'], coinbase: ['EUR/BTC'], binance: [] })
})

test('a missing cross is made of the legs with the most venues', () => {
  const plan = planListing(
    [wanted('XRP/GBP')],
    [
      lists('kraken', 'XRP/USD', 'GBP/USD', 'XRP/BTC', 'BTC/GBP'),
      lists('bitstamp', 'XRP/USD', 'GBP/USD', 'XRP/BTC', 'BTC/GBP'),
      lists('coinbase', 'XRP/BTC', 'BTC/GBP', 'XRP/GBP'),
    ],
  )
  expect(plan.recipes.get('XRPGBP')).toEqual({ is: 'derived', via: 'BTC', pair: 'XRP/BTC', quotePair: 'GBP/BTC' })
  expect(plan.pairs.get('GBP/BTC')!.members.map(({ market, inverted }) => [market, inverted])).toEqual([
    ['BTC/GBP', true],
    ['BTC/GBP', true],
    ['BTC/GBP', true],
  ])
  expect(plan.watch.get('kraken')).toEqual(['BTC/GBP', 'XRP/BTC'])
})

test('dollars and coins worth a dollar are two currencies: they need a leg between them', () => {
  const venues = [lists('binance', 'SHIB/USDT'), lists('kraken', 'SHIB/USDT')]
  expect(planListing([wanted('SHIB/USD')], venues).recipes.get('SHIBUSD')).toEqual({
    is: 'missing',
    why: 'None of our exchanges lists SHIB/USD.',
  })
  const withLeg = venues.map((venue) => lists(venue.id, 'SHIB/USDT', 'USDT/USD'))
  expect(planListing([wanted('SHIB/USD')], withLeg).recipes.get('SHIBUSD')).toEqual({
    is: 'derived',
    via: 'USDT',
    pair: 'SHIB/USDT',
    quotePair: 'USD/USDT',
  })
})

test('each leg needs enough venues, and a symbol that nothing makes says why', () => {
  const venues = [lists('kraken', 'ZRX/GBP', 'ZRX/USD', 'GBP/USD'), lists('bitstamp', 'ZRX/USD')]
  expect(planListing([wanted('ZRX/GBP')], venues).recipes.get('ZRXGBP')).toEqual({
    is: 'missing',
    why: 'Only Kraken lists ZRX/GBP, and a price needs 2 exchanges.',
  })
  expect(planListing([wanted('ZRX/GBP', { minSources: 1 })], venues).recipes.get('ZRXGBP')).toMatchObject({
    is: 'direct',
  })
})

test('only the venues that the terms name are counted', () => {
  const venues = ['kraken', 'coinbase', 'bitstamp'].map((id) => lists(id, 'BTC/USD'))
  const plan = planListing([wanted('BTC/USD', { venues: ['kraken', 'bitstamp'] })], venues)
  expect(plan.pairs.get('BTC/USD')!.members.map(({ venue }) => venue)).toEqual(['kraken', 'bitstamp'])
  expect(plan.watch.get('coinbase')).toEqual([])
})
