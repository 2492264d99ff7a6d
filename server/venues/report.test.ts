import { expect, test } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { LOOSE_TERMS } from '#tests/support/prices/price-scene.ts'
import { planListing } from './listing.ts'
import { parseFine, shortText } from './price-index/fine-price.ts'
import { createPriceIndex } from './price-index/price-index.ts'
import { reportSymbol, reportVenues } from './report.ts'

const START = 1_790_000_000_000

test('reports how a derived price is made: each venue’s quote, what became of it and why', () => {
  const index = createPriceIndex(['a', 'b', 'c'])
  const markets = ['XRP/USD', 'GBP/USD'].map((name) => ({ name, base: name.slice(0, 3), quote: 'USD' }))
  const wanted = { symbol: 'XRPGBP', base: 'XRP', quote: 'GBP', terms: LOOSE_TERMS }
  index.use(
    planListing(
      [wanted],
      ['a', 'b', 'c'].map((id) => ({ id, name: id, markets })),
    ),
  )
  for (const id of ['a', 'b', 'c']) index.listener.connected(id, START)
  index.listener.disconnected('c', START, 'closed by the venue')
  const says = (venue: string, market: string, bid: string, ask: string, now: number) =>
    index.listener.quote(venue, { market, unchecked: { bid, ask }, venueMs: now - 30, receivedMs: now })
  let now = START
  for (; now < START + 2 * MINUTE_MS; now += 250) {
    says('a', 'XRP/USD', '0.499', '0.501', now)
    says('b', 'XRP/USD', '0.4992', '0.5012', now)
    says('a', 'GBP/USD', '1.2499', '1.2501', now)
    says('b', 'GBP/USD', '1.2499', '1.2501', now)
    index.listener.unreadable('b', now - (now % 10_000))
    index.evaluate(now)
  }
  now -= 250
  const report = reportSymbol(index, 'XRPGBP', 5, now)
  expect(report).toMatchObject({
    recipe: { is: 'derived', via: 'USD' },
    price: undefined,
    why: 'sources',
    pairs: [
      { pair: 'XRP/USD', why: 'sources', minSources: 2 },
      { pair: 'GBP/USD', why: 'sources' },
    ],
  })
  expect(report!.pairs[0]!.members).toMatchObject([
    { venue: 'a', standing: 'kept', price: '0.5', bid: '0.499', ask: '0.501', receivedMs: now, sourceMs: now - 30 },
    { venue: 'b', standing: 'quarantined', price: '0.5002', distanceBps: undefined },
    { venue: 'c', standing: 'no_quote', price: undefined },
  ])
  const [a, b, c] = reportVenues(index, now)
  expect(a).toMatchObject({ condition: 'good', skewMs: -30, lagMs: 30, rejectsPerSecond: 0, connectedSinceMs: START })
  expect(a!.messagesPerSecond).toBe(8)
  expect(b).toMatchObject({ condition: 'quarantined', dropped: { unreadable: 480 } })
  expect(b!.quarantinedUntilMs).toBeGreaterThan(now + 4 * MINUTE_MS)
  expect(c).toMatchObject({ condition: 'disconnected', lastDrop: { atMs: START, why: 'closed by the venue' } })

  index.setOut('a', true)
  expect(reportVenues(index, now + SECOND_MS)[0]).toMatchObject({ condition: 'out' })
  expect(reportVenues(index, now + 3 * SECOND_MS)[2]).toMatchObject({ condition: 'disconnected' })
  expect(reportSymbol(index, 'NOPE', 2, now)).toBeUndefined()
})

test('a venue whose prices are too far off is not called good, from the first moment', () => {
  const index = createPriceIndex(['a', 'b', 'c'])
  const markets = ['BTC', 'ETH', 'XRP'].map((base) => ({ name: `${base}/USD`, base, quote: 'USD' }))
  const wanted = markets.map(({ base }) => ({ symbol: `${base}USD`, base, quote: 'USD', terms: LOOSE_TERMS }))
  index.use(
    planListing(
      wanted,
      ['a', 'b', 'c'].map((id) => ({ id, name: id, markets })),
    ),
  )
  for (const id of ['a', 'b', 'c']) index.listener.connected(id, START)
  let now = START
  const after = (farOff: readonly string[]) => {
    now += 250
    for (const id of ['a', 'b', 'c'])
      for (const { name } of markets) {
        const price = id === 'c' && farOff.includes(name) ? '105' : '100'
        index.listener.quote(id, { market: name, unchecked: { price }, venueMs: now, receivedMs: now })
      }
    index.evaluate(now)
    return reportVenues(index, now).map(({ condition, counted, markets }) => `${condition} ${counted}/${markets}`)
  }
  expect(after([])).toEqual(['good 3/3', 'good 3/3', 'good 3/3'])
  expect(after(['BTC/USD'])).toEqual(['good 3/3', 'good 3/3', 'good 2/3'])
  expect(after(['BTC/USD', 'ETH/USD'])).toEqual(['good 3/3', 'good 3/3', 'outlier 1/3'])
  expect(after([])).toEqual(['good 3/3', 'good 3/3', 'good 3/3'])
})

test('a price for people has ten significant digits at most', () => {
  const short = (text: string) => shortText(parseFine(text)!)
  expect(short('61837.63')).toBe('61837.63')
  expect(short('61837.634567890123')).toBe('61837.63457')
  expect(short('1200')).toBe('1200')
  expect(short('0.0000000001234567890123')).toBe('0.000000000123456789')
})
