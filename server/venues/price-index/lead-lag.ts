import { first, must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'

/** As often as prices are published. */
const SAMPLE_MS = 250
/** The movements of the last minute are compared. */
const SAMPLES = 240
/** Lags of up to 2.25 s are found; a venue that is further behind counts as late anyway. */
const LAGS = 10
const ESTIMATE_EVERY = 20
/** Fewer movements may agree by chance. */
const FEWEST_MOVES = 8
/** By how much a lag must explain the distances better than none. */
const EXPLAINS = 0.6

/** How long each venue's prices of a pair lag behind those of another venue, by their movements. */
export interface LeadLag {
  /** Takes each venue's price at a time; undefined where it has none. */
  sample(prices: readonly (number | undefined)[], now: Ms): void
  /** Returns the lag of a venue. */
  lagMs(venue: number): Ms
}

/**
 * Compares the movements of venues, whatever their clocks say. A venue that repeats another one's prices a second later
 * shows prices of a second ago, and anyone who watches the other venue can predict them.
 */
export function createLeadLag(venues: number): LeadLag {
  const logs = Array.from({ length: venues }, () => new Float64Array(SAMPLES).fill(Number.NaN))
  const lags = new Array<Ms>(venues).fill(0)
  let count = 0
  let sampledMs = Number.NEGATIVE_INFINITY

  function estimate(): void {
    const lively = logs.filter((own) => movesOf(own) >= FEWEST_MOVES)
    for (const [venue, own] of logs.entries()) {
      const leaders = lively.includes(own) ? lively.filter((other) => other !== own) : []
      lags[venue] = Math.max(0, ...leaders.map((leader) => lagBehind(own, leader, count)))
    }
  }

  return {
    sample(prices, now) {
      if (now - sampledMs < SAMPLE_MS) return
      sampledMs = now
      for (const [venue, price] of prices.entries())
        must(logs[venue])[count % SAMPLES] = price ? Math.log(price) : Number.NaN
      count++
      if (count % ESTIMATE_EVERY === 0) estimate()
    },
    lagMs: (venue) => must(lags[venue]),
  }
}

/** Returns how long a venue lags behind this leader; 0 if it doesn't follow it. */
function lagBehind(follower: Float64Array, leader: Float64Array, count: number): Ms {
  const lag = bestLag(variancesOf(follower, leader, count))
  // Two that follow each other have no leader: their prices go in circles.
  if (lag === 0 || isExplained(variancesOf(leader, follower, count))) return 0
  // Rounded up, and the leader's own messages were underway too.
  return (lag + 1) * SAMPLE_MS
}

function movesOf(logs: Float64Array): number {
  let moves = 0
  // Comparisons with a missing price are never true, so they count as no move.
  for (let at = 1; at < SAMPLES; at++) if (Math.abs(logs[at]! - logs[at - 1]!) > 0) moves++
  return moves
}

/** Whether the follower's prices are much closer to what the leader said before than to what it says. */
const isExplained = (variances: readonly number[]): boolean => Math.min(...variances) < first(variances) * EXPLAINS

/** Returns the lag, in samples, that explains the distance; 0 if none does, or several: a pattern repeats, or it's chance. */
function bestLag(variances: readonly number[]): number {
  const least = Math.min(...variances)
  const best = variances.indexOf(least)
  const isClear = variances.every((variance, lag) => Math.abs(lag - best) <= 1 || least < variance * EXPLAINS)
  return isClear && isExplained(variances) ? best : 0
}

const variancesOf = (follower: Float64Array, leader: Float64Array, count: number): number[] =>
  Array.from({ length: LAGS }, (_, lag) => varianceAt(follower, leader, count, lag))

/** Returns the variance of the distance between the follower and what the leader was `lag` samples before. */
function varianceAt(follower: Float64Array, leader: Float64Array, count: number, lag: number): number {
  let [sum, squares, pairs] = [0, 0, 0]
  // The same samples for every lag.
  for (let at = Math.max(0, count - SAMPLES) + LAGS; at < count; at++) {
    const distance = follower[at % SAMPLES]! - leader[(at - lag) % SAMPLES]!
    if (Number.isNaN(distance)) continue
    sum += distance
    squares += distance * distance
    pairs++
  }
  return pairs < SAMPLES / 4 ? Number.POSITIVE_INFINITY : squares / pairs - (sum / pairs) ** 2
}
