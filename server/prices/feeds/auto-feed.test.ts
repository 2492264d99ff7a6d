import { expect, test } from 'vitest'
import { autoFeed, type LiveCandidate } from './auto-feed.ts'
import type { QuoteSink } from './feed.ts'

/** A live feed whose venues answer when the test says so. */
function candidate() {
  let answering = 0
  const waiting: ((answered: number) => void)[] = []
  const priced = new Set<number>()
  const live: LiveCandidate = {
    kind: 'live',
    missing: ({ symbol }) => (symbol === 'PCPUSDT' ? 'Not listed.' : undefined),
    collect: (now, sink) => {
      for (const slot of priced) sink.state(slot, 100, now)
    },
    readLists: () => new Promise((resolve) => waiting.push(resolve)),
    answering: () => answering,
    symbols: () => 4,
    stop: async () => undefined,
  }
  return {
    live,
    priced,
    /** The venues answer, and so many could be read. */
    async answer(count: number, done = true) {
      answering = count
      if (done) for (const resolve of waiting.splice(0)) resolve(count)
      await Promise.resolve()
    },
  }
}

function polled(wasLive = false) {
  const venues = candidate()
  const kinds: string[] = []
  const from: string[] = []
  const feed = autoFeed({
    simulation: {
      kind: 'simulation',
      missing: () => undefined,
      collect: (now, sink) => sink.state(0, 50, now),
      stop: async () => undefined,
    },
    live: venues.live,
    wasLive: () => wasLive,
    decided: (kind) => void kinds.push(kind),
  })
  const sink: QuoteSink = {
    quote: () => undefined,
    tick: () => undefined,
    state: (_slot, units) => void from.push(units === 50 ? 'simulation' : 'live'),
    alive: () => undefined,
  }
  return {
    ...venues,
    feed,
    kinds,
    /** Polls at a time; returns where prices came from. */
    at(ms: number): string[] {
      from.length = 0
      feed.collect(1_000_000 + ms, sink)
      return [...new Set(from)]
    },
  }
}

test('is live from the first price if two venues answer within three seconds', async () => {
  const { feed, at, answer, priced, kinds } = polled()
  expect(at(0)).toEqual([])
  expect(feed.note!()).toMatch(/Asking the exchanges/)
  await answer(2, false)
  priced.add(0)
  expect(at(2_750)).toEqual(['live'])
  expect([feed.kind, feed.note!(), kinds]).toEqual(['live', undefined, ['live']])
})

test('simulates at once if the venues cannot be reached, and says so', async () => {
  const { feed, at, answer } = polled()
  at(0)
  await answer(0)
  expect(at(250)).toEqual(['simulation'])
  expect(feed.kind).toBe('simulation')
  expect(feed.note!()).toMatch(/no exchange answers.*simulated.*void/)
})

test('simulates after three seconds if the venues hang, or if only one answers', async () => {
  for (const count of [0, 1]) {
    const { feed, at, answer } = polled()
    at(0)
    await answer(count, false)
    expect(at(2_999)).toEqual([])
    expect(at(3_000)).toEqual(['simulation'])
    expect(feed.note!()).toMatch(count === 0 ? /no exchange answers/ : /only one exchange answers/)
  }
})

test('changes to live once two venues answer and half of the symbols have prices, and never back', async () => {
  const { feed, at, answer, priced, kinds } = polled()
  at(0)
  await answer(0)
  at(250)
  await answer(2)
  priced.add(0)
  expect(at(500)).toEqual(['simulation'])
  priced.add(1)
  expect(at(750)).toEqual(['live'])
  expect(feed.kind).toBe('live')
  await answer(0)
  priced.clear()
  expect(at(60_000)).toEqual([])
  expect([feed.kind, kinds]).toEqual(['live', ['simulation', 'live']])
})

test('waits a minute for the venues if the tape was live before', async () => {
  const { feed, at, answer, kinds } = polled(true)
  at(0)
  await answer(0)
  expect([at(59_000), feed.kind, kinds]).toEqual([[], 'live', []])
  expect(at(60_000)).toEqual(['simulation'])
})

test('a symbol that only the simulation has is missing once prices are live', async () => {
  const { feed, at, answer } = polled()
  at(0)
  await answer(0)
  at(250)
  expect(feed.missing({ symbol: 'PCPUSDT' } as never)).toBeUndefined()
  await answer(2, false)
  const live = polled()
  live.at(0)
  await live.answer(2, false)
  live.at(250)
  expect(live.feed.missing({ symbol: 'PCPUSDT' } as never)).toBe('Not listed.')
})
