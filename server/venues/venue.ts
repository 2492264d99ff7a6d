import type { Ms } from '#kernel/time.ts'

/** A market as a venue lists it, under the name that all venues share: `BTC/USDT`. */
export interface Market {
  name: string
  base: string
  quote: string
}

/** A level of an order book: its price as text, exactly as the venue sent it, and its size in the base currency. */
export type Level = readonly [price: string, size: number]

/** The best levels of both sides of an order book, best first. */
export interface BookLevels {
  bids: readonly Level[]
  asks: readonly Level[]
  /** The venue sends only the best bid and ask, so nobody knows what lies behind them. */
  isTop: boolean
}

/** A venue's message about one market. Untrusted: nothing has been checked. */
export interface VenueQuote {
  market: string
  /** Decimal text exactly as the venue sent it: the price of a trade, or the best bid and ask. */
  unchecked: { price: string } | { bid: string; ask: string }
  /** The sizes behind the best bid and ask; undefined for a trade, and if the venue gives none. */
  levels?: BookLevels | undefined
  /** The venue's own time, uncorrected; undefined if the message carries none. */
  venueMs: Ms | undefined
  /** When it arrived, in tape time. */
  receivedMs: Ms
}

/** What a venue's connection reports. Called at any time; implementations must not throw and must return at once. */
export interface VenueListener {
  quote(venue: string, quote: VenueQuote): void
  /** Any readable message, heartbeats included: the connection is alive and would have sent news of its markets. */
  alive(venue: string, venueMs: Ms | undefined, receivedMs: Ms): void
  /** A message that could not be read. */
  unreadable(venue: string, receivedMs: Ms): void
  connected(venue: string, atMs: Ms): void
  /** Also after an attempt to connect that failed. */
  disconnected(venue: string, atMs: Ms, why: string): void
}

/** A venue's minute: its start, then open, high, low and close as decimal text. Unchecked. */
export type VenueMinute = [startMs: Ms, open: string, high: string, low: string, close: string]

/** A trading venue that prices are taken from. */
export interface Venue {
  /** As in the setting `FEED`: `kraken`. */
  id: string
  /** For people: `Kraken`. */
  name: string
  /** Reads which markets can be traded there now. Rejects if the venue can't be reached. */
  markets(): Promise<Market[]>
  /**
   * Keeps a subscription to exactly these markets, across drops (reconnecting with jitter), until the next call.
   * Reports to `listener`.
   */
  watch(markets: readonly string[], listener: VenueListener): void
  /** Reads at most `limit` one-minute candles from `fromMs` on, oldest first; none if the venue keeps none. */
  minutes(market: string, fromMs: Ms, limit: number): Promise<VenueMinute[]>
  stop(): Promise<void>
}
