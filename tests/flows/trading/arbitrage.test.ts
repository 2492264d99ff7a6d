import { expect, test } from 'vitest'
import { percentOf, type TradeSide } from '#contract/trading/trading.ts'
import { usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import { sourceTime } from '#server/prices/tape/gate.ts'
import {
  decideOutcome,
  ENTRY_WITHIN_MS,
  type Outcome,
  RULE_VERSION,
  type Terms,
  type Tick,
} from '#server/trading/trade.ts'
import { draws } from '#tests/support/random.ts'

/**
 * A bot with a faster feed than ours: it sees each market price the moment it is made, while our tape shows it up to 15
 * s later. It trades on prices that we don't show yet. On prices without drift it must do no better than a coin flip:
 * the entry is the first price made after the trade, which the bot can't know.
 */
const START = 1_790_000_000_000
const TICKS = 800_000
const TICK_MS = 500
const DURATION_MS = 60_000
/** Far enough apart that no two trades overlap, so that their outcomes are independent. */
const EVERY_MS = 80_000
const TRADES = Math.floor((TICKS * TICK_MS) / EVERY_MS) - 2
/** A fair coin exceeds this once in 15,000 runs; the seeds are fixed. */
const SIGMAS = 4

/** A market price with the time it was made. `shownAt` is when our tape shows it. */
interface Made {
  tick: Tick
  shownAt: number
}

/** Generates a driftless random walk with jumps, shown `lagMs` late. */
function market(seed: number, lagMs: () => number): Made[] {
  const { normal, chance } = draws(seed)
  let [level, shown] = [10_000_000, 0]
  return Array.from({ length: TICKS }, (_, index) => {
    level += normal() * (chance(0.01) ? 400 : 40)
    const sourceMs = START + index * TICK_MS
    shown = Math.max(shown + 1, sourceMs + lagMs())
    return {
      tick: { seq: BigInt(index + 1), sourceMs, price: price(BigInt(Math.round(level))), kind: 0 },
      shownAt: shown,
    }
  })
}

type Decide = (terms: Terms, made: readonly Made[]) => Outcome

const byTheRules: Decide = (terms, made) =>
  decideOutcome(
    terms,
    made.map(({ tick }) => tick),
  )

/** Planted bugs: decides a trade like a real one, except for its entry. */
const withEntry =
  (entryOf: (terms: Terms, made: readonly Made[]) => Tick | undefined): Decide =>
  (terms, made) => {
    // Apply the real rules, with the entry's time forged to just after the trade.
    const entry = entryOf(terms, made)
    const later = made.map(({ tick }) => tick).filter((tick) => tick.sourceMs > terms.tradeTime + 1)
    return decideOutcome(terms, entry ? [{ ...entry, sourceMs: terms.tradeTime + 1 }, ...later] : [])
  }

/**
 * Lets a bot trade in the direction that the market has taken since the price shown. Returns its wins and all decided
 * trades.
 */
function botOn(made: readonly Made[], decide: Decide): { wins: number; decided: number } {
  let [wins, decided, newest, shown] = [0, 0, 0, 0]
  for (let n = 0; n < TRADES; n++) {
    // Between two prices, so that none has exactly the time of the trade.
    const tradeTime = START + 30_000 + n * EVERY_MS + 100
    while (made[newest + 1]!.tick.sourceMs <= tradeTime) newest++
    while (made[shown + 1]!.shownAt <= tradeTime) shown++
    const ahead = made[newest]!.tick.price - made[shown]!.tick.price
    if (ahead === 0n) continue
    const side: TradeSide = ahead > 0n ? 'Buy' : 'Sell'
    const terms: Terms = {
      side,
      stake: usd(1_000n),
      percent: percentOf('75/3', 'Buy'),
      tradeTime,
      endTime: tradeTime + DURATION_MS,
      staleAfterMs: 10_000,
      sourceKind: 0,
      rule: RULE_VERSION,
    }
    const { status } = decide(terms, made.slice(Math.max(0, shown - 2), newest + DURATION_MS / TICK_MS + 60))
    if (status === 'Won') wins++
    if (status === 'Won' || status === 'Lost') decided++
  }
  return { wins, decided }
}

/** Returns how many standard deviations of a fair coin the wins are above one half. */
const edge = ({ wins, decided }: { wins: number; decided: number }) => (wins - decided / 2) / Math.sqrt(decided / 4)

test.each([1_000, 5_000, 15_000])('foresight of %d ms earns no more than a coin flip', (foresightMs) => {
  const result = botOn(
    market(41 + foresightMs, () => foresightMs),
    byTheRules,
  )
  expect(result.decided).toBeGreaterThan(TRADES * 0.8)
  expect(Math.abs(edge(result))).toBeLessThan(SIGMAS)
  // A coin loses even at the best rate: to break even, a bot would need 57.1 %.
  expect(result.wins / result.decided).toBeLessThan(0.571)
})

test('an intermittent lag earns no more than a coin flip', () => {
  const { random } = draws(7)
  const result = botOn(
    market(8, () => random() ** 3 * 15_000),
    byTheRules,
  )
  expect(Math.abs(edge(result))).toBeLessThan(SIGMAS)
})

test('the harness catches an entry at the last price shown', () => {
  const lastShown = withEntry(({ tradeTime }, made) => made.findLast(({ shownAt }) => shownAt <= tradeTime)?.tick)
  for (const foresightMs of [5_000, 15_000]) {
    const result = botOn(
      market(41 + foresightMs, () => foresightMs),
      lastShown,
    )
    expect(edge(result), `${foresightMs} ms`).toBeGreaterThan(2 * SIGMAS)
  }
  const { wins, decided } = botOn(
    market(15_041, () => 15_000),
    lastShown,
  )
  expect(wins / decided).toBeGreaterThan(0.571)
})

test('the harness catches an entry at a price made before the trade but shown after it', () => {
  const nextShown = withEntry(({ tradeTime }, made) => made.find(({ shownAt }) => shownAt > tradeTime)?.tick)
  const result = botOn(
    market(15_041, () => 15_000),
    nextShown,
  )
  expect(edge(result)).toBeGreaterThan(2 * SIGMAS)
})

test('a venue’s clock that runs 1.27 s ahead does not let a bot enter at a price it has received', () => {
  // The venue's timestamps are later than our receipt. The bot receives prices when we do, and trades between two of
  // them.
  const aheadMs = 1_270
  const stamped = (seed: number, receivedOnly: boolean): Made[] =>
    market(seed, () => 0).map(({ tick, shownAt }) => {
      const venueMs = tick.sourceMs + aheadMs
      return { tick: { ...tick, sourceMs: receivedOnly ? sourceTime(venueMs, tick.sourceMs) : venueMs }, shownAt }
    })
  const receivedBy = (made: readonly Made[]) =>
    made.map((one, index) => ({ ...one, receivedMs: START + index * TICK_MS }))

  /** Trades on the newest move received, which is all a bot needs if the entry is an earlier price. */
  const play = (made: readonly Made[]) => {
    const all = receivedBy(made)
    let [wins, decided] = [0, 0]
    for (let i = 100; i < TICKS - 300; i += EVERY_MS / TICK_MS) {
      const tradeTime = all[i]!.receivedMs + 100
      // If timestamps are trusted, the entry is a price already received: the oldest with a later timestamp.
      const believed = all.slice(i - 10, i + 1).find(({ tick }) => tick.sourceMs > tradeTime)
      const ahead = all[i]!.tick.price - (believed ?? all[i - 3]!).tick.price
      if (ahead === 0n) continue
      const outcome = byTheRules(
        {
          side: ahead > 0n ? 'Buy' : 'Sell',
          stake: usd(1_000n),
          percent: 75,
          tradeTime,
          endTime: tradeTime + DURATION_MS,
          staleAfterMs: 10_000,
          sourceKind: 0,
          rule: RULE_VERSION,
        },
        made.slice(i - 10, i + 130),
      )
      if (outcome.status === 'Won') wins++
      if (outcome.status === 'Won' || outcome.status === 'Lost') decided++
    }
    return { wins, decided }
  }
  const both = (receivedOnly: boolean) => {
    const [one, other] = [play(stamped(77, receivedOnly)), play(stamped(78, receivedOnly))]
    return edge({ wins: one.wins + other.wins, decided: one.decided + other.decided })
  }
  expect(Math.abs(both(true))).toBeLessThan(SIGMAS)
  expect(both(false)).toBeGreaterThan(SIGMAS)
})

test('an entry is never a price made at or before the trade', () => {
  const { below } = draws(5)
  const made = market(5, () => 15_000).slice(0, 5_000)
  for (let i = 0; i < 2_000; i++) {
    const tradeTime = START + below(4_000 * TICK_MS)
    const { entry } = byTheRules(
      {
        side: 'Buy',
        stake: usd(100n),
        percent: 75,
        tradeTime,
        endTime: tradeTime + 60_000,
        staleAfterMs: 10_000,
        sourceKind: 0,
        rule: RULE_VERSION,
      },
      made,
    )
    expect(entry!.sourceMs).toBeGreaterThan(tradeTime)
    expect(entry!.sourceMs).toBeLessThanOrEqual(tradeTime + ENTRY_WITHIN_MS)
  }
})
