import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import type { Recipe } from './listing.ts'
import type { Rejection } from './price-index/check-quote.ts'
import { distanceBps, type FinePrice, fineText, shortText } from './price-index/fine-price.ts'
import {
  isPrice,
  LATE_MS,
  type MemberState,
  type PriceIndex,
  type Standing,
  type Unavailable,
} from './price-index/price-index.ts'
import { pricesOf } from './venue-state.ts'

/**
 * What is wrong with a venue as a whole, worst first. `late`: its feed is late or its clock slow. `outlier`: at least half
 * of its prices are too far from the others'.
 */
export type VenueCondition = 'out' | 'quarantined' | 'disconnected' | 'silent' | 'late' | 'outlier' | 'good'

export interface VenueReport {
  venue: string
  condition: VenueCondition
  /** How many of its markets are watched, and in how many its price counts now. */
  markets: number
  counted: number
  connectedSinceMs: Ms | undefined
  lastDrop: { atMs: Ms; why: string } | undefined
  messagesPerSecond: number
  rejectsPerSecond: number
  /** Number of quotes that were not used, by reason. */
  dropped: Partial<Record<Rejection | 'outlier', number>>
  /** How far its clock is ahead, transport included; negative: behind, or late. */
  skewMs: number
  /** Age of its newest news when last heard of; undefined before the first. */
  lagMs: number | undefined
  /** When the quarantine for junk ends at the earliest. */
  quarantinedUntilMs: Ms | undefined
}

/** A venue's newest quote of a pair, and what the index made of it. Prices are decimal text. */
export interface MemberReport {
  venue: string
  market: string
  inverted: boolean
  standing: Standing
  price: string | undefined
  /** Whether sizes that the venue sent prove the depth. */
  isDeep: boolean
  /** The venue's own quote, before any inversion. */
  bid: string | undefined
  ask: string | undefined
  receivedMs: Ms | undefined
  /** When the price was known to be current. */
  sourceMs: Ms | undefined
  /** Distance from the median; undefined without one. */
  distanceBps: number | undefined
  quarantinedUntilMs: Ms | undefined
}

interface PairReport {
  pair: string
  price: string | undefined
  why: Unavailable | undefined
  sourceMs: Ms | undefined
  minSources: number
  members: MemberReport[]
}

export interface SymbolReport {
  symbol: string
  recipe: Recipe
  /** At the instrument's scale, as it is published. */
  price: string | undefined
  why: Unavailable | undefined
  sourceMs: Ms | undefined
  /** One, or the two legs. */
  pairs: PairReport[]
}

/** Reports how a symbol's price was made when the index was last evaluated; undefined for an unknown symbol. */
export function reportSymbol(index: PriceIndex, symbol: string, scale: number, now: Ms): SymbolReport | undefined {
  const recipe = index.listing().recipes.get(symbol)
  if (!recipe) return undefined
  const found = index.priceOf(symbol)
  const names = recipe.is === 'missing' ? [] : recipe.is === 'direct' ? [recipe.pair] : [recipe.pair, recipe.quotePair]
  return {
    symbol,
    recipe,
    price: isPrice(found) ? fineText(found.price, scale) : undefined,
    why: isPrice(found) ? undefined : found,
    sourceMs: isPrice(found) ? found.sourceMs : undefined,
    pairs: names.map((name) => reportPair(index, name, now)),
  }
}

/** Returns how many symbols that have a price would have too few sources without these venues. */
export function symbolsLostWithout(index: PriceIndex, venues: readonly string[]): number {
  const isLost = (name: string): boolean => {
    const { pair, members } = must(index.pairs().get(name))
    const left = members.filter(({ venue, standing }) => standing === 'kept' && !venues.includes(venue))
    return left.length < pair.terms.minSources
  }
  let lost = 0
  for (const [symbol, recipe] of index.listing().recipes) {
    if (recipe.is === 'missing' || !isPrice(index.priceOf(symbol))) continue
    const names = recipe.is === 'direct' ? [recipe.pair] : [recipe.pair, recipe.quotePair]
    if (names.some(isLost)) lost++
  }
  return lost
}

/** Returns the symbols whose price is, or would be, made from this venue's markets too. */
export function symbolsOfVenue(index: PriceIndex, venue: string): string[] {
  const { recipes, pairs } = index.listing()
  return [...recipes].flatMap(([symbol, recipe]) => {
    if (recipe.is === 'missing') return []
    const names = recipe.is === 'direct' ? [recipe.pair] : [recipe.pair, recipe.quotePair]
    return names.some((name) => must(pairs.get(name)).members.some((member) => member.venue === venue)) ? [symbol] : []
  })
}

/** Returns how many venues agreed on a symbol's newest price: of two legs, the fewer. Undefined without a price. */
export const sourcesOf = (index: PriceIndex, symbol: string): number | undefined => countOf(index, symbol, () => true)

/** The same, counting only venues whose sizes prove the depth that prices are taken at. */
export const deepSourcesOf = (index: PriceIndex, symbol: string): number | undefined =>
  countOf(index, symbol, ({ isDeep }) => isDeep)

/**
 * Returns the spread within which orders in all but the narrowest of a symbol's kept venues can move its price, in basis
 * points: of three or more venues their median, of two the wider. Legs add up. Undefined without a price.
 */
export function spreadOf(index: PriceIndex, symbol: string): number | undefined {
  const recipe = index.listing().recipes.get(symbol)
  if (!recipe || recipe.is === 'missing' || !isPrice(index.priceOf(symbol))) return undefined
  const names = recipe.is === 'direct' ? [recipe.pair] : [recipe.pair, recipe.quotePair]
  let sum = 0
  for (const name of names) {
    const { members } = must(index.pairs().get(name))
    const spreads = members.filter(({ standing }) => standing === 'kept').map(({ spreadBps }) => spreadBps ?? 0)
    sum += spreads.sort((a, b) => a - b)[spreads.length >> 1] ?? 0
  }
  return sum
}

function countOf(index: PriceIndex, symbol: string, counts: (member: MemberState) => boolean): number | undefined {
  const recipe = index.listing().recipes.get(symbol)
  if (!recipe || recipe.is === 'missing' || !isPrice(index.priceOf(symbol))) return undefined
  const names = recipe.is === 'direct' ? [recipe.pair] : [recipe.pair, recipe.quotePair]
  const kept = (name: string) =>
    must(index.pairs().get(name)).members.filter((member) => member.standing === 'kept' && counts(member)).length
  return Math.min(...names.map(kept))
}

function reportPair(index: PriceIndex, name: string, now: Ms): PairReport {
  const { pair, members, result } = must(index.pairs().get(name))
  const price = isPrice(result) ? result.price : undefined
  return {
    pair: name,
    price: price && shortText(price),
    why: isPrice(result) ? undefined : result,
    sourceMs: isPrice(result) ? result.sourceMs : undefined,
    minSources: pair.terms.minSources,
    members: members.map((member) => reportMember(index, member, price, now)),
  }
}

function reportMember(index: PriceIndex, member: MemberState, median: FinePrice | undefined, now: Ms): MemberReport {
  const newest = must(index.venues().get(member.venue)).markets.get(member.market)?.newest
  const sides = newest && pricesOf(newest).sides
  const { venue, market, inverted, standing, price, isDeep, sourceMs } = member
  return {
    venue,
    market,
    inverted,
    standing,
    price: price && shortText(price),
    isDeep,
    bid: sides && shortText(sides.bid),
    ask: sides && shortText(sides.ask),
    receivedMs: newest?.receivedMs,
    sourceMs,
    distanceBps: price && median && distanceBps(price, median),
    quarantinedUntilMs: member.drift.until(now),
  }
}

export function reportVenues(index: PriceIndex, now: Ms): VenueReport[] {
  return [...index.venues()].map(([venue, state]) => ({
    venue,
    condition: conditionOf(index, venue, now),
    markets: index.counts(venue).markets,
    counted: index.counts(venue).kept,
    connectedSinceMs: state.connectedSince,
    lastDrop: state.lastDrop,
    messagesPerSecond: state.messages.perSecond(now),
    rejectsPerSecond: state.rejects.perSecond(now),
    dropped: Object.fromEntries(state.dropped),
    skewMs: state.clock.skewMs(),
    lagMs: state.aliveReceivedMs > 0 ? state.aliveReceivedMs - state.aliveSourceMs : undefined,
    quarantinedUntilMs: state.conduct.until(now),
  }))
}

export function conditionOf(index: PriceIndex, venue: string, now: Ms): VenueCondition {
  const state = must(index.venues().get(venue))
  if (index.isOut(venue)) return 'out'
  if (state.conduct.isIn() || index.isDrifting(venue)) return 'quarantined'
  if (state.connectedSince === undefined) return 'disconnected'
  if (now - state.aliveReceivedMs > LATE_MS) return 'silent'
  if (state.aliveReceivedMs - state.aliveSourceMs > LATE_MS) return 'late'
  const { judged, away } = index.counts(venue)
  return away > 0 && away * 2 >= judged ? 'outlier' : 'good'
}
