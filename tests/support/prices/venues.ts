import type { Ms } from '#kernel/time.ts'
import type { Market, Venue } from '#server/venues/index.ts'
import type { Level, VenueListener } from '#server/venues/venue.ts'

/** An in-memory venue that a test controls. */
export interface TestVenue extends Venue {
  /** The markets it is asked to watch. */
  watched: readonly string[]
  listener: VenueListener | undefined
  /** While set, reads of its list of markets fail. */
  isDown: boolean
  list(...markets: string[]): void
  /** Sends a trade, by default stamped with the time of its receipt. */
  trade(market: string, price: string, receivedMs: Ms, venueMs?: Ms): void
  /** Sends a best bid and ask; with `usd`, each level of a book of three is worth that much of the quote currency. */
  book(market: string, bid: string, ask: string, receivedMs: Ms, usd?: number): void
  /** Sends a heartbeat. */
  beat(receivedMs: Ms, venueMs?: Ms): void
}

export function testVenue(id: string, ...markets: string[]): TestVenue {
  let listed: Market[] = []
  const venue: TestVenue = {
    id,
    name: id[0]!.toUpperCase() + id.slice(1),
    watched: [],
    listener: undefined,
    isDown: false,
    list(...names) {
      listed = names.map((name) => {
        const [base = '', quote = ''] = name.split('/')
        return { name, base, quote }
      })
    },
    async markets() {
      if (venue.isDown) throw new Error(`${id} is down`)
      return listed
    },
    watch(wanted, listener) {
      venue.watched = wanted
      venue.listener = listener
    },
    minutes: async () => [],
    stop: async () => undefined,
    trade(market, price, receivedMs, venueMs = receivedMs) {
      venue.listener?.quote(id, { market, unchecked: { price }, venueMs, receivedMs })
    },
    book(market, bid, ask, receivedMs, usd) {
      const side = (best: string, away: number): Level[] =>
        [0, 1, 2].map((at) => {
          const price = Number(best) * (1 + (away * at) / 10_000)
          return [at === 0 ? best : price.toFixed(8), usd! / price]
        })
      const levels = usd === undefined ? undefined : { bids: side(bid, -1), asks: side(ask, 1), isTop: false }
      venue.listener?.quote(id, { market, unchecked: { bid, ask }, levels, venueMs: receivedMs, receivedMs })
    },
    beat(receivedMs, venueMs = receivedMs) {
      venue.listener?.alive(id, venueMs, receivedMs)
    },
  }
  venue.list(...markets)
  return venue
}
