import type { Ms } from '#kernel/time.ts'
import { createPriceIndex, type IndexTerms, isPrice, planListing } from '#server/venues/index.ts'
import type { Level } from '#server/venues/venue.ts'
import { draws } from '../random.ts'
import type { Made } from './latency.ts'

/** Attackers who place orders in the venues that make a price, on the real index and on synthetic books. */

/** A synthetic venue. Its books follow a market's price; distances in basis points, sizes in USD. */
export interface SyntheticVenue {
  id: string
  spreadBps: number
  /** Distance between its levels. */
  stepBps: number
  /** Mean size of a level, and of the best one. */
  levelUsd: number
  bestUsd: number
  /** How long it takes to follow the market. */
  lagMs: number
  /** How far its price strays from the market's, standard deviation. */
  strayBps: number
}

export interface Attack {
  name: string
  /** Size of the attacker's bid, USD. */
  usd: number
  /** In how many venues. */
  venues: number
  /** Undefined: just below the best ask. Otherwise this far above the middle, after buying all that is offered below. */
  pushBps?: number
}

export interface Run {
  venues: readonly SyntheticVenue[]
  terms: IndexTerms
  /** The market, and the same mirrored: every other trade runs on the second, so that a trend of the day earns nothing. */
  made: readonly [readonly Made[], readonly Made[]]
  tradeTimes: readonly Ms[]
  durationMs: number
  seed: number
}

interface Attacked {
  /** Whether Buy would win, lose (or neither) in each trade: 1, -1, 0. */
  signs: Int8Array
  /** How far the exit price lies above that without the attack, mean in basis points. */
  movedBps: number
  /** What the attacker pays if everything that they show is taken once a second; mean in USD. */
  costUsd: number
  /** Exits without a price. */
  missing: number
}

const FRAME_MS = 250
/** Levels of a book, and of one that an attacker buys up: all that is below their bid, and some more. */
const LEVELS = 20
const TAKER_FEE_BPS = 10
/** How long an order above the others' prices stays before someone takes it. */
const TAKEN_AFTER_MS = 1_000
/** What the attacker leaves to the best ask. */
const BELOW_ASK = 0.1

/**
 * Plays a Buy at each time: its entry is the mean of the prices in the first `averageMs` after it, its exit that of the last
 * `averageMs`; 0: the first and the last price alone. The attacker's orders stand for as long as that, and at least for a
 * second.
 */
export function playAttacked(run: Run, averageMs: number, attack: Attack | undefined): Attacked {
  const holdMs = Math.max(averageMs, TAKEN_AFTER_MS)
  const signs = new Int8Array(run.tradeTimes.length)
  let [moved, count, cost, missing] = [0, 0, 0, 0]
  for (const [at, tradeTime] of run.tradeTimes.entries()) {
    const end = tradeTime + run.durationMs
    const entry = priceOf(run, at, tradeTime + FRAME_MS, tradeTime + Math.max(averageMs, FRAME_MS), undefined, 0)
    const calm = priceOf(run, at, end - Math.max(averageMs, FRAME_MS) + FRAME_MS, end, undefined, 0)
    const exit = attack ? priceOf(run, at, end - Math.max(averageMs, FRAME_MS) + FRAME_MS, end, attack, holdMs) : calm
    cost += exit.costUsd
    if (Number.isNaN(exit.price) || Number.isNaN(entry.price)) {
      missing++
      continue
    }
    signs[at] = Math.sign(exit.price - entry.price)
    if (Number.isNaN(calm.price)) continue
    moved += (exit.price / calm.price - 1) * 10_000
    count++
  }
  return { signs, movedBps: moved / count, costUsd: cost / run.tradeTimes.length, missing }
}

/** Returns the mean of the index's prices in the frames of [from, to], and what the attack on them costs. */
function priceOf(run: Run, trade: number, from: Ms, to: Ms, attack: Attack | undefined, holdMs: number) {
  const pair = { name: 'A/USD', base: 'A', quote: 'USD' }
  const ids = run.venues.map(({ id }) => id)
  const index = createPriceIndex(ids)
  index.use(
    planListing(
      [{ symbol: 'AUSD', base: 'A', quote: 'USD', terms: run.terms }],
      ids.map((id) => ({ id, name: id, markets: [pair] })),
    ),
  )
  for (const id of ids) index.listener.connected(id, from)
  const random = draws(run.seed * 1_000_003 + trade)
  const strays = run.venues.map(({ strayBps }) => random.normal() * strayBps)
  let [sum, count, costUsd] = [0, 0, 0]
  for (let now = from; now <= to; now += FRAME_MS) {
    for (const [at, venue] of run.venues.entries()) {
      const middle = marketAt(run.made[trade % 2]!, now - venue.lagMs) * (1 + strays[at]! / 10_000)
      const pushed = attack && at < attack.venues ? attack.pushBps : undefined
      const book = bookOf(venue, middle, random.below, pushed)
      if (attack && at < attack.venues) {
        const paid = place(attack, venue, middle, book)
        // The first time as soon as they stand, then again and again.
        if (now === from) costUsd += paid.buying + paid.taken * Math.ceil(holdMs / TAKEN_AFTER_MS)
      }
      const unchecked = { bid: book.bids[0]![0], ask: book.asks[0]![0] }
      const levels = { ...book, isTop: false }
      index.listener.quote(venue.id, { market: pair.name, unchecked, levels, venueMs: now, receivedMs: now })
    }
    index.evaluate(now)
    const found = index.priceOf('AUSD')
    if (!isPrice(found)) continue
    sum += Number(found.price) / 1e20
    count++
  }
  return { price: sum / count, costUsd }
}

function bookOf(venue: SyntheticVenue, middle: number, below: (limit: number) => number, pushedBps = 0) {
  const count = (away: 1 | -1) => LEVELS + (away > 0 ? Math.ceil(pushedBps / venue.stepBps) : 0)
  const side = (away: 1 | -1): Level[] =>
    Array.from({ length: count(away) }, (_, at) => {
      const price = middle * (1 + (away * (venue.spreadBps / 2 + at * venue.stepBps)) / 10_000)
      const usd = (at === 0 ? venue.bestUsd : venue.levelUsd) * (0.25 + below(1_000) / 666)
      return [price.toFixed(8), usd / price]
    })
  return { bids: side(-1), asks: side(1) }
}

/** Places the attacker's orders in a book. Returns what it costs to buy the asks below the bid, and if the bid is taken. */
function place(attack: Attack, venue: SyntheticVenue, middle: number, book: { bids: Level[]; asks: Level[] }) {
  const awayBps = attack.pushBps ?? venue.spreadBps * (0.5 - BELOW_ASK)
  const price = middle * (1 + awayBps / 10_000)
  let buying = 0
  while (book.asks.length > 1 && Number(book.asks[0]![0]) <= price) {
    const [text, size] = book.asks.shift()!
    const distanceBps = (Number(text) / middle - 1) * 10_000
    // Bought above the middle and sold again below it, with a fee for each.
    buying += (Number(text) * size * (distanceBps + venue.spreadBps / 2 + 2 * TAKER_FEE_BPS)) / 10_000
  }
  book.bids.unshift([price.toFixed(8), attack.usd / price])
  return { buying, taken: (attack.usd * awayBps) / 10_000 }
}

/** Returns a market that falls where this one rises. */
export function mirrored(made: readonly Made[]): Made[] {
  const square = made[0]!.price ** 2
  return made.map(({ madeMs, price }) => ({ madeMs, price: square / price }))
}

function marketAt(made: readonly Made[], time: Ms): number {
  let [low, high] = [0, made.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (made[middle]!.madeMs <= time) low = middle
    else high = middle - 1
  }
  return made[low]!.price
}
