import { describe, expect, test } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { draws } from '#tests/support/random.ts'
import { fineText } from './fine-price.ts'
import { planListing } from './listing.ts'
import { createPriceIndex, isPrice } from './price-index.ts'
import { DEFAULT_TERMS, type IndexTerms } from './terms.ts'

const START = 1_790_000_000_000
const FRAME_MS = 250

/** An index of BTC/USD (and other pairs) at some venues, on a clock that the test moves frame by frame. */
function scene(ids: string[], pairs = ['BTC/USD'], terms: IndexTerms = DEFAULT_TERMS) {
  const index = createPriceIndex(ids)
  const markets = pairs.map((name) => ({ name, base: name.split('/')[0]!, quote: name.split('/')[1]! }))
  const wanted = markets.map(({ base, quote }) => ({ symbol: base + quote, base, quote, terms }))
  index.use(
    planListing(
      wanted,
      ids.map((id) => ({ id, name: id, markets })),
    ),
  )
  for (const id of ids) index.listener.connected(id, START)
  let now = START
  return {
    index,
    now: () => now,
    /** Sends a trade that has just arrived. */
    says(id: string, price: string | number, exchangeMs: number | undefined = now, market = 'BTC/USD') {
      const unchecked = { price: String(price) }
      index.listener.quote(id, { market, unchecked, exchangeMs, receivedMs: now })
    },
    frame() {
      index.evaluate(now)
      now += FRAME_MS
    },
    price(symbol = 'BTCUSD', scale = 2) {
      const found = index.priceOf(symbol)
      return isPrice(found) ? fineText(found.price, scale) : found
    },
    sourceMs: (symbol = 'BTCUSD') => (index.priceOf(symbol) as { sourceMs: number }).sourceMs,
    standing: (id: string, pair = 'BTC/USD') =>
      index
        .pairs()
        .get(pair)!
        .members.find(({ venue }) => venue === id)!.standing,
    dropped: (id: string) => Object.fromEntries(index.venues().get(id)!.dropped),
    /** Runs frames for a while; `each` speaks for the venues before each. */
    run(ms: number, each: (now: number) => void, after?: () => void) {
      for (const until = now + ms; now < until; ) {
        each(now)
        index.evaluate(now)
        after?.()
        now += FRAME_MS
      }
    },
  }
}

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
    ['a spread above the largest', { bid: '97.4', ask: '102.6' }, 'wide_spread'],
  ])('is rejected and counted: %s', (_name, unchecked, reason) => {
    const { index, now, dropped, standing, frame } = scene(['a', 'b'])
    index.listener.quote('a', { market: 'BTC/USD', unchecked, exchangeMs: now(), receivedMs: now() })
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
    index.listener.quote('a', { market: 'BTC/USD', unchecked, exchangeMs: now(), receivedMs: now() })
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
    index.listener.quote('a', { market: 'BTC/USD', unchecked, exchangeMs: now(), receivedMs: now() })
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
      index.listener.quote('a', { market: 'BTC/USD', unchecked, exchangeMs: now(), receivedMs: now() })
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
    index.listener.quote('b', { market: 'BTC/USD', unchecked, exchangeMs: now(), receivedMs: now() })
    const alive = (time: number) => {
      for (const id of ['a', 'b']) index.listener.alive(id, time, time)
    }
    run(5 * SECOND_MS, alive)
    expect([standing('a'), standing('b')]).toEqual(['kept', 'kept'])
    run(SECOND_MS, alive)
    expect([standing('a'), standing('b')]).toEqual(['old_trade', 'kept'])
  })

  test('a trade does not replace the book of a connection that lives, with or without a time', () => {
    const { index, now, says, price, frame } = scene(['a'], ['BTC/USD'], { ...DEFAULT_TERMS, minSources: 1 })
    const book = (bid: string, ask: string, exchangeMs: number | undefined) =>
      index.listener.quote('a', { market: 'BTC/USD', unchecked: { bid, ask }, exchangeMs, receivedMs: now() })
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
      { symbol: 'XRPGBP', base: 'XRP', quote: 'GBP', terms: DEFAULT_TERMS },
      { symbol: 'EURUSD', base: 'EUR', quote: 'USD', terms: DEFAULT_TERMS },
    ]
    index.use(
      planListing(
        wanted,
        ['a', 'b'].map((id) => ({ id, name: id, markets: lists })),
      ),
    )
    const says = (id: string, market: string, price: string, exchangeMs: number) =>
      index.listener.quote(id, { market, unchecked: { price }, exchangeMs, receivedMs: START })
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
        [{ symbol: 'XRPGBP', base: 'XRP', quote: 'GBP', terms: DEFAULT_TERMS }],
        Object.entries(lists).map(([id, name]) => ({ id, name: id, markets: [market(name)] })),
      ),
    )
    for (const [id, market] of Object.entries(lists)) {
      const exchangeMs = market === 'XRP/USD' ? START - 800 : START - 20
      index.listener.quote(id, { market, unchecked: { price: '2' }, exchangeMs, receivedMs: START })
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
    says('a', 100)
    for (let i = 0; i < 50; i++) {
      says('a', 100, now() - 5)
      says('a', 100, now() - 70_000)
      const unchecked = { bid: '50', ask: '150' }
      index.listener.quote('a', { market: 'BTC/USD', unchecked, exchangeMs: now(), receivedMs: now() })
    }
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
          index.listener.quote(id, { market, unchecked: { price }, exchangeMs: now(), receivedMs: now() })
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

test('a tighter limit for the spread drops the quotes that are too wide for it at once', () => {
  const { index, now, frame, standing } = scene(['kraken', 'bitstamp'])
  const markets = [{ name: 'BTC/USD', base: 'BTC', quote: 'USD' }]
  const venues = ['kraken', 'bitstamp'].map((id) => ({ id, name: id, markets }))
  const book = (market: string, bid: string, ask: string) =>
    index.listener.quote(market, { market: 'BTC/USD', unchecked: { bid, ask }, exchangeMs: now(), receivedMs: now() })
  book('kraken', '59999', '60001')
  book('bitstamp', '59800', '60200')
  frame()
  expect(['kraken', 'bitstamp'].map((id) => standing(id))).toEqual(['kept', 'kept'])
  const terms = { ...DEFAULT_TERMS, largestSpreadBps: 50 }
  index.use(planListing([{ symbol: 'BTCUSD', base: 'BTC', quote: 'USD', terms }], venues))
  frame()
  expect(['kraken', 'bitstamp'].map((id) => standing(id))).toEqual(['kept', 'no_quote'])
})

test('a pair that stays keeps its quotes when the listing changes, one that vanishes goes', () => {
  const { index, now, says, price, frame } = scene(['a', 'b'], ['BTC/USD', 'ETH/USD'])
  for (const id of ['a', 'b']) {
    says(id, 100)
    says(id, 50, now(), 'ETH/USD')
  }
  frame()
  const [btc] = ['BTC/USD'].map((name) => ({ name, base: 'BTC', quote: 'USD' }))
  const wanted = ['BTC', 'ETH'].map((base) => ({ symbol: `${base}USD`, base, quote: 'USD', terms: DEFAULT_TERMS }))
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
