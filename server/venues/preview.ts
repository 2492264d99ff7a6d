import { setTimeout as sleep } from 'node:timers/promises'
import { must } from '#kernel/must.ts'
import { MINUTE_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import { type IndexedPair, type Member, planListing, type Recipe, type VenueMarkets, type Wanted } from './listing.ts'
import { agree } from './price-index/agree.ts'
import { cross, type FinePrice, inverse, parseFine } from './price-index/fine-price.ts'
import type { PriceIndex, Standing, Unavailable } from './price-index/price-index.ts'
import type { Venue } from './venue.ts'

/** How long a venue may take to answer. */
const PATIENCE_MS = 4 * SECOND_MS
/** An older minute says nothing about the price now. */
const MINUTES = 5

/** Standings of current quotes, which other terms may judge otherwise. */
const USABLE: ReadonlySet<Standing> = new Set<Standing>(['kept', 'outlier', 'thin', 'wide'])

export interface MemberPreview {
  venue: string
  market: string
  standing: Standing
  price: FinePrice | undefined
  /** A quote of a market that is watched, or the close of the venue's newest minute. */
  from: 'quote' | 'minute' | undefined
}

interface PairPreview {
  pair: string
  minSources: number
  price: FinePrice | undefined
  why: Unavailable | undefined
  members: MemberPreview[]
}

export interface Preview {
  recipe: Recipe
  price: FinePrice | undefined
  /** One, or the two legs. */
  pairs: PairPreview[]
}

/**
 * Returns the price that a symbol would have now, and how it is made: as the index makes it, from the quotes of markets
 * that are watched already and the venues' newest minutes of all others. Nothing is watched for it.
 */
export async function previewPrice(
  wanted: Wanted,
  deps: {
    /** The symbols that have prices already: a leg keeps their terms. */
    others: readonly Wanted[]
    venues: readonly Venue[]
    lists: readonly VenueMarkets[]
    index: PriceIndex
    now: Ms
  },
): Promise<Preview> {
  const others = deps.others.filter(({ symbol }) => symbol !== wanted.symbol)
  const listing = planListing([...others, wanted], deps.lists)
  const recipe = must(listing.recipes.get(wanted.symbol))
  if (recipe.is === 'missing') return { recipe, price: undefined, pairs: [] }
  const names = recipe.is === 'direct' ? [recipe.pair] : [recipe.pair, recipe.quotePair]
  const pairs = await Promise.all(names.map((name) => previewPair(must(listing.pairs.get(name)), deps)))
  const [base, quote] = pairs.map(({ price }) => price)
  return { recipe, pairs, price: recipe.is === 'direct' ? base : base && quote && cross(base, quote) }
}

type Deps = Parameters<typeof previewPrice>[1]

async function previewPair(pair: IndexedPair, deps: Deps): Promise<PairPreview> {
  const members = await Promise.all(pair.members.map((member) => previewMember(pair, member, deps)))
  const priced = members.filter((member): member is MemberPreview & { price: FinePrice } => member.standing === 'kept')
  const { price, why, outliers } = agree(priced, pair.terms)
  for (const outlier of outliers) outlier.standing = 'outlier'
  return { pair: pair.name, minSources: pair.terms.minSources, price, why, members }
}

async function previewMember(pair: IndexedPair, member: Member, { index, ...deps }: Deps): Promise<MemberPreview> {
  const { venue, market, inverted } = member
  const preview = (standing: MemberPreview['standing'], price?: FinePrice, from?: MemberPreview['from']) => ({
    ...{ venue, market, standing },
    ...{ price, from },
  })
  if (index.isOut(venue)) return preview('out')
  const known = index
    .pairs()
    .get(pair.name)
    ?.members.find((one) => one.venue === venue && one.market === market)
  if (known && USABLE.has(known.standing)) {
    // The terms may be others than those that it was judged by.
    const found = index.priceAt(venue, market, pair.terms, deps.now)
    const price = inverted && found?.price !== undefined ? inverse(found.price) : found?.price
    return preview(found?.problem ?? 'kept', price, 'quote')
  }
  if (known?.standing === 'quarantined') return preview('quarantined')
  const close = await newestClose(must(deps.venues.find(({ id }) => id === venue)), market, deps.now)
  return close ? preview('kept', inverted ? inverse(close) : close, 'minute') : preview('no_quote')
}

/** Returns the close of a market's newest minute; undefined if the venue has none, or doesn't answer. */
async function newestClose(venue: Venue, market: string, now: Ms): Promise<FinePrice | undefined> {
  const from = now - MINUTES * MINUTE_MS
  const answer = await Promise.race([
    venue.minutes(market, from, MINUTES + 1).catch(() => []),
    sleep(PATIENCE_MS, [], { ref: false }),
  ])
  const newest = answer.filter(([startMs]) => startMs > from - MINUTE_MS && startMs <= now).at(-1)
  return newest && parseFine(newest[4])
}
