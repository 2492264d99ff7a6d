import { must } from '#kernel/must.ts'
import { DEFAULT_TERMS, type IndexTerms } from './terms.ts'
import type { Market } from './venue.ts'

/** A symbol that is to have a price. */
export interface Wanted {
  symbol: string
  base: string
  quote: string
  terms: IndexTerms
}

/** A venue's market as a source of a pair's price. */
export interface Member {
  venue: string
  market: string
  /** The venue lists it the other way round: its price is one divided by the pair's. */
  inverted: boolean
}

/** A pair with a median. */
export interface IndexedPair {
  name: string
  terms: IndexTerms
  members: Member[]
}

/** How a symbol's price is made. Pairs by name. */
export type Recipe =
  | { is: 'direct'; pair: string }
  /** The price of `pair` divided by that of `quotePair`, both in `via`. */
  | { is: 'derived'; via: string; pair: string; quotePair: string }
  | { is: 'missing'; why: string }

export interface Listing {
  pairs: ReadonlyMap<string, IndexedPair>
  recipes: ReadonlyMap<string, Recipe>
  /** By venue, the markets to watch. */
  watch: ReadonlyMap<string, readonly string[]>
}

/** Currencies that a missing cross is derived through, best first. */
const VIA = ['USD', 'USDT', 'BTC', 'EUR']

/** What each venue lists; `name` is for people. */
export interface VenueMarkets {
  id: string
  name: string
  markets: readonly Market[]
}

function membersOf(
  listed: ReadonlyMap<string, ReadonlySet<string>>,
  base: string,
  quote: string,
  terms: IndexTerms,
): Member[] {
  const members: Member[] = []
  for (const [venue, markets] of listed) {
    if (terms.venues !== 'all' && !terms.venues.includes(venue)) continue
    const direct = nameOf(base, quote)
    const other = nameOf(quote, base)
    if (markets.has(direct)) members.push({ venue, market: direct, inverted: false })
    else if (markets.has(other)) members.push({ venue, market: other, inverted: true })
  }
  return members
}

/**
 * Decides how each symbol is made. Directly, if enough venues list its pair (either way round); otherwise from two legs
 * through the currency whose legs have the most venues. Each leg needs enough venues as well: a currency and a coin that
 * is meant to be worth one (USD, USDT) are two currencies, never mixed without a leg between them.
 */
export function planListing(wanted: readonly Wanted[], venues: readonly VenueMarkets[]): Listing {
  const listed = new Map(venues.map(({ id, markets }) => [id, new Set(markets.map(({ name }) => name))]))
  const termsByPair = new Map(wanted.map(({ base, quote, terms }) => [nameOf(base, quote), terms]))
  const pairs = new Map<string, IndexedPair>()
  const recipes = new Map<string, Recipe>()

  const termsOf = (base: string, quote: string): IndexTerms =>
    termsByPair.get(nameOf(base, quote)) ?? termsByPair.get(nameOf(quote, base)) ?? DEFAULT_TERMS

  /** Returns the pair if enough venues list it. */
  function pairOf(base: string, quote: string): IndexedPair | undefined {
    const terms = termsOf(base, quote)
    const members = membersOf(listed, base, quote, terms)
    return members.length >= Math.max(1, terms.minSources) ? { name: nameOf(base, quote), terms, members } : undefined
  }

  function add(pair: IndexedPair): string {
    if (!pairs.has(pair.name)) pairs.set(pair.name, pair)
    return pair.name
  }

  function bestLegs(base: string, quote: string) {
    let best: { via: string; pair: IndexedPair; quotePair: IndexedPair; sources: number } | undefined
    for (const via of VIA) {
      if (via === base || via === quote) continue
      const pair = pairOf(base, via)
      const quotePair = pairOf(quote, via)
      if (!pair || !quotePair) continue
      const sources = Math.min(pair.members.length, quotePair.members.length)
      if (!best || sources > best.sources) best = { via, pair, quotePair, sources }
    }
    return best
  }

  function recipeOf({ base, quote, terms }: Wanted): Recipe {
    const direct = pairOf(base, quote)
    if (direct) return { is: 'direct', pair: add(direct) }
    const legs = bestLegs(base, quote)
    if (legs) return { is: 'derived', via: legs.via, pair: add(legs.pair), quotePair: add(legs.quotePair) }
    const names = new Map(venues.map(({ id, name }) => [id, name]))
    const only = membersOf(listed, base, quote, terms).map(({ venue }) => must(names.get(venue)))
    return { is: 'missing', why: whyMissing(`${base}/${quote}`, only, terms.minSources) }
  }

  for (const one of wanted) recipes.set(one.symbol, recipeOf(one))
  const watch = new Map(
    venues.map(({ id }) => {
      const markets = [...pairs.values()].flatMap(({ members }) =>
        members.filter(({ venue }) => venue === id).map(({ market }) => market),
      )
      return [id, [...new Set(markets)].sort()]
    }),
  )
  return { pairs, recipes, watch }
}

const nameOf = (base: string, quote: string): string => `${base}/${quote}`

/** Returns the currency that a pair's or market's prices are in. */
export const quoteOf = (name: string): string => name.slice(name.indexOf('/') + 1)

/** As text for the trader. */
function whyMissing(pair: string, only: readonly string[], needed: number): string {
  if (only.length === 0) return `None of our exchanges lists ${pair}.`
  const who = new Intl.ListFormat('en').format(only)
  return `Only ${who} ${only.length === 1 ? 'lists' : 'list'} ${pair}, and a price needs ${needed} exchanges.`
}
