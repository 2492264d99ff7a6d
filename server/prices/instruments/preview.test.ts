import { expect, test } from 'vitest'
import { startTestPrices } from '#tests/support/prices/prices.ts'
import { type TestVenue, testVenue } from '#tests/support/prices/venues.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { createLog } from '../../platform/process/log.ts'
import { DEFAULT_TERMS, type IndexTerms } from '../../venues/index.ts'
import { liveFeed } from '../feeds/live-feed.ts'
import { loadInstruments } from './instruments.ts'

/** Live prices from three venues that list these markets. */
async function live(...markets: string[]) {
  const database = await testDatabase()
  const venues = ['binance', 'kraken', 'bitstamp'].map((id) => testVenue(id, ...markets))
  const feed = liveFeed({ instruments: await loadInstruments(database.db), venues, log: createLog('silent') })
  await feed.readLists()
  const { clock, step, preview } = await startTestPrices(database, { feed })
  await step()
  return {
    venues,
    clock,
    step,
    preview: (base: string, quote: string, minSources = 2, terms: Partial<IndexTerms> = {}) =>
      preview({ base, quote, scale: 4, terms: { ...DEFAULT_TERMS, minSources, ...terms } }),
  }
}

const closes = (venue: TestVenue, prices: Record<string, string>, ageMs = 30_000, now = 0) => {
  venue.minutes = async (market) => {
    const close = prices[market]
    return close === undefined ? [] : [[now - ageMs, close, close, close, close]]
  }
}

test('previews a new market by the newest minutes of its venues, without the one that is far off', async () => {
  const { venues, clock, preview } = await live('ADA/USDT', 'BTC/USDT')
  const prices = ['0.7510', '0.7512', '0.9000']
  for (const [at, venue] of venues.entries()) closes(venue, { 'ADA/USDT': prices[at]! }, 30_000, clock.now())
  expect(await preview('ADA', 'USDT')).toEqual({
    price: '0.7511',
    pairs: [
      {
        pair: 'ADA/USDT',
        price: '0.7511',
        members: [
          { venue: 'binance', market: 'ADA/USDT', standing: 'kept', price: '0.751', from: 'minute' },
          { venue: 'kraken', market: 'ADA/USDT', standing: 'kept', price: '0.7512', from: 'minute' },
          { venue: 'bitstamp', market: 'ADA/USDT', standing: 'outlier', price: '0.9', from: 'minute' },
        ],
      },
    ],
  })
  expect(venues[0]!.watched, 'nothing is watched for it').toEqual(['BTC/USDT'])
})

test('previews a cross that no venue has through two legs, by the quotes of the leg that is watched', async () => {
  const { venues, clock, step, preview } = await live('ADA/USDT', 'BTC/USDT')
  for (const venue of venues) closes(venue, { 'ADA/USDT': '0.75' }, 30_000, clock.now())
  clock.advance(250)
  for (const venue of venues) venue.book('BTC/USDT', '59999', '60001', clock.now())
  await step()
  const found = await preview('BTC', 'ADA')
  expect(found).toMatchObject({ price: '80000.0000', via: 'USDT' })
  expect(found.pairs.map(({ pair, members }) => [pair, members[0]!.from])).toEqual([
    ['BTC/USDT', 'quote'],
    ['ADA/USDT', 'minute'],
  ])
})

test('previews other terms of an instrument by the quotes it has, without those that the new terms exclude', async () => {
  const { venues, clock, step, preview } = await live('BTC/USDT')
  clock.advance(250)
  const [binance, kraken, bitstamp] = venues
  binance!.book('BTC/USDT', '59999', '60001', clock.now())
  kraken!.book('BTC/USDT', '59998', '60002', clock.now())
  bitstamp!.book('BTC/USDT', '59850', '60150', clock.now())
  await step()
  const standings = async (terms: Partial<IndexTerms>, minSources = 2) => {
    const { price, why, pairs } = await preview('BTC', 'USDT', minSources, terms)
    return [price ?? why, pairs.flatMap(({ members }) => members.map(({ venue, standing }) => `${venue} ${standing}`))]
  }
  expect(await standings({})).toEqual(['60000.0000', ['binance kept', 'kraken kept', 'bitstamp kept']])
  expect(await standings({ largestSpreadBps: 20 })).toEqual([
    '60000.0000',
    ['binance kept', 'kraken kept', 'bitstamp wide'],
  ])
  expect(await standings({ largestSpreadBps: 20 }, 3)).toEqual([
    'Fewer than 3 exchanges have a price of BTC/USDT now.',
    ['binance kept', 'kraken kept', 'bitstamp wide'],
  ])
  expect(await standings({ venues: ['kraken', 'bitstamp'] })).toEqual(['60000.0000', ['kraken kept', 'bitstamp kept']])
})

test('says why there would be no price', async () => {
  const { venues, clock, preview } = await live('ADA/USDT')
  expect(await preview('ADA', 'XYZ')).toEqual({ why: 'None of our exchanges lists ADA/XYZ.', pairs: [] })
  expect(await preview('ADA', 'USDT', 4)).toMatchObject({ why: expect.stringContaining('a price needs 4 exchanges') })
  expect((await preview('ADA', 'USDT')).why).toBe('Fewer than 2 exchanges have a price of ADA/USDT now.')
  for (const [at, venue] of venues.entries()) closes(venue, { 'ADA/USDT': `${at + 1}` }, 30_000, clock.now())
  expect((await preview('ADA', 'USDT')).why).toBe('The exchanges disagree about ADA/USDT.')
  for (const venue of venues) closes(venue, { 'ADA/USDT': '0.00001' }, 30_000, clock.now())
  expect((await preview('ADA', 'USDT')).why).toContain('rounded to zero')
  for (const venue of venues) closes(venue, { 'ADA/USDT': '0.75' }, 600_000, clock.now())
  expect((await preview('ADA', 'USDT')).why, 'a price of ten minutes ago').toContain('Fewer than 2')
})
