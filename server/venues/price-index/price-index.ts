import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Listing, quoteOf } from '../listing.ts'
import type { IndexTerms } from '../terms.ts'
import type { VenueListener } from '../venue.ts'
import { createVenueState, type MarketPrice, type VenueState } from '../venue-state.ts'
import {
  evaluatePair,
  type IndexPrice,
  isPrice,
  type PairState,
  type Unavailable,
  type Venues,
} from './evaluate-pair.ts'
import { cross } from './fine-price.ts'
import { venueListener } from './listen.ts'
import { marketPrice } from './market-price.ts'
import { countVenues, pairsOf, type VenueCounts } from './pairs.ts'
import { createWorth, isDollar } from './worth.ts'

export {
  isPrice,
  LATE_MS,
  type MemberState,
  type Standing,
  type Unavailable,
} from './evaluate-pair.ts'

export interface PriceIndex {
  /** Receives everything the venues report. */
  listener: VenueListener
  /** Sets what is watched and how each symbol is made. What is known about pairs that stay is kept. */
  use(listing: Listing): void
  /** Judges all quotes at a time, from which `priceOf` and the reports answer. */
  evaluate(now: Ms): void
  /** Returns a symbol's price as last evaluated; undefined if nothing makes the symbol. */
  priceOf(symbol: string): IndexPrice | Unavailable | undefined
  /** Returns what a venue's newest quote of a market comes to by other terms; undefined without a quote. */
  priceAt(venue: string, market: string, terms: IndexTerms, now: Ms): MarketPrice | undefined
  /** Takes a venue out of all medians, or puts it back. */
  setOut(venue: string, out: boolean): void
  isOut(venue: string): boolean
  /** Whether a venue is in quarantine because it drifts on half of its pairs. */
  isDrifting(venue: string): boolean
  /** How many of a venue's markets count, as last evaluated. */
  counts(venue: string): VenueCounts
  /** For reports. */
  listing(): Listing
  pairs(): ReadonlyMap<string, PairState>
  venues(): ReadonlyMap<string, VenueState>
}

const NOTHING: Listing = { pairs: new Map(), recipes: new Map(), watch: new Map() }

/**
 * Creates an index of the named venues: one price of each pair from what they say. Pure but for its memory: every time
 * is passed in.
 */
export function createPriceIndex(venueIds: readonly string[]): PriceIndex {
  const venues = new Map(venueIds.map((id) => [id, createVenueState()]))
  const out = new Set<string>()
  const drifting = new Set<string>()
  const counts = new Map<string, VenueCounts>()
  let listing = NOTHING
  let pairs = new Map<string, PairState>()
  /** What sizes are counted in. */
  let currencies: string[] = []
  const worth = createWorth((pair) => {
    const result = pairs.get(pair)?.result
    return isPrice(result) ? result.price : undefined
  })
  const shared: Venues = { states: venues, out, drifting, worth }

  function use(next: Listing): void {
    listing = next
    const members = [...next.pairs.values()].flatMap((pair) => pair.members)
    for (const [id, venue] of venues)
      venue.watch(members.filter((member) => member.venue === id).map(({ market }) => market))
    currencies = [...new Set(members.map(({ market }) => quoteOf(market)))]
    pairs = pairsOf(next, pairs)
  }

  function evaluate(now: Ms): void {
    for (const venue of venues.values()) venue.judge(now)
    let inDollars = true
    for (const [name, state] of pairs) {
      if (inDollars && !isDollar(quoteOf(name))) {
        inDollars = false
        for (const currency of currencies) worth.update(currency)
      }
      evaluatePair(shared, state, now)
    }
    countVenues(pairs, counts, drifting)
  }

  return {
    listener: venueListener(venues),
    use,
    evaluate,
    priceOf: (symbol) => priceOf(listing, pairs, symbol),
    priceAt(venue, name, terms, now) {
      const market = venues.get(venue)?.markets.get(name)
      const usd = worth.usd(quoteOf(name))
      const depth = usd === undefined ? undefined : terms.depthUsd / usd
      return market?.newest && marketPrice(market, market.newest, { ...terms, depth }, now)
    },
    setOut(venue, isOut) {
      if (isOut) out.add(venue)
      else out.delete(venue)
    },
    isOut: (venue) => out.has(venue),
    isDrifting: (venue) => drifting.has(venue),
    counts: (venue) => counts.get(venue) ?? { markets: 0, kept: 0, judged: 0, away: 0 },
    listing: () => listing,
    pairs: () => pairs,
    venues: () => venues,
  }
}

function priceOf(
  listing: Listing,
  pairs: ReadonlyMap<string, PairState>,
  symbol: string,
): IndexPrice | Unavailable | undefined {
  const recipe = listing.recipes.get(symbol)
  if (!recipe || recipe.is === 'missing') return undefined
  const base = must(pairs.get(recipe.pair)).result
  if (recipe.is === 'direct' || !isPrice(base)) return base
  const quoted = must(pairs.get(recipe.quotePair)).result
  if (!isPrice(quoted)) return quoted
  return { price: cross(base.price, quoted.price), sourceMs: Math.min(base.sourceMs, quoted.sourceMs) }
}
