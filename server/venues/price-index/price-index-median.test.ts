import { describe, expect, test } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { FRAME_MS, LOOSE_TERMS, START, scene } from '#tests/support/prices/price-scene.ts'
import { draws } from '#tests/support/random.ts'
import { planListing } from '../listing.ts'
import { fineText } from './fine-price.ts'
import { createPriceIndex, isPrice } from './price-index.ts'

describe('the median', () => {
  test('of two venues 5 % apart does not exist, and blames nobody', () => {
    const { says, price, standing, run } = scene(['a', 'b'])
    run(10 * MINUTE_MS, () => {
      says('a', 100)
      says('b', 105)
    })
    expect(price()).toBe('disagree')
    run(FRAME_MS, () => {
      says('a', 100)
      says('b', 100.5)
    })
    expect(price()).toBe('100.25')
    expect(standing('a')).toBe('kept')
  })

  test('follows a real crash of 8.6 % within a second: nothing compares with our own last price', () => {
    const { says, price, frame } = scene(['a', 'b', 'c'])
    for (const id of ['a', 'b', 'c']) says(id, '39000')
    frame()
    for (const id of ['a', 'b', 'c']) says(id, '35646')
    frame()
    expect(price()).toBe('35646.00')
  })

  test('needs enough venues: when all die there is none, at once for the tape', () => {
    const { says, price, run } = scene(['a', 'b', 'c'])
    const alive = new Set(['a', 'b', 'c'])
    const speak = () => {
      for (const id of alive) says(id, 100)
    }
    run(SECOND_MS, speak)
    alive.delete('a')
    run(5 * SECOND_MS, speak)
    expect(price()).toBe('100.00')
    alive.delete('b')
    run(5 * SECOND_MS, speak)
    expect(price()).toBe('sources')
    alive.clear()
    run(MINUTE_MS, speak)
    expect(price()).toBe('sources')
    for (const id of ['a', 'b', 'c']) alive.add(id)
    run(FRAME_MS, speak)
    expect(price()).toBe('100.00')
  })

  test('leaves out what an operator takes out', () => {
    const { index, says, price, standing, run } = scene(['a', 'b', 'c'])
    const speak = () => {
      says('a', 100)
      says('b', 100.2)
      says('c', 100.4)
    }
    index.setOut('c', true)
    run(SECOND_MS, speak)
    expect([price(), standing('c')]).toEqual(['100.10', 'out'])
    index.setOut('b', true)
    run(SECOND_MS, speak)
    expect(price()).toBe('sources')
    index.setOut('b', false)
    index.setOut('c', false)
    run(SECOND_MS, speak)
    expect(price()).toBe('100.20')
  })

  test('of inverted and derived pairs', () => {
    const index = createPriceIndex(['a', 'b'])
    const lists = ['XRP/USD', 'GBP/USD', 'USD/EUR'].map((name) => ({
      name,
      base: name.slice(0, 3),
      quote: name.slice(4),
    }))
    const wanted = [
      { symbol: 'XRPGBP', base: 'XRP', quote: 'GBP', terms: LOOSE_TERMS },
      { symbol: 'EURUSD', base: 'EUR', quote: 'USD', terms: LOOSE_TERMS },
    ]
    index.use(
      planListing(
        wanted,
        ['a', 'b'].map((id) => ({ id, name: id, markets: lists })),
      ),
    )
    const says = (id: string, market: string, price: string, venueMs: number) =>
      index.listener.quote(id, { market, unchecked: { price }, venueMs, receivedMs: START })
    says('a', 'GBP/USD', '1.25', START - 700)
    says('a', 'XRP/USD', '0.50', START - 50)
    says('b', 'GBP/USD', '1.25', START - 60)
    says('b', 'XRP/USD', '0.502', START - 40)
    says('a', 'USD/EUR', '0.8', START)
    says('b', 'USD/EUR', '0.8', START)
    index.evaluate(START)
    const cross = index.priceOf('XRPGBP')
    // (0.50 + 0.502) / 2 / 1.25; every message of a venue proves its other pairs alive too.
    expect(isPrice(cross) && [fineText(cross.price, 5), cross.sourceMs]).toEqual(['0.40080', START])
    const inverse = index.priceOf('EURUSD')
    expect(isPrice(inverse) && fineText(inverse.price, 5)).toBe('1.25000')
  })

  test('of a symbol whose legs come from different venues is as old as the older leg', () => {
    const index = createPriceIndex(['a', 'b', 'c', 'd'])
    const market = (name: string) => ({ name, base: name.slice(0, 3), quote: name.slice(4) })
    const lists = { a: 'XRP/USD', b: 'XRP/USD', c: 'GBP/USD', d: 'GBP/USD' }
    index.use(
      planListing(
        [{ symbol: 'XRPGBP', base: 'XRP', quote: 'GBP', terms: LOOSE_TERMS }],
        Object.entries(lists).map(([id, name]) => ({ id, name: id, markets: [market(name)] })),
      ),
    )
    for (const [id, market] of Object.entries(lists)) {
      const venueMs = market === 'XRP/USD' ? START - 800 : START - 20
      index.listener.quote(id, { market, unchecked: { price: '2' }, venueMs, receivedMs: START })
    }
    index.evaluate(START)
    expect(index.priceOf('XRPGBP')).toMatchObject({ sourceMs: START - 800 })
  })
})

describe('quarantine', () => {
  test('is for 20 messages of junk within a minute, until five good minutes have passed', () => {
    const { index, now, says, standing, price, run } = scene(['a', 'b', 'c'])
    const speak = () => {
      for (const id of ['a', 'b', 'c']) says(id, 100)
    }
    for (let i = 0; i < 19; i++) says('c', 'junk')
    run(MINUTE_MS + 1, speak)
    says('c', 'junk')
    run(FRAME_MS, speak)
    expect(standing('c')).toBe('kept')
    for (let i = 0; i < 18; i++) index.listener.unreadable('c', now())
    run(FRAME_MS, speak)
    expect(standing('c')).toBe('kept')
    says('c', '-1')
    run(FRAME_MS, speak)
    expect(standing('c')).toBe('quarantined')
    expect(price()).toBe('100.00')
    run(4 * MINUTE_MS, speak)
    says('c', 'junk')
    run(5 * MINUTE_MS - SECOND_MS, speak)
    expect(standing('c')).toBe('quarantined')
    run(2 * SECOND_MS, speak)
    expect(standing('c')).toBe('kept')
  })

  test('is not for old trades, wide spreads or overtaken messages: good venues send them too', () => {
    const { index, now, says, standing, frame } = scene(['a', 'b'])
    const book = (bid: string, ask: string) =>
      index.listener.quote('a', { market: 'BTC/USD', unchecked: { bid, ask }, venueMs: now(), receivedMs: now() })
    says('a', 100)
    for (let i = 0; i < 50; i++) {
      says('a', 100, now() - 5)
      says('a', 100, now() - 70_000)
      book('50', '150')
    }
    frame()
    expect(standing('a')).toBe('wide')
    book('99', '101')
    frame()
    expect(standing('a')).toBe('kept')
  })

  test('is for a minute away from the median, until it has been close for five', () => {
    const { says, standing, price, dropped, run } = scene(['a', 'b', 'c'])
    const speak = (c: number) => () => {
      says('a', 100)
      says('b', 100.1)
      says('c', c)
    }
    run(MINUTE_MS - SECOND_MS, speak(102))
    expect(standing('c')).toBe('outlier')
    run(2 * SECOND_MS, speak(102))
    expect(standing('c')).toBe('quarantined')
    expect(dropped('c').outlier).toBeGreaterThan(200)
    run(5 * MINUTE_MS, speak(100.3))
    expect([standing('c'), price()]).toEqual(['quarantined', '100.05'])
    run(SECOND_MS, speak(100.3))
    expect([standing('c'), price()]).toEqual(['kept', '100.10'])
  })

  test('does not count time in which the venue was silent as good', () => {
    const { says, standing, run } = scene(['a', 'b', 'c'])
    const speak = (c?: number) => () => {
      says('a', 100)
      says('b', 100)
      if (c !== undefined) says('c', c)
    }
    run(2 * MINUTE_MS, speak(105))
    run(4 * MINUTE_MS, speak(100))
    run(30 * SECOND_MS, speak())
    run(4 * MINUTE_MS, speak(100))
    expect(standing('c')).toBe('quarantined')
    run(MINUTE_MS + SECOND_MS, speak(100))
    expect(standing('c')).toBe('kept')
  })

  test('is not for a whole venue that drifts on one of two pairs', () => {
    const pairs = ['BTC/USD', 'ETH/USD']
    const { says, now, standing, run } = scene(['a', 'b', 'c'], pairs)
    run(2 * MINUTE_MS, () => {
      for (const id of ['a', 'b', 'c']) {
        says(id, id === 'c' ? 150 : 100)
        says(id, 50, now(), 'ETH/USD')
      }
    })
    expect(pairs.map((pair) => standing('c', pair))).toEqual(['quarantined', 'kept'])
  })

  test('is for the whole venue once it drifts on half of its pairs, and on two at least', () => {
    const pairs = ['BTC/USD', 'ETH/USD', 'LTC/USD', 'XRP/USD']
    const { index, now, standing, run } = scene(['a', 'b', 'c'], pairs)
    const speak = (wrong: string[]) => () => {
      for (const market of pairs) {
        for (const id of ['a', 'b', 'c']) {
          const price = id === 'c' && wrong.includes(market) ? '150' : '100'
          index.listener.quote(id, { market, unchecked: { price }, venueMs: now(), receivedMs: now() })
        }
      }
    }
    run(2 * MINUTE_MS, speak(['BTC/USD']))
    expect(pairs.map((pair) => standing('c', pair))).toEqual(['quarantined', 'kept', 'kept', 'kept'])
    run(2 * MINUTE_MS, speak(['BTC/USD', 'ETH/USD']))
    expect(new Set(pairs.map((pair) => standing('c', pair)))).toEqual(new Set(['quarantined']))
    run(6 * MINUTE_MS, speak([]))
    expect(new Set(pairs.map((pair) => standing('c', pair)))).toEqual(new Set(['kept']))
  })
})

describe('liars', () => {
  /** A market with three honest venues within 5 basis points, and one liar. */
  function withLiar(seed: number, lie: (level: number, sinceMs: number) => number, ms: number) {
    const { normal } = draws(seed)
    const found = scene(['a', 'b', 'c', 'liar'])
    let level = 100
    let worst = 0
    found.run(ms, (time) => {
      level *= 1 + normal() * 0.0002
      const honest = ['a', 'b', 'c'].map((id) => {
        const price = level * (1 + normal() * 0.0002)
        found.says(id, price.toFixed(6))
        return price
      })
      found.says('liar', lie(level, time - START).toFixed(6))
      found.index.evaluate(time)
      const price = Number(found.price('BTCUSD', 6))
      worst = Math.max(worst, price / Math.max(...honest) - 1, 1 - price / Math.min(...honest))
    })
    return { worst, ...found }
  }

  test.each([
    ['ten times off', (level: number) => level * 10],
    ['a tenth', (level: number) => level / 10],
    ['slowly, 0.1 % a minute', (level: number, ms: number) => level * (1 + (0.001 * ms) / MINUTE_MS)],
    ['as much as is believed', (level: number) => level * 1.0099],
    ['now up, now down', (level: number, ms: number) => level * (ms % 2_000 < 1_000 ? 1.009 : 0.991)],
  ])('never move the price out of what honest venues say: %s', (_name, lie) => {
    const { worst } = withLiar(11, lie, 20 * MINUTE_MS)
    expect(worst).toBeLessThanOrEqual(1e-8)
  })

  test('that lie slowly end in quarantine, and come back after five minutes of truth', () => {
    const lies = (level: number, ms: number) => level * (1 + (ms < 30 * MINUTE_MS ? (0.001 * ms) / MINUTE_MS : 0))
    const standings: string[] = []
    const { standing } = withLiar(12, (level, ms) => lies(level, ms), 29 * MINUTE_MS)
    standings.push(standing('liar'))
    const later = withLiar(12, lies, 37 * MINUTE_MS)
    standings.push(later.standing('liar'))
    expect(standings).toEqual(['quarantined', 'kept'])
  })
})
