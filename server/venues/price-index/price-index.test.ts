import { describe, expect, test } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { FRAME_MS, LOOSE_TERMS, START, scene } from '#tests/support/prices/price-scene.ts'
import { draws } from '#tests/support/random.ts'
import { planListing } from '../listing.ts'

describe('a quote', () => {
  test.each<[string, { price: string } | { bid: string; ask: string }, string]>([
    ['zero', { price: '0' }, 'bad_price'],
    ['negative', { price: '-5' }, 'bad_price'],
    ['1e400', { price: '1e400' }, 'bad_price'],
    ['text', { price: 'abc' }, 'bad_price'],
    ['empty', { price: '' }, 'bad_price'],
    ['NaN', { price: 'NaN' }, 'bad_price'],
    ['hexadecimal', { price: '0x10' }, 'bad_price'],
    ['larger than anything', { price: '1000000000000' }, 'bad_price'],
    ['half a book', { bid: '100', ask: '' }, 'bad_price'],
    ['a crossed book', { bid: '100', ask: '99' }, 'crossed'],
    ['a locked book', { bid: '100', ask: '100' }, 'crossed'],
  ])('is rejected and counted: %s', (_name, unchecked, reason) => {
    const { index, now, dropped, standing, frame } = scene(['a', 'b'])
    index.listener.quote('a', { market: 'BTC/USD', unchecked, venueMs: now(), receivedMs: now() })
    frame()
    expect(dropped('a')).toEqual({ [reason]: 1 })
    expect(standing('a')).toBe('no_quote')
  })

  test.each([
    ['11 s ahead', 11_000, 'bad_time'],
    ['a fraction', 0.5, 'bad_time'],
    ['not a number', Number.NaN, 'bad_time'],
    ['61 s behind', -61_000, 'too_old'],
  ])('has a time that can be right: %s', (_name, offset, reason) => {
    const { now, says, dropped } = scene(['a', 'b'])
    says('a', 100, now() + offset)
    expect(dropped('a')).toEqual({ [reason]: 1 })
  })

  test('is rejected if it is older than the one before, or of a market that nobody watches', () => {
    const { now, says, dropped, frame, price } = scene(['a', 'b'])
    says('b', 100)
    says('a', 100, now() - 10)
    says('a', 200, now() - 11)
    says('a', 100, now(), 'DOGE/USD')
    frame()
    expect(dropped('a')).toEqual({ out_of_order: 1, unknown_market: 1 })
    expect(price()).toBe('100.00')
  })

  test('is the middle of bid and ask', () => {
    const { index, now, says, price, frame } = scene(['a', 'b'])
    const unchecked = { bid: '99.99', ask: '100.02' }
    index.listener.quote('a', { market: 'BTC/USD', unchecked, venueMs: now(), receivedMs: now() })
    says('b', '100.005')
    frame()
    expect(price('BTCUSD', 3)).toBe('100.005')
  })
})

describe('the source time', () => {
  test('is the oldest among the kept venues', () => {
    const { now, says, sourceMs, frame } = scene(['a', 'b', 'c'])
    const at = now()
    says('a', 100, at - 20)
    says('b', 100, at - 300)
    says('c', 1_000, at - 900)
    frame()
    expect(sourceMs()).toBe(at - 300)
  })

  test('of a quiet pair moves on with any sign of life of its venue', () => {
    const { index, now, says, sourceMs, standing, price, run } = scene(['a', 'b'])
    const unchecked = { bid: '99', ask: '101' }
    index.listener.quote('a', { market: 'BTC/USD', unchecked, venueMs: now(), receivedMs: now() })
    run(20 * SECOND_MS, (time) => {
      index.listener.alive('a', time - 40, time)
      says('b', 101)
    })
    expect(price()).toBe('100.50')
    expect(sourceMs()).toBe(now() - FRAME_MS - 40)
    // Without a time, a heartbeat proves no more than the slowest recent message does.
    index.listener.alive('a', undefined, now())
    index.evaluate(now())
    expect(sourceMs()).toBe(now() - FRAME_MS)
    expect(standing('a')).toBe('kept')
  })

  test('after a dropped connection, only a new quote counts', () => {
    const { index, now, standing, run } = scene(['a', 'b'])
    const alive = (time: number) => index.listener.alive('a', time, time)
    const quotes = () => {
      const unchecked = { bid: '99', ask: '101' }
      index.listener.quote('a', { market: 'BTC/USD', unchecked, venueMs: now(), receivedMs: now() })
    }
    quotes()
    run(SECOND_MS, alive)
    expect(standing('a')).toBe('kept')
    index.listener.disconnected('a', START + SECOND_MS, 'closed')
    index.listener.connected('a', START + 2 * SECOND_MS)
    run(5 * SECOND_MS, alive)
    expect(standing('a')).toBe('silent')
    quotes()
    run(5 * SECOND_MS, alive)
    expect(standing('a')).toBe('kept')
  })

  test('a trade is no price after five seconds, a quoted book is as long as its venue lives', () => {
    const { index, now, says, standing, run } = scene(['a', 'b'])
    says('a', 100)
    const unchecked = { bid: '99.99', ask: '100.01' }
    index.listener.quote('b', { market: 'BTC/USD', unchecked, venueMs: now(), receivedMs: now() })
    const alive = (time: number) => {
      for (const id of ['a', 'b']) index.listener.alive(id, time, time)
    }
    run(5 * SECOND_MS, alive)
    expect([standing('a'), standing('b')]).toEqual(['kept', 'kept'])
    run(SECOND_MS, alive)
    expect([standing('a'), standing('b')]).toEqual(['old_trade', 'kept'])
  })

  test('a trade does not replace the book of a connection that lives, with or without a time', () => {
    const { index, now, says, price, frame } = scene(['a'], ['BTC/USD'], { ...LOOSE_TERMS, minSources: 1 })
    const book = (bid: string, ask: string, venueMs: number | undefined) =>
      index.listener.quote('a', { market: 'BTC/USD', unchecked: { bid, ask }, venueMs, receivedMs: now() })
    const after = (change: () => void) => {
      change()
      frame()
      return price()
    }
    expect(after(() => says('a', 100))).toBe('100.00')
    expect(after(() => book('101', '103', undefined))).toBe('102.00')
    expect(after(() => says('a', 103))).toBe('102.00')
    expect(after(() => book('102', '104', now() - 30))).toBe('103.00')
    expect(after(() => says('a', 104))).toBe('103.00')
    index.listener.disconnected('a', now(), 'closed')
    index.listener.connected('a', now())
    // Its clock is behind ours: the trade is newer than the book that bore no time.
    expect(after(() => says('a', 104, now() - 400))).toBe('104.00')
  })

  test('a venue that follows the others a second late says what was current a second ago', () => {
    const { now, says, sourceMs, standing, run } = scene(['a', 'b', 'c'])
    const { normal } = draws(4)
    const market = [100]
    run(2 * MINUTE_MS, () => {
      market.push(market.at(-1)! * (1 + normal() * 0.0001))
      for (const [id, behind] of [
        ['a', 0],
        ['b', 0],
        ['c', 4],
      ] as const)
        says(id, market[Math.max(0, market.length - 1 - behind)]!.toFixed(6))
    })
    expect(['a', 'b', 'c'].map((id) => standing(id))).toEqual(['kept', 'kept', 'kept'])
    expect(now() - FRAME_MS - sourceMs()).toBe(1_250)
  })

  test('a clock 1.3 s ahead is corrected: never later than the receipt, and hardly earlier', () => {
    const { now, says, sourceMs, run } = scene(['a', 'b'])
    const { below } = draws(3)
    run(
      MINUTE_MS,
      (time) => {
        for (const id of ['a', 'b']) says(id, 100, time + 1_300 - 40 - below(20))
      },
      () => {
        expect(sourceMs()).toBeLessThanOrEqual(now())
        expect(sourceMs()).toBeGreaterThan(now() - 40)
      },
    )
  })

  test('a clock 1.3 s behind is not: a slow clock looks like a late feed, and is treated as one', () => {
    const { now, says, sourceMs, price, run } = scene(['a', 'b', 'c'])
    run(
      10 * SECOND_MS,
      (time) => {
        for (const id of ['a', 'b']) says(id, 100, time - 50)
        says('c', 100, time - 1_350)
      },
      () => expect(sourceMs()).toBe(now() - 1_350),
    )
    expect(price()).toBe('100.00')
  })

  test('a venue too late for the tape is dropped, so that it does not hold up the others', () => {
    const { now, says, sourceMs, standing, run } = scene(['a', 'b', 'c'])
    run(
      10 * SECOND_MS,
      (time) => {
        for (const id of ['a', 'b']) says(id, 100, time - 50)
        says('c', 101, time - 3_100)
      },
      () => expect(sourceMs()).toBe(now() - 50),
    )
    expect(standing('c')).toBe('late')
  })
})

test('a tighter limit for the spread leaves out the quotes that are too wide for it at once', () => {
  const { index, now, frame, standing } = scene(['kraken', 'bitstamp'])
  const markets = [{ name: 'BTC/USD', base: 'BTC', quote: 'USD' }]
  const venues = ['kraken', 'bitstamp'].map((id) => ({ id, name: id, markets }))
  const book = (market: string, bid: string, ask: string) =>
    index.listener.quote(market, { market: 'BTC/USD', unchecked: { bid, ask }, venueMs: now(), receivedMs: now() })
  book('kraken', '59999', '60001')
  book('bitstamp', '59800', '60200')
  frame()
  expect(['kraken', 'bitstamp'].map((id) => standing(id))).toEqual(['kept', 'kept'])
  const terms = { ...LOOSE_TERMS, largestSpreadBps: 50 }
  index.use(planListing([{ symbol: 'BTCUSD', base: 'BTC', quote: 'USD', terms }], venues))
  frame()
  expect(['kraken', 'bitstamp'].map((id) => standing(id))).toEqual(['kept', 'wide'])
})

test('a pair that stays keeps its quotes when the listing changes, one that vanishes goes', () => {
  const { index, now, says, price, frame } = scene(['a', 'b'], ['BTC/USD', 'ETH/USD'])
  for (const id of ['a', 'b']) {
    says(id, 100)
    says(id, 50, now(), 'ETH/USD')
  }
  frame()
  const [btc] = ['BTC/USD'].map((name) => ({ name, base: 'BTC', quote: 'USD' }))
  const wanted = ['BTC', 'ETH'].map((base) => ({ symbol: `${base}USD`, base, quote: 'USD', terms: LOOSE_TERMS }))
  index.use(
    planListing(
      wanted,
      ['a', 'b'].map((id) => ({ id, name: id, markets: [btc!] })),
    ),
  )
  frame()
  expect(price()).toBe('100.00')
  expect(index.priceOf('ETHUSD')).toBeUndefined()
  says('a', 51, now(), 'ETH/USD')
  expect(index.venues().get('a')!.dropped.get('unknown_market')).toBe(1)
})
