import { createCipheriv, createHash } from 'node:crypto'
import type { Ms } from '#kernel/time.ts'

/**
 * Generates plausible prices without state: the price of a leg (a currency against the dollar) is a pure function of
 * seed, leg and time. Time is divided into steps of 250 ms, and these into blocks of 2^24 (seven weeks). The logarithm
 * of a price is a Brownian motion: the block boundaries are a random walk from the leg's level at a fixed date, and
 * between two boundaries it is a Brownian bridge, built by bisection: the midpoint of an interval is the mean of its
 * ends plus a random deviation that fits the interval's length. So any moment takes at most 24 bisections, and the next
 * one, with the earlier ones cached, takes one on average. Increments are independent of the past, so neither the
 * prices so far nor the constants below predict a price's direction. (Boundaries drawn around a level would: a trade
 * back towards it would win more often than not.) The random numbers come from AES under a key derived from the seed:
 * the prices don't reveal the seed.
 */
export const STEP_MS = 250
const LEVELS = 24
const BLOCK_STEPS = 2 ** LEVELS
const STEPS_PER_YEAR = (365.25 * 86_400_000) / STEP_MS
/** The block at whose start every leg is at its level. */
const ORIGIN_BLOCK = Math.floor(Date.UTC(2026, 0, 1) / STEP_MS / BLOCK_STEPS)

/** A random path that legs are made of. `volatility`: of its logarithm, per year. */
interface Path {
  name: string
  volatility: number
}

/**
 * A currency's value in dollars: its level at the origin, moved by shared paths (market, equities) and its own path.
 */
interface Leg {
  level: number
  market?: number
  equities?: number
  own: number
}

const MARKET_VOLATILITY = 0.42
const EQUITIES_VOLATILITY = 0.14

const LEGS: Record<string, Leg> = {
  BCH: { level: 480, market: 1.05, own: 0.45 },
  BTC: { level: 78_000, market: 1, own: 0.12 },
  EOS: { level: 0.65, market: 1.1, own: 0.5 },
  ETC: { level: 19, market: 1.1, own: 0.4 },
  ETH: { level: 2_900, market: 1.2, own: 0.25 },
  LTC: { level: 92, market: 1.05, own: 0.4 },
  MKR: { level: 1_600, market: 0.9, own: 0.5 },
  PCP: { level: 0.041, market: 0.9, own: 0.7 },
  REP: { level: 0.95, market: 0.8, own: 0.6 },
  SHIB: { level: 0.0000125, market: 1.3, own: 0.6 },
  TRX: { level: 0.24, market: 0.7, own: 0.35 },
  TXR: { level: 0.0093, market: 0.9, own: 0.7 },
  XLM: { level: 0.27, market: 1.1, own: 0.5 },
  XRP: { level: 2.2, market: 1.1, own: 0.45 },
  ZEC: { level: 210, market: 1, own: 0.55 },
  ZRX: { level: 0.22, market: 1.1, own: 0.6 },
  USDT: { level: 1, own: 0.004 },
  EUR: { level: 1.09, own: 0.07 },
  GBP: { level: 1.28, own: 0.08 },
  SPX: { level: 6_600, equities: 1, own: 0.02 },
  NDX: { level: 24_500, equities: 1.25, own: 0.06 },
}

/** Standard deviation of a path over a block, in units of its volatility. */
const BLOCK_DEVIATION = Math.sqrt(BLOCK_STEPS / STEPS_PER_YEAR)

const NAMES = Object.keys(LEGS)
const PATHS: Path[] = [
  { name: 'market', volatility: MARKET_VOLATILITY },
  { name: 'equities', volatility: EQUITIES_VOLATILITY },
  ...Object.entries(LEGS).map(([name, { own }]) => ({ name, volatility: own })),
]

/** Dollar value of each leg at one moment, by the leg's index; the dollar itself is the last. */
export type LegPrices = Float64Array

export interface Simulation {
  /** Returns the legs at a time. Reuses one array, overwritten on each call. */
  legsAt(time: Ms): LegPrices
}

/** Returns a currency's index among the legs; undefined if the simulation doesn't know it. */
export function legOf(currency: string): number | undefined {
  if (currency === 'USD') return NAMES.length
  const place = NAMES.indexOf(currency)
  return place < 0 ? undefined : place
}

/** Returns the price of a pair from its legs, as a whole number at `scale`. */
export const crossUnits = (legs: LegPrices, base: number, quote: number, scale: number): number =>
  Math.round((legs[base]! / legs[quote]!) * 10 ** scale)

/** Creates a simulation; two with the same seed agree at every time, in whatever order they are queried. */
export function createSimulation(seed: string | Uint8Array): Simulation {
  const pathsAt = simulatedPaths(drawing(seed))
  const legs = Object.values(LEGS)
  const prices = new Float64Array(legs.length + 1).fill(1)
  let newest = -1
  return {
    legsAt(time) {
      const step = Math.floor(time / STEP_MS)
      if (step === newest) return prices
      newest = step
      const paths = pathsAt(step)
      for (let i = 0; i < legs.length; i++) {
        const leg = legs[i]!
        const moved = (leg.market ?? 0) * paths[0]! + (leg.equities ?? 0) * paths[1]! + paths[2 + i]!
        prices[i] = leg.level * Math.exp(moved)
      }
      return prices
    },
  }
}

type Draw = ReturnType<typeof drawing>

/** Returns the function that returns all paths at a step. */
function simulatedPaths(draw: Draw): (step: number) => Float64Array {
  const width = PATHS.length
  const borderOf = blockBorders(draw)

  /** Ends and midpoints of the bisected intervals around the last step queried, by level, with their steps. */
  const middles = Array.from({ length: LEVELS }, () => new Float64Array(width))
  const middleAt = new Float64Array(LEVELS).fill(-1)
  let left = new Float64Array(width)
  let right = new Float64Array(width)
  let block = -1
  const deviations = Array.from({ length: LEVELS }, (_, level) => {
    const steps = BLOCK_STEPS / 2 ** level
    return PATHS.map((path) => path.volatility * Math.sqrt(steps / 4 / STEPS_PER_YEAR))
  })

  return (step) => {
    const wanted = Math.floor(step / BLOCK_STEPS)
    if (wanted !== block) {
      block = wanted
      left = borderOf(block)
      right = borderOf(block + 1)
      middleAt.fill(-1)
    }
    const position = step - block * BLOCK_STEPS
    let lower = left
    let upper = right
    let start = 0
    let half = BLOCK_STEPS / 2
    for (let level = 0; start !== position; level++, half /= 2) {
      const middle = middles[level]!
      const at = start + half
      if (middleAt[level] !== at) {
        const normals = draw(block, at)
        const deviation = deviations[level]!
        for (let p = 0; p < width; p++) middle[p] = (lower[p]! + upper[p]!) / 2 + deviation[p]! * normals[p]!
        middleAt[level] = at
      }
      if (position >= at) {
        lower = middle
        start = at
      } else upper = middle
    }
    return lower
  }
}

/** Returns the function that returns all paths at the start of a block. */
function blockBorders(draw: Draw): (block: number) => Float64Array<ArrayBuffer> {
  /** The paths at the start of each block needed so far. */
  const origin = new Float64Array(PATHS.length)
  const borders = new Map([[ORIGIN_BLOCK, origin]])

  function borderOf(wanted: number): Float64Array<ArrayBuffer> {
    const direction = wanted < ORIGIN_BLOCK ? -1 : 1
    let border = origin
    for (let at = ORIGIN_BLOCK; at !== wanted; at += direction) {
      const next = borders.get(at + direction) ?? moved(border, movesWithin(direction === 1 ? at : at - 1), direction)
      borders.set(at + direction, next)
      border = next
    }
    return border
  }

  const moved = (border: Float64Array<ArrayBuffer>, moves: Float64Array, direction: number) =>
    border.map((value, p) => value + direction * moves[p]!)

  /** Returns how far each path moves from the start of a block to its end. */
  function movesWithin(of: number): Float64Array {
    const normals = draw(of, 0)
    return Float64Array.from(PATHS, ({ volatility }, p) => volatility * BLOCK_DEVIATION * normals[p]!)
  }

  return borderOf
}

/** Returns standard normal numbers for all paths at one point, by Box-Muller from AES blocks. */
function drawing(seed: string | Uint8Array): (block: number, position: number) => Float64Array {
  const key = createHash('sha256').update('cleartick simulation 2\0').update(seed).digest()
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const lanes = Math.ceil(PATHS.length / 4)
  const places = Buffer.alloc(lanes * 16)
  const words = new DataView(places.buffer, places.byteOffset, places.length)
  for (let lane = 0; lane < lanes; lane++) words.setUint32(lane * 16, lane, true)
  const normals = new Float64Array(lanes * 4)
  return (block, position) => {
    for (let lane = 0; lane < lanes; lane++) {
      words.setUint32(lane * 16 + 4, block, true)
      words.setUint32(lane * 16 + 8, position, true)
    }
    const drawn = cipher.update(places)
    const view = new DataView(drawn.buffer, drawn.byteOffset, drawn.length)
    for (let i = 0; i < normals.length; i += 2) {
      const radius = Math.sqrt(-2 * Math.log((view.getUint32(i * 4, true) + 0.5) / 2 ** 32))
      const angle = (view.getUint32(i * 4 + 4, true) / 2 ** 32) * 2 * Math.PI
      normals[i] = radius * Math.cos(angle)
      normals[i + 1] = radius * Math.sin(angle)
    }
    return normals
  }
}
