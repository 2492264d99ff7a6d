import type { VenueListener, VenueQuote } from '../venue.ts'
import { isTrade, type VenueState } from '../venue-state.ts'
import { checkQuote, checkTime } from './check-quote.ts'
import { keepCovered } from './market-price.ts'

/** Returns what receives everything that venues report, and keeps the newest of it. */
export function venueListener(venues: ReadonlyMap<string, VenueState>): VenueListener {
  return {
    quote(id, sent) {
      const venue = venues.get(id)
      if (venue) takeQuote(venue, sent)
    },
    alive(id, venueMs, receivedMs) {
      const venue = venues.get(id)
      // The message has just delivered a quote, which proved the same.
      if (venue?.aliveReceivedMs === receivedMs && venue.aliveVenueMs === venueMs) return
      // A time that can't be right proves nothing.
      if (!venue || checkTime(venueMs, receivedMs)) return
      venue.sawAlive(venue.clock.sourceTime(venueMs, receivedMs), receivedMs)
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
}

function takeQuote(venue: VenueState, sent: VenueQuote): void {
  const { receivedMs, venueMs } = sent
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
  const sourceMs = venue.clock.sourceTime(venueMs, receivedMs)
  venue.sawAlive(sourceMs, receivedMs)
  venue.aliveVenueMs = venueMs
  // A book says more than a trade, and holds while its connection does.
  if (before && 'price' in sent.unchecked && !isTrade(before) && before.connection === venue.connection) return
  if (before?.venueMs !== undefined && venueMs !== undefined && venueMs < before.venueMs) {
    venue.reject('out_of_order', receivedMs)
    return
  }
  market.newest = {
    unchecked: sent.unchecked,
    read: undefined,
    levels: sent.levels,
    atDepth: undefined,
    venueMs,
    sourceMs,
    receivedMs,
    connection: venue.connection,
    wasOutlier: false,
  }
  keepCovered(market, market.newest)
}
