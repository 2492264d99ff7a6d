import type { Ms } from '#kernel/time.ts'
import { bestLevels } from './price-index/at-depth.ts'
import type { BookLevels } from './venue.ts'

/** What differs between exchanges. Every field is optional: ccxt's other exchanges work by the defaults. */
export interface VenueFacts {
  name?: string
  /** The methods of ccxt that subscribe; by default the first of `CHANNELS` that the exchange has. */
  channels?: readonly Channel[]
  /** Order books from a channel that ccxt doesn't read, in addition. */
  books?: Books
  /** How many levels of an order book to ask for, where ccxt lets one say so. */
  levels?: number
  /** Markets in one subscription. */
  chunk?: number
  /** Whether an unknown market in a subscription leaves the others of it alone. */
  rejectsAlone?: boolean
  /** Sent once after connecting: subscribes to heartbeats. */
  hello?: object
  /** Asks the exchange for a sign of life, if none came by itself. By default ccxt's ping, or that of WebSocket. */
  ping?: () => object | string
  /** Whether the exchange sends messages (a pong of WebSocket doesn't count) even if no price changes. */
  heartbeats?: boolean
  /** Reads the exchange's time where ccxt doesn't: from a price's or a whole message. */
  quoteTime?: (info: Record<string, unknown>, message: Record<string, unknown>) => Ms | undefined
  messageTime?: (message: Record<string, unknown>) => Ms | undefined
  /** Reads the number of a message; a gap means that messages were lost, and reconnects. */
  sequence?: (message: Record<string, unknown>) => number | undefined
  /** Sent with the request for the list of markets, to keep it short. */
  listing?: Record<string, string>
  /** Further options of ccxt. */
  options?: object
}

interface Books {
  /** Returns the subscriptions to these markets, by the exchange's own ids. */
  subscribe(ids: readonly string[]): object[]
  /** Reads a message; undefined if it carries no book. */
  read(message: Record<string, unknown>): BestPrices | 'one side' | undefined
}

interface BestPrices {
  /** The market, by the exchange's own id. */
  id: string
  bid: unknown
  ask: unknown
  levels: BookLevels
  venueMs: Ms | undefined
}

/** ccxt's methods, best first: trades bear the exchange's time everywhere. `many`: for several markets at once. */
export const CHANNELS = [
  { method: 'watchTradesForSymbols', many: true },
  { method: 'watchTrades', many: false },
  { method: 'watchBidsAsks', many: true },
  { method: 'watchOrderBookForSymbols', many: true },
  { method: 'watchTickers', many: true },
  { method: 'watchTicker', many: false },
] as const

type Channel = (typeof CHANNELS)[number]['method']

export const DEFAULT_VENUES = ['binance', 'kraken', 'coinbase', 'bitstamp']

export const VENUES: Readonly<Record<string, VenueFacts>> = {
  binance: {
    name: 'Binance',
    // Its books bear no time. The trades of the same connection say how old its messages are.
    channels: ['watchTradesForSymbols'],
    books: {
      // The best 20 levels, ten times a second: the changes that ccxt reads need a request for each market to begin with.
      subscribe: (ids) => [
        { method: 'SUBSCRIBE', params: ids.map((id) => `${id.toLowerCase()}${BINANCE_BOOK}`), id: 1_000_001 },
      ],
      read({ stream, data }) {
        if (typeof stream !== 'string' || !stream.endsWith(BINANCE_BOOK)) return undefined
        const { bids, asks } = (data ?? {}) as Record<string, unknown>
        const id = stream.slice(0, -BINANCE_BOOK.length).toUpperCase()
        return bookOf(id, bids, asks, undefined)
      },
    },
    // Books don't name their market; with this, each message names its stream.
    hello: { method: 'SET_PROPERTY', params: ['combined', true], id: 1_000_002 },
    // Any reply will do as a sign of life.
    ping: () => ({ method: 'LIST_SUBSCRIPTIONS', id: 1_000_000 }),
    heartbeats: true,
    messageTime: ({ E, data }) => numberOf(E) ?? numberOf((data as { E?: unknown } | undefined)?.E),
    // Half of its markets are closed permanently.
    listing: { symbolStatus: 'TRADING', showPermissionSets: 'false' },
    options: {
      fetchMarkets: { types: ['spot'] },
      // One connection, the most streams that Binance allows on it. ccxt would open one for each call.
      streamLimits: { spot: 1 },
      subscriptionLimitByStream: { spot: 1_024 },
    },
  },
  kraken: {
    name: 'Kraken',
    channels: ['watchOrderBookForSymbols'],
    levels: 25,
    rejectsAlone: true,
    heartbeats: true,
    quoteTime: ({ timestamp }, { data }) =>
      isoTime(timestamp ?? (Array.isArray(data) ? data[0]?.timestamp : undefined)),
  },
  coinbase: {
    name: 'Coinbase',
    // Its ticker changes with trades only, so best bid and ask are those of the whole order book.
    channels: ['watchTradesForSymbols', 'watchOrderBookForSymbols'],
    hello: { type: 'subscribe', channel: 'heartbeats' },
    heartbeats: true,
    messageTime: ({ timestamp }) => isoTime(timestamp),
    sequence: ({ sequence_num }) => numberOf(sequence_num),
  },
  bitstamp: {
    name: 'Bitstamp',
    rejectsAlone: true,
    books: {
      // The best 100 levels with every change. What ccxt reads are changes to a book that it requests for each market.
      subscribe: (ids) => ids.map((id) => ({ event: 'bts:subscribe', data: { channel: `${BITSTAMP_BOOK}${id}` } })),
      read({ channel, event, data }) {
        if (event !== 'data' || typeof channel !== 'string' || !channel.startsWith(BITSTAMP_BOOK)) return undefined
        const { bids, asks, microtimestamp } = (data ?? {}) as Record<string, unknown>
        const venueMs = Math.floor(Number(microtimestamp) / 1_000)
        const id = channel.slice(BITSTAMP_BOOK.length)
        return bookOf(id, bids, asks, Number.isNaN(venueMs) ? undefined : venueMs)
      },
    },
    ping: () => ({ event: 'bts:heartbeat' }),
    heartbeats: true,
    // ccxt would answer from a list that is up to a second old.
    options: { fetchMarkets: { expires: -1 } },
  },
  okx: { name: 'OKX', channels: ['watchBidsAsks'], ping: () => 'ping', heartbeats: true },
  bybit: {
    name: 'Bybit',
    books: {
      // ccxt would turn the prices of a book into floats.
      subscribe: (ids) => ids.map((id) => ({ op: 'subscribe', args: [`${BYBIT_BOOK}${id}`] })),
      read({ topic, data, ts }) {
        if (typeof topic !== 'string' || !topic.startsWith(BYBIT_BOOK)) return undefined
        const { b, a } = (data ?? {}) as Record<string, unknown>
        return bookOf(topic.slice(BYBIT_BOOK.length), b, a, numberOf(ts), 'top')
      },
    },
    ping: () => ({ op: 'ping' }),
    heartbeats: true,
  },
}

const BINANCE_BOOK = '@depth20@100ms'
const BITSTAMP_BOOK = 'order_book_'
const BYBIT_BOOK = 'orderbook.1.'
const isEmpty = (side: unknown): boolean => Array.isArray(side) && side.length === 0
const bestOf = (side: unknown): unknown => (Array.isArray(side) && Array.isArray(side[0]) ? side[0][0] : undefined)

function bookOf(
  id: string,
  bids: unknown,
  asks: unknown,
  venueMs: Ms | undefined,
  kind?: 'top',
): BestPrices | 'one side' {
  if (isEmpty(bids) || isEmpty(asks)) return 'one side'
  const levels = { bids: levelsOf(bids), asks: levelsOf(asks), isTop: kind === 'top' }
  return { id, bid: bestOf(bids), ask: bestOf(asks), levels, venueMs }
}

const levelsOf = (side: unknown) => (Array.isArray(side) ? bestLevels(side) : [])
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

function isoTime(value: unknown): Ms | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
