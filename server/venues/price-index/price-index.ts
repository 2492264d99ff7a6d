import type { Ms } from '#kernel/time.ts'
import { type IndexedPair, type Listing, quoteOf } from '../listing.ts'
import type { IndexTerms } from '../terms.ts'
import type { VenueListener, VenueQuote } from '../venue.ts'
import { createVenueState, isTrade, type VenueState } from '../venue-state.ts'
import { type Agreement, agree } from './agree.ts'
import { checkQuote, checkTime } from './check-quote.ts'
import { cross, type FinePrice, inverse, isWithin } from './fine-price.ts'
import { createLeadLag, type LeadLag } from './lead-lag.ts'
import { keepCovered, type MarketPrice, marketPrice } from './market-price.ts'
import { createDrift, type Drift } from './quarantine.ts'
import { createWorth, isDollar } from './worth.ts'

/** Why a venue's newest quote of a pair is or isn't in the median. */
export type Standing =
  | 'kept'
  | 'outlier'
  | 'no_quote'
  /** It holds less than the depth that prices are taken at. */
  | 'thin'
  /** Its bid and ask are too far apart at that depth. */
  | 'wide'
  /** No news and no sign of life. */
  | 'silent'
  /** A trade that is too old to be a price. */
  | 'old_trade'
  /** The venue's times lie too far behind: a late feed or a slow clock. */
  | 'late'
  | 'quarantined'
  /** An operator took the venue out. */
  | 'out'

export type Unavailable = 'sources' | 'disagree'

export interface IndexPrice {
  price: FinePrice
  /** The oldest among the kept venues: all of them agree that the price was current then. */
  sourceMs: Ms
}

/**
 * A venue whose newest sign of life is older than this isn't counted, so that it can't hold up the others: the
 * tape rejects whatever is more than 3 s old.
 */
export const LATE_MS = 2_500

/**
 * A trade is a price for this long, a quoted book for as long as its venue lives. With trades of a minute ago in the
 * median, anyone who watches the liveliest venue knows where the median goes next (docs/latency-arbitrage.md).
 */
const TRADE_HOLDS_MS = 5_000

/** What the last evaluation found about a venue's market in a pair. */
export interface MemberState {
  venue: string
  market: string
  inverted: boolean
  standing: Standing
  /** The pair's price at this venue, at the depth of the terms. */
  price: FinePrice | undefined
  /** Whether sizes that the venue sent prove the depth. */
  isDeep: boolean
  /** How far its bid and ask are apart at that depth. */
  spreadBps: number | undefined
  /** When that price was known to be current. */
  sourceMs: Ms | undefined
  drift: Drift
}

export interface PairState {
  pair: IndexedPair
  members: MemberState[]
  /** How long the members lag behind each other. */
  leadLag: LeadLag
  result: IndexPrice | Unavailable
}

export interface VenueCounts {
  markets: number
  /** In a median. */
  kept: number
  /** Compared with a median. */
  judged: number
  /** Too far from it, now or within the last minutes. */
  away: number
}

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

export const isPrice = (result: IndexPrice | Unavailable | undefined): result is IndexPrice =>
  typeof result === 'object'

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

  function quote(id: string, sent: VenueQuote): void {
    const venue = venues.get(id)
    if (!venue) return
    const { receivedMs, exchangeMs } = sent
    venue.messages.count(receivedMs)
    const market = venue.markets.get(sent.market)
    if (!market) {
      venue.reject('unknown_market', receivedMs)
      return
    }
    const rejected = checkQuote(sent)
    if (rejected) {
      venue.reject(rejected, receivedMs)
      return
    }
    const before = market.newest
    const sourceMs = venue.clock.sourceTime(exchangeMs, receivedMs)
    venue.sawAlive(sourceMs, receivedMs)
    venue.aliveExchangeMs = exchangeMs
    // A book says more than a trade, and holds while its connection does.
    if (before && 'price' in sent.unchecked && !isTrade(before) && before.connection === venue.connection) return
    if (before?.exchangeMs !== undefined && exchangeMs !== undefined && exchangeMs < before.exchangeMs) {
      venue.reject('out_of_order', receivedMs)
      return
    }
    market.newest = {
      unchecked: sent.unchecked,
      read: undefined,
      levels: sent.levels,
      atDepth: undefined,
      exchangeMs,
      sourceMs,
      receivedMs,
      connection: venue.connection,
      wasOutlier: false,
    }
    keepCovered(market, market.newest)
  }

  const listener: VenueListener = {
    quote,
    alive(id, exchangeMs, receivedMs) {
      const venue = venues.get(id)
      // The message has just delivered a quote, which proved the same.
      if (venue?.aliveReceivedMs === receivedMs && venue.aliveExchangeMs === exchangeMs) return
      // A time that can't be right proves nothing.
      if (!venue || checkTime(exchangeMs, receivedMs)) return
      venue.sawAlive(venue.clock.sourceTime(exchangeMs, receivedMs), receivedMs)
    },
    unreadable(id, receivedMs) {
      const venue = venues.get(id)
      venue?.messages.count(receivedMs)
      venue?.reject('unreadable', receivedMs)
    },
    connected(id, atMs) {
      venues.get(id)?.connected(atMs)
    },
    disconnected(id, atMs, why) {
      venues.get(id)?.disconnected(atMs, why)
    },
  }

  function use(next: Listing): void {
    listing = next
    for (const [id, venue] of venues) {
      venue.watch(
        [...next.pairs.values()].flatMap(({ members }) =>
          members.filter((member) => member.venue === id).map(({ market }) => market),
        ),
      )
    }
    const before = pairs
    const markets = [...next.pairs.values()].flatMap(({ members }) => members.map(({ market }) => market))
    currencies = [...new Set(markets.map(quoteOf))]
    // Pairs in dollars first: they say what the sizes of the others are worth.
    const ordered = [...next.pairs].sort(([a], [b]) => Number(isDollar(quoteOf(b))) - Number(isDollar(quoteOf(a))))
    pairs = new Map(
      ordered.map(([name, pair]) => {
        const known = new Map(before.get(name)?.members.map((member) => [memberKey(member), member]))
        const members = pair.members.map(
          (member): MemberState =>
            known.get(memberKey(member)) ?? {
              ...member,
              standing: 'no_quote',
              price: undefined,
              isDeep: false,
              spreadBps: undefined,
              sourceMs: undefined,
              drift: createDrift(),
            },
        )
        return [name, { pair, members, leadLag: createLeadLag(members.length), result: 'sources' }]
      }),
    )
  }

  function evaluate(now: Ms): void {
    for (const venue of venues.values()) venue.judge(now)
    let inDollars = true
    for (const [name, state] of pairs) {
      if (inDollars && !isDollar(quoteOf(name))) {
        inDollars = false
        for (const currency of currencies) worth.update(currency)
      }
      evaluatePair(state, now)
    }
    findDriftingVenues()
  }

  function evaluatePair(state: PairState, now: Ms): void {
    const { terms } = state.pair
    const fresh: MemberState[] = []
    for (const [at, member] of state.members.entries()) {
      look(member, state.leadLag.lagMs(at), terms, now)
      if (member.standing === 'kept') fresh.push(member)
    }
    state.leadLag.sample(state.members.map(floatPrice), now)
    const found: Agreement<Fresh> = agree(fresh as Fresh[], terms)
    for (const member of found.outliers) dropOutlier(member)
    state.result = found.price === undefined ? found.why! : { price: found.price, sourceMs: oldest(found.kept) }
    // Nobody is blamed where nobody can be: without a median, a distance from it means nothing.
    for (const member of state.members) {
      member.drift.judge(isJudged(member) ? inLine(member, found.price, terms.largestDeviationBps) : undefined, now)
    }
  }

  /** Reads a venue's newest quote of a pair. Its standing is `kept` unless something speaks against it. */
  function look(member: MemberState, lagMs: Ms, terms: IndexTerms, now: Ms): void {
    const venue = venues.get(member.venue)!
    const market = venue.markets.get(member.market)!
    const { newest } = market
    const usd = worth.usd(quoteOf(member.market))
    market.depth = usd === undefined ? undefined : terms.depthUsd / usd
    if (!newest) {
      member.standing = 'no_quote'
      member.price = undefined
      member.isDeep = false
      member.spreadBps = undefined
      member.sourceMs = undefined
      return
    }
    // A quiet pair is alive but unchanged as long as its connection is.
    const lives = newest.connection === venue.connection
    const saidMs = lives ? Math.max(newest.sourceMs, venue.aliveSourceMs) : newest.sourceMs
    const sourceMs = lagMs > 0 ? Math.min(saidMs, now - lagMs) : saidMs
    const receivedMs = lives ? Math.max(newest.receivedMs, venue.aliveReceivedMs) : newest.receivedMs
    const { depth } = market
    const { price, isDeep, spreadBps, problem } = marketPrice(market, newest, { ...terms, depth }, now)
    member.price = member.inverted && price !== undefined ? inverse(price) : price
    member.isDeep = isDeep
    member.spreadBps = spreadBps
    member.sourceMs = sourceMs
    if (now - receivedMs > Math.min(terms.staleMs, LATE_MS)) member.standing = 'silent'
    else if (isTrade(newest) && now - newest.sourceMs > TRADE_HOLDS_MS) member.standing = 'old_trade'
    else if (now - sourceMs > LATE_MS) member.standing = 'late'
    else if (out.has(member.venue)) member.standing = 'out'
    else if (venue.conduct.isIn() || drifting.has(member.venue) || member.drift.isIn()) member.standing = 'quarantined'
    else member.standing = problem ?? 'kept'
  }

  function dropOutlier(member: MemberState): void {
    member.standing = 'outlier'
    const venue = venues.get(member.venue)!
    const newest = venue.markets.get(member.market)!.newest!
    if (!newest.wasOutlier) venue.count('outlier')
    newest.wasOutlier = true
  }

  /** A venue that drifts on half of its pairs, and on two at least, isn't believed about the others either. */
  function findDriftingVenues(): void {
    const drifts = new Map<string, number>()
    counts.clear()
    for (const { members } of pairs.values()) {
      for (const member of members) {
        const count = counts.get(member.venue) ?? { markets: 0, kept: 0, judged: 0, away: 0 }
        counts.set(member.venue, count)
        count.markets++
        if (!isJudged(member)) continue
        count.judged++
        if (member.standing === 'kept') count.kept++
        if (member.standing === 'outlier' || member.drift.isIn()) count.away++
        if (member.drift.isIn()) drifts.set(member.venue, (drifts.get(member.venue) ?? 0) + 1)
      }
    }
    drifting.clear()
    for (const [id, drifted] of drifts) if (drifted >= 2 && drifted * 2 >= counts.get(id)!.judged) drifting.add(id)
  }

  function priceOf(symbol: string): IndexPrice | Unavailable | undefined {
    const recipe = listing.recipes.get(symbol)
    if (!recipe || recipe.is === 'missing') return undefined
    const base = pairs.get(recipe.pair)!.result
    if (recipe.is === 'direct' || !isPrice(base)) return base
    const quoted = pairs.get(recipe.quotePair)!.result
    if (!isPrice(quoted)) return quoted
    return { price: cross(base.price, quoted.price), sourceMs: Math.min(base.sourceMs, quoted.sourceMs) }
  }

  return {
    listener,
    use,
    evaluate,
    priceOf,
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

type Fresh = MemberState & { price: FinePrice; sourceMs: Ms }

const memberKey = ({ venue, market, inverted }: Pick<MemberState, 'venue' | 'market' | 'inverted'>) =>
  `${venue} ${market} ${inverted}`

const floatPrice = ({ price }: MemberState): number | undefined => (price === undefined ? undefined : Number(price))

const oldest = (kept: readonly Fresh[]): Ms => Math.min(...kept.map(({ sourceMs }) => sourceMs))

/** Whether a venue's price is current, so that it can be compared with the median, counted in it or not. */
const isJudged = ({ standing }: MemberState): boolean =>
  standing === 'kept' || standing === 'outlier' || standing === 'quarantined' || standing === 'out'

function inLine(member: MemberState, price: FinePrice | undefined, bps: number): boolean | undefined {
  if (price === undefined || member.price === undefined) return undefined
  if (member.standing === 'kept') return true
  if (member.standing === 'outlier') return false
  return isWithin(member.price, price, bps)
}
