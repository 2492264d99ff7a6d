import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type IndexedPair, quoteOf } from '../listing.ts'
import type { IndexTerms } from '../terms.ts'
import { isTrade, type VenueState } from '../venue-state.ts'
import { type Agreement, agree } from './agree.ts'
import { type FinePrice, inverse, isWithin } from './fine-price.ts'
import type { LeadLag } from './lead-lag.ts'
import { marketPrice } from './market-price.ts'
import type { Drift } from './quarantine.ts'
import type { createWorth } from './worth.ts'

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

/** The venues that an index is made of, as far as all pairs share it. */
export interface Venues {
  states: ReadonlyMap<string, VenueState>
  /** Taken out by an operator. */
  out: ReadonlySet<string>
  /** In quarantine because they drift on half of their pairs. */
  drifting: ReadonlySet<string>
  /** What sizes are worth in dollars. */
  worth: Pick<ReturnType<typeof createWorth>, 'usd'>
}

export const isPrice = (result: IndexPrice | Unavailable | undefined): result is IndexPrice =>
  typeof result === 'object'

/** Judges the quotes of a pair, and its price. */
export function evaluatePair(venues: Venues, state: PairState, now: Ms): void {
  const { terms } = state.pair
  const fresh: MemberState[] = []
  for (const [at, member] of state.members.entries()) {
    look(venues, member, state.leadLag.lagMs(at), terms, now)
    if (member.standing === 'kept') fresh.push(member)
  }
  state.leadLag.sample(state.members.map(floatPrice), now)
  const found: Agreement<Fresh> = agree(fresh as Fresh[], terms)
  for (const member of found.outliers) dropOutlier(venues, member)
  state.result = found.price === undefined ? found.why : { price: found.price, sourceMs: oldest(found.kept) }
  // Nobody is blamed where nobody can be: without a median, a distance from it means nothing.
  for (const member of state.members) {
    member.drift.judge(isJudged(member) ? inLine(member, found.price, terms.largestDeviationBps) : undefined, now)
  }
}

/** Reads a venue's newest quote of a pair. Its standing is `kept` unless something speaks against it. */
function look(venues: Venues, member: MemberState, lagMs: Ms, terms: IndexTerms, now: Ms): void {
  const { venue, market } = stateOf(venues, member)
  const { newest } = market
  const usd = venues.worth.usd(quoteOf(member.market))
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
  else if (venues.out.has(member.venue)) member.standing = 'out'
  else if (venue.conduct.isIn() || venues.drifting.has(member.venue) || member.drift.isIn())
    member.standing = 'quarantined'
  else member.standing = problem ?? 'kept'
}

function dropOutlier(venues: Venues, member: MemberState): void {
  member.standing = 'outlier'
  const { venue, market } = stateOf(venues, member)
  const newest = must(market.newest)
  if (!newest.wasOutlier) venue.count('outlier')
  newest.wasOutlier = true
}

function stateOf(venues: Venues, member: MemberState) {
  const venue = must(venues.states.get(member.venue))
  return { venue, market: must(venue.markets.get(member.market)) }
}

type Fresh = MemberState & { price: FinePrice; sourceMs: Ms }

const floatPrice = ({ price }: MemberState): number | undefined => (price === undefined ? undefined : Number(price))

const oldest = (kept: readonly Fresh[]): Ms => Math.min(...kept.map(({ sourceMs }) => sourceMs))

/** Whether a venue's price is current, so that it can be compared with the median, counted in it or not. */
export const isJudged = ({ standing }: MemberState): boolean =>
  standing === 'kept' || standing === 'outlier' || standing === 'quarantined' || standing === 'out'

function inLine(member: MemberState, price: FinePrice | undefined, bps: number): boolean | undefined {
  if (price === undefined || member.price === undefined) return undefined
  if (member.standing === 'kept') return true
  if (member.standing === 'outlier') return false
  return isWithin(member.price, price, bps)
}
