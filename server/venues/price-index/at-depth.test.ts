import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECOND_MS } from '#kernel/time.ts'
import { FRAME_MS, scene } from '#tests/support/prices/price-scene.ts'
import { property } from '#tests/support/property.ts'
import { DEFAULT_TERMS } from '../terms.ts'
import type { BookLevels, Level } from '../venue.ts'
import { bestLevels, priceAtDepth } from './at-depth.ts'
import { distanceBps, fineText, parseFine } from './fine-price.ts'

const walk = (side: Level[], depth: number) => {
  const found = priceAtDepth(parseFine(side[0]![0])!, side, depth)
  return found && fineText(found, 6)
}

describe('the price at a depth', () => {
  test('is the mean price of that much of a side', () => {
    expect(walk([['100', 20]], 1_000)).toBe('100.000000')
    // Half at 100, half at 99: level by level, in the quote currency.
    const side: Level[] = [
      ['100', 5],
      ['99', 50],
    ]
    expect(walk(side, 1_000)).toBe('99.500000')
    expect(walk(side, 500)).toBe('100.000000')
  })

  test('is none if the side holds less, or what it holds is no size', () => {
    expect(walk([['100', 9.99]], 1_000)).toBeUndefined()
    for (const size of [Number.NaN, -1]) expect(walk([['100', size]], 1_000)).toBeUndefined()
    expect(priceAtDepth(parseFine('100')!, [], 1_000)).toBeUndefined()
  })

  property(
    'moves by an order in front of the others by its share of the depth, at most',
    1_000,
    [fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 999 }), fc.integer({ min: 500, max: 200_000 })],
    (bps, dust, honest) => {
      const behind: Level[] = [
        ['100', honest / 100],
        ['99.9', 10_000],
      ]
      const price = 100 * (1 + bps / 10_000)
      const before = priceAtDepth(parseFine('100')!, behind, 1_000)!
      const after = priceAtDepth(parseFine(price.toFixed(8))!, [[price.toFixed(8), dust / price], ...behind], 1_000)!
      const share = dust / 1_000
      expect(distanceBps(after, before)).toBeLessThanOrEqual(share * (bps + 10) * 1.03 + 1e-6)
    },
  )
})

const MIDDLE = 2

/** A thin book: by default 40 bps wide, 200 USD at each of 20 levels. */
function thin(levelUsd = 200, spreadBps = 40): BookLevels {
  const side = (away: 1 | -1): Level[] =>
    Array.from({ length: 20 }, (_, at) => {
      const price = MIDDLE * (1 + (away * (spreadBps / 2 + at)) / 10_000)
      return [price.toFixed(8), levelUsd / price]
    })
  return { bids: side(-1), asks: side(1), isTop: false }
}

const topOf = ({ bids, asks }: BookLevels): BookLevels => ({ bids: [bids[0]!], asks: [asks[0]!], isTop: true })

/** The same book with an order in front of its bids, closer to the best ask by four fifths. */
function withBid(book: BookLevels, usd: number, spreadBps = 40): BookLevels {
  const price = MIDDLE * (1 + (spreadBps * 0.4) / 10_000)
  return { ...book, bids: [[price.toFixed(8), usd / price], ...book.bids] }
}

/** A bid in one of two venues whose pair is 150 bps wide, by terms that accept that: what all instruments had. */
function attack(kind: 'book' | 'top', usd: number) {
  const terms = { ...DEFAULT_TERMS, largestSpreadBps: 500, largestDeviationBps: 100 }
  const { index, now, frame, standing } = scene(['a', 'b'], ['ZRX/USD'], terms)
  const says = (id: string, levels: BookLevels, market = 'ZRX/USD') =>
    index.listener.quote(id, {
      market,
      unchecked: { bid: levels.bids[0]![0], ask: levels.asks[0]![0] },
      levels: kind === 'top' ? topOf(levels) : levels,
      venueMs: now(),
      receivedMs: now(),
    })
  const price = () => (index.priceOf('ZRXUSD') as { price: ReturnType<typeof parseFine> }).price!
  frame()
  const honest = thin(kind === 'top' ? 2_000 : 200, 150)
  for (const id of ['a', 'b']) says(id, honest)
  frame()
  const before = price()
  says('a', withBid(honest, usd, 150))
  frame()
  return { movedBps: distanceBps(price(), before), standings: [standing('a', 'ZRX/USD'), standing('b', 'ZRX/USD')] }
}

describe('a bid of dust in one of two venues of a thin pair', () => {
  test.each(['book', 'top'] as const)('moves the index by less than a quarter of a basis point: %s', (kind) => {
    const { movedBps, standings } = attack(kind, 5)
    expect(standings).toEqual(['kept', 'kept'])
    expect(Math.abs(movedBps)).toBeLessThan(0.25)
  })

  test('moves it in proportion to what it risks', () => {
    const [small, large, all] = [100, 500, 1_000].map((usd) => attack('book', usd).movedBps)
    expect(large! / small!).toBeGreaterThan(4)
    expect(all! / small!).toBeGreaterThan(8)
  })
})

describe('a venue', () => {
  const open = (depthUsd = 1_000, pairs = ['ZRX/USD']) => {
    const all = scene(['a', 'b', 'c'], pairs, { ...DEFAULT_TERMS, depthUsd, largestSpreadBps: 56, minSources: 1 })
    const says = (id: string, levels: BookLevels, market = 'ZRX/USD') =>
      all.index.listener.quote(id, {
        market,
        unchecked: { bid: levels.bids[0]![0], ask: levels.asks[0]![0] },
        levels,
        venueMs: all.now(),
        receivedMs: all.now(),
      })
    const deep = (id: string) =>
      all.index
        .pairs()
        .get(pairs[0]!)!
        .members.find(({ venue }) => venue === id)!.isDeep
    return { ...all, says, deep }
  }

  test('that holds less than the depth does not count, and a wide one does not', () => {
    const { says, frame, standing, deep } = open()
    says('a', thin(20))
    says('b', thin(200))
    says('c', thin(1_000))
    frame()
    expect(standing('a', 'ZRX/USD')).toBe('thin')
    expect(standing('b', 'ZRX/USD')).toBe('kept')
    expect([deep('a'), deep('b'), deep('c')]).toEqual([false, true, true])
    // 40 bps at the top, 58 at the depth.
    says('c', thin(55))
    frame()
    expect(standing('c', 'ZRX/USD')).toBe('wide')
  })

  test('that has only a best bid and ask keeps the last large ones behind a small order for ten seconds', () => {
    const { says, frame, standing, run } = open()
    const honest = topOf(thin(2_000))
    says('b', thin())
    says('c', thin())
    frame()
    says('a', honest)
    frame()
    const dust = topOf(withBid(honest, 5))
    says('a', dust)
    frame()
    expect(standing('a', 'ZRX/USD')).toBe('kept')
    run(11 * SECOND_MS, () => {
      for (const id of ['b', 'c', 'a']) says(id, id === 'a' ? dust : thin())
    })
    expect(standing('a', 'ZRX/USD')).toBe('thin')
    says('a', honest)
    frame()
    expect(standing('a', 'ZRX/USD')).toBe('kept')
  })

  test('whose best order is gone does not keep it', () => {
    const { says, frame, standing } = open()
    frame()
    says('a', topOf(thin(2_000)))
    frame()
    const fallen = topOf(thin(5))
    const lower = { ...fallen, bids: [['1.99', 1] as Level] }
    says('a', lower)
    frame()
    expect(standing('a', 'ZRX/USD')).toBe('thin')
  })

  test('counts sizes of other currencies by the prices of the index itself', () => {
    const { says, frame, standing, index, now } = open(1_000, ['ZRX/BTC', 'BTC/USD'])
    for (const id of ['a', 'b', 'c']) {
      index.listener.quote(id, {
        market: 'BTC/USD',
        unchecked: { price: '50000' },
        venueMs: now(),
        receivedMs: now(),
      })
    }
    // 0.03 BTC are 1,500 USD, 0.01 BTC are 500.
    const book = (btc: number): BookLevels => ({
      bids: [['0.0000100', btc / 0.00001]],
      asks: [['0.0000101', btc / 0.0000101]],
      isTop: false,
    })
    says('a', { ...book(0.03), asks: [['0.00001003', 0.03 / 0.00001003]] }, 'ZRX/BTC')
    says('b', { ...book(0.01), asks: [['0.00001003', 0.01 / 0.00001003]] }, 'ZRX/BTC')
    frame()
    expect([standing('a', 'ZRX/BTC'), standing('b', 'ZRX/BTC')]).toEqual(['kept', 'thin'])
  })

  test('with levels that are better than its best ones has no price', () => {
    const { says, frame, standing } = open()
    const honest = thin()
    says('a', { ...honest, bids: [honest.bids[0]!, ['2.5', 1_000]] })
    frame()
    expect(standing('a', 'ZRX/USD')).toBe('thin')
  })

  test('keeps no more than the best levels of its books', () => {
    const side = Array.from({ length: 500 }, (_, at) => [String(100 - at / 10), 1])
    expect(bestLevels(side)).toHaveLength(50)
    expect(bestLevels([['100', 1], 'junk', ['99', 1]])).toEqual([['100', 1]])
  })
})

test('the same messages make the same prices, bit for bit', () => {
  const run = () => {
    const { index, now, run } = scene(['a', 'b'], ['ZRX/USD'], { ...DEFAULT_TERMS, largestSpreadBps: 500 })
    const prices: unknown[] = []
    run(
      40 * FRAME_MS,
      (time) => {
        for (const [at, id] of ['a', 'b'].entries()) {
          const levels = withBid(thin(150 + (time % 7) * 11), ((time / FRAME_MS) % 5) * 90 + at)
          const unchecked = { bid: levels.bids[0]![0], ask: levels.asks[0]![0] }
          index.listener.quote(id, { market: 'ZRX/USD', unchecked, levels, venueMs: now(), receivedMs: now() })
        }
      },
      () => prices.push(index.priceOf('ZRXUSD')),
    )
    return prices
  }
  const prices = run()
  expect(new Set(prices.map(String)).size).toBeGreaterThan(0)
  expect(run()).toEqual(prices)
})
