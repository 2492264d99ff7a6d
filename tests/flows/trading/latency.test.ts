import { describe, expect, test } from 'vitest'
import { type Made, type Message, type Play, play, publish } from '#tests/support/prices/latency.ts'
import { lateFeed, oneVenueLeads } from '#tests/support/prices/latency-scenes.ts'
import { draws } from '#tests/support/random.ts'

/**
 * Latency arbitrage with the real index, gate and rules on a simulated market. `lab/bench/prices/latency.ts` does the same with
 * 100,000 trades on a recorded market; docs/latency-arbitrage.md has the results.
 */
const START = 1_790_000_000_000
const LENGTH_MS = 6_000_000
const STEP_MS = 100

/** Generates a driftless random walk that moves about as much in a minute as Bitcoin on a volatile day. */
function market(seed: number): Made[] {
  const { normal } = draws(seed)
  let price = 60_000
  return Array.from({ length: LENGTH_MS / STEP_MS }, (_, i) => {
    price *= 1 + normal() * 0.00004
    return { madeMs: START + i * STEP_MS, price }
  })
}

function bot(made: readonly Made[], messages: readonly Message[], change: Partial<Play> = {}) {
  const tradeTimes: number[] = []
  for (let at = START + 60_000; at < START + LENGTH_MS - 70_000; at += 250) tradeTimes.push(at)
  const venues = [...new Set(messages.map(({ venue }) => venue))]
  return play([
    { shown: publish(venues, messages), known: made, tradeTimes, durationMs: 60_000, leadBps: 1, ...change },
  ])
}

const bound = ({ upper, upperByMinute }: { upper: number; upperByMinute: number }) => Math.max(upper, upperByMinute)

describe('a bot that knows prices before we show them', () => {
  const made = market(7)

  test.each([100, 500, 2_000])('earns nothing when the whole feed is %d ms late', (lag) => {
    const found = bot(made, lateFeed(made, lag, true))
    expect(found.trades).toBeGreaterThan(1_000)
    expect(bound(found)).toBeLessThan(0)
  })

  test('earns nothing on the moves that a feed 2 s late is furthest behind', () => {
    const found = bot(made, lateFeed(made, 2_000, true), { leadBps: 3 })
    expect(found.trades).toBeGreaterThan(100)
    expect(bound(found)).toBeLessThan(0)
  })

  test.each([100, 500, 2_000])('earns nothing when our line to the leading venue is %d ms late', (late) => {
    const found = bot(made, oneVenueLeads(made, 100, 0.5, late))
    expect(found.trades).toBeGreaterThan(1_000)
    expect(bound(found)).toBeLessThan(0)
  })

  test('earns nothing from venues that trade rarely: their old trades are not used as prices', () => {
    expect(bound(bot(made, oneVenueLeads(made, 100, 0.02), { leadBps: 1.5 }))).toBeLessThan(0)
  })

  test('earns nothing from venues that follow another one 1 to 2 s late', () => {
    const found = bot(made, oneVenueLeads(made, 2_000, 0.5), { leadBps: 2 })
    expect(found.trades).toBeGreaterThan(1_000)
    // It would be -0.01 if the index took their repeated prices for current ones.
    expect(bound(found)).toBeLessThan(-0.03)
  })

  test('would earn if a late feed were mistaken for a slow clock, or trades entered at the price shown last', () => {
    expect(bot(made, lateFeed(made, 2_000, false), { leadBps: 4 }).mean).toBeGreaterThan(0)
    expect(bot(made, lateFeed(made, 2_000, true), { leadBps: 4, entersAtShown: true }).mean).toBeGreaterThan(0)
  })
})
