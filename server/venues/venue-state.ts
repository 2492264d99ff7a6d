import type { Ms } from '#kernel/time.ts'
import { JUNK, type ReadQuote, type Rejection, readQuote } from './price-index/check-quote.ts'
import type { FinePrice } from './price-index/fine-price.ts'
import { type Conduct, createConduct } from './price-index/quarantine.ts'
import { createRate, type Rate } from './price-index/rate.ts'
import type { BookLevels, Level, VenueQuote } from './venue.ts'
import { type VenueClock, venueClock } from './venue-clock.ts'

/** A venue without good messages for this long proves nothing about its conduct. */
const SILENT_MS = 10_000

/** A venue's price of a market at a depth. */
export interface MarketPrice {
  /** Undefined if the market isn't that deep. */
  price: FinePrice | undefined
  /** Sizes that the venue sent prove the depth. */
  isDeep: boolean
  /** How far bid and ask are apart at the depth, for people and limits; undefined for a trade. */
  spreadBps: number | undefined
  /** Why the price doesn't count: the market isn't that deep, or its bid and ask are too far apart there. */
  problem: 'thin' | 'wide' | undefined
}

/** A venue's newest checked quote of a market. */
export interface NewestQuote {
  unchecked: VenueQuote['unchecked']
  /** Its exact prices, once they were needed. */
  read: ReadQuote | undefined
  levels: BookLevels | undefined
  /** Its price at a depth, once that was needed. */
  atDepth: { depth: number; largestSpreadBps: number; found: MarketPrice } | undefined
  venueMs: Ms | undefined
  sourceMs: Ms
  receivedMs: Ms
  /** Which of the venue's connections it came on: after a drop, nothing proves that it still holds. */
  connection: number
  wasOutlier: boolean
}

/** Returns the exact prices of a quote that was checked. */
export const pricesOf = (quote: NewestQuote): ReadQuote => (quote.read ??= readQuote(quote.unchecked) as ReadQuote)

export const isTrade = (quote: NewestQuote): boolean => 'price' in quote.unchecked

/** A best bid or ask that was large enough. */
interface Covered {
  level: Level
  receivedMs: Ms
}

export interface WatchedMarket {
  newest: NewestQuote | undefined
  /** The depth that prices are taken at, in its quote currency, as last evaluated; undefined: nobody knows. */
  depth: number | undefined
  /** The newest best bid and ask that reach the depth, of a venue that sends no others. */
  lastBid: Covered | undefined
  lastAsk: Covered | undefined
}

/** What is known about a venue: its connection, clock, conduct and newest quotes. */
export interface VenueState {
  markets: ReadonlyMap<string, WatchedMarket>
  clock: VenueClock
  conduct: Conduct
  messages: Rate
  rejects: Rate
  /** Number of quotes that were not used, by reason. */
  dropped: ReadonlyMap<Rejection | 'outlier', number>
  /** Ascends with each connection. */
  connection: number
  connectedSince: Ms | undefined
  /** Why the last connection ended. */
  lastDrop: { atMs: Ms; why: string } | undefined
  /** The newest time at which the venue would have sent news, and when that was received; 0: never. */
  aliveSourceMs: Ms
  aliveReceivedMs: Ms
  /** The venue's own time in its newest quote. */
  aliveVenueMs: Ms | undefined
  /** Sets the watched markets. */
  watch(markets: Iterable<string>): void
  sawAlive(sourceMs: Ms, receivedMs: Ms): void
  reject(reason: Rejection, receivedMs: Ms): void
  count(reason: Rejection | 'outlier'): void
  connected(atMs: Ms): void
  disconnected(atMs: Ms, why: string): void
  judge(now: Ms): void
}

export function createVenueState(): VenueState {
  const dropped = new Map<Rejection | 'outlier', number>()
  let markets = new Map<string, WatchedMarket>()
  const state: VenueState = {
    get markets() {
      return markets
    },
    clock: venueClock(),
    conduct: createConduct(),
    messages: createRate(),
    rejects: createRate(),
    dropped,
    connection: 0,
    connectedSince: undefined,
    lastDrop: undefined,
    aliveSourceMs: 0,
    aliveReceivedMs: 0,
    aliveVenueMs: undefined,
    watch(wanted) {
      const before = markets
      const unknown = { newest: undefined, depth: undefined, lastBid: undefined, lastAsk: undefined }
      markets = new Map([...wanted].map((name) => [name, before.get(name) ?? { ...unknown }]))
    },
    sawAlive(sourceMs, receivedMs) {
      state.aliveSourceMs = Math.max(state.aliveSourceMs, sourceMs)
      state.aliveReceivedMs = Math.max(state.aliveReceivedMs, receivedMs)
    },
    reject(reason, receivedMs) {
      state.count(reason)
      state.rejects.count(receivedMs)
      if (JUNK.has(reason)) state.conduct.junk(receivedMs)
    },
    count(reason) {
      dropped.set(reason, (dropped.get(reason) ?? 0) + 1)
    },
    connected(atMs) {
      state.connection++
      state.connectedSince = atMs
    },
    disconnected(atMs, why) {
      state.connection++
      state.connectedSince = undefined
      state.lastDrop = { atMs, why }
    },
    judge(now) {
      state.conduct.judge(state.connectedSince !== undefined && now - state.aliveReceivedMs <= SILENT_MS, now)
    },
  }
  return state
}
