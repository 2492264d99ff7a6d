import type { Ms } from '#kernel/time.ts'
import type { Clock } from '#server/platform/process/clock.ts'
import type { StreamListener } from '../keep-connected.ts'
import type { BookLevels, VenueQuote } from '../venue.ts'
import type { VenueFacts } from '../venue-table.ts'
import type { Ccxt, CcxtClient, CcxtExchange } from './load-ccxt.ts'
import { BadLevel, bestOf, type CcxtBook } from './order-book.ts'

export interface CcxtStreamListener extends StreamListener {
  /** The exchange rejected a subscription. */
  refused(why: string): void
}

export interface StreamTerms {
  markets: readonly string[]
  /** Markets in one subscription. */
  chunk: number
  /** Gives up a connection that was silent for so long. */
  silenceMs: number
  /** A gap in the numbers of messages reconnects, but not before that age. */
  stableMs: number
}

/** A number whose digits would fill memory once ccxt writes them out. */
const HUGE_NUMBER = /[:,[]\s*"?-?[\d.]+e\+?\d{3,}"?\s*[,\]}]/i
const KEEPALIVE = /^(ping|pong)$/i

/** What the connections of a stream share. */
export interface StreamState {
  ccxt: Ccxt
  exchange: CcxtExchange
  /** ccxt's own handler of messages. */
  handleMessage: CcxtExchange['handleMessage']
  facts: VenueFacts
  terms: StreamTerms
  clock: Clock
  listener: CcxtStreamListener
  watched: ReadonlySet<string>
  /** For exchanges whose books are read here. */
  marketById: ReadonlyMap<string, string>
  /** The newest message of each connection, where they are numbered. */
  sequences: Map<CcxtClient, number>
  /** What ccxt's handlers have handed over since the last message. */
  results: Set<unknown>
  /** By `performance.now()`. */
  openedAt: number
  /** When the exchange last proved that it's there, by `performance.now()`. */
  heardAt: number
  closed: boolean
}

/** Hooks into the connection of ccxt, to see its messages, answers and errors. */
export function interceptMessages(stream: StreamState, client: CcxtClient): void {
  const { ccxt, facts, clock, listener, results } = stream
  const { onMessage, onPong, resolve, reject, send } = client
  client.onMessage = (event) => {
    if (stream.closed) return
    if (typeof event.data === 'string' && HUGE_NUMBER.test(event.data)) listener.unreadable(clock.now())
    else onMessage.call(client, event)
  }
  client.onPong = () => {
    if (!facts.heartbeats) stream.heardAt = performance.now()
    onPong.call(client)
  }
  client.resolve = (result, hash) => {
    results.add(result)
    return resolve.call(client, result, hash)
  }
  client.reject = (error, hash) => {
    // With a hash: the exchange's answer to one request. Without: ccxt gives up the connection.
    if (!stream.closed && hash !== undefined && error instanceof ccxt.ExchangeError) listener.refused(error.message)
    return reject.call(client, error, hash)
  }
  client.send = (message) => {
    const sent = send.call(client, message)
    // Not every caller within ccxt handles it; a dead connection reports itself.
    sent.catch(() => undefined)
    return sent
  }
}

/** Reads a message here or by ccxt's handler, and reports it. Returns why the stream is lost, if it is. */
export function takeMessage(stream: StreamState, client: CcxtClient, message: unknown): string | undefined {
  const { ccxt, facts, clock, listener, marketById, results } = stream
  const receivedMs = clock.now()
  if (typeof message !== 'object' && !KEEPALIVE.test(String(message))) {
    listener.unreadable(receivedMs)
    return undefined
  }
  results.clear()
  const book = isRecord(message) ? facts.books?.read(message) : undefined
  if (book === 'one side') {
    // No price, and no error either: thin markets send it often.
    stream.heardAt = performance.now()
    report(stream, [], message, receivedMs)
    return undefined
  }
  if (book) {
    stream.heardAt = performance.now()
    report(
      stream,
      [{ ...book, symbol: marketById.get(book.id) ?? book.id, timestamp: book.venueMs }],
      message,
      receivedMs,
    )
    return undefined
  }
  try {
    stream.handleMessage.call(stream.exchange, client, message)
  } catch (error) {
    if (error instanceof ccxt.ExchangeError && !(error instanceof ccxt.BadSymbol)) listener.refused(textOf(error))
    else listener.unreadable(receivedMs)
    // Half of its changes are in the book, so the book is no longer reliable.
    return error instanceof BadLevel ? 'a change to an order book was unreadable' : undefined
  }
  stream.heardAt = performance.now()
  // Binance's class reports a ticker twice: alone, and in a list of one.
  report(stream, new Set(itemsOf(results)), message, receivedMs)
  return hasGap(stream, client, message) ? 'messages were lost' : undefined
}

/** Reports the prices of a message. */
function report(
  { facts, listener, watched }: StreamState,
  items: Iterable<Item>,
  message: unknown,
  receivedMs: Ms,
): void {
  let newestMs: Ms | undefined
  for (const item of items) {
    const venueMs = numberOf(item.timestamp) ?? facts.quoteTime?.(item.info ?? {}, isRecord(message) ? message : {})
    const unchecked = pricesOf(item)
    if (!unchecked) listener.unreadable(receivedMs)
    else if (watched.has(item.symbol)) {
      listener.quote({ market: item.symbol, unchecked, levels: levelsOf(item), venueMs, receivedMs })
    }
    if (venueMs !== undefined) newestMs = Math.max(newestMs ?? venueMs, venueMs)
  }
  if (isRecord(message)) newestMs ??= facts.messageTime?.(message)
  listener.alive(newestMs, receivedMs)
}

function hasGap({ facts, terms, sequences, openedAt }: StreamState, client: CcxtClient, message: unknown): boolean {
  const number = isRecord(message) ? facts.sequence?.(message) : undefined
  if (number === undefined) return false
  const last = sequences.get(client)
  sequences.set(client, number)
  return last !== undefined && number !== last + 1 && performance.now() - openedAt >= terms.stableMs
}

/** A trade or ticker of ccxt. */
interface Item {
  symbol: string
  timestamp?: unknown
  info?: Record<string, unknown>
  price?: unknown
  bid?: unknown
  ask?: unknown
  bidVolume?: unknown
  askVolume?: unknown
  levels?: BookLevels
  last?: unknown
}

/** Returns what is new in the results of one message: a book, a ticker, several of them, or a cache with new trades at its end. */
function* itemsOf(results: ReadonlySet<unknown>): Iterable<Item> {
  for (const result of results) {
    if (!isRecord(result)) continue
    if ('bids' in result) yield* bestOf(result as unknown as CcxtBook)
    else if ('getLimit' in result) yield* newest(result as unknown as TradeCache)
    else if (isItem(result)) yield result
    else yield* Object.values(result).filter(isItem)
  }
}

interface TradeCache extends Array<unknown> {
  /** Returns how many trades were added since the last call. */
  getLimit(symbol: undefined, limit: undefined): number
}

function* newest(cache: TradeCache): Iterable<Item> {
  const count = cache.getLimit(undefined, undefined)
  for (let at = Math.max(0, cache.length - count); at < cache.length; at++) {
    const trade = cache[at]
    if (isItem(trade)) yield trade
  }
}

function pricesOf({ price, bid, ask, last }: Item): VenueQuote['unchecked'] | undefined {
  if (typeof bid === 'string' && typeof ask === 'string') return { bid, ask }
  const one = price ?? last
  return typeof one === 'string' ? { price: one } : undefined
}

/** Returns the sizes of a book, or those of a ticker's best bid and ask. */
function levelsOf({ levels, bid, ask, bidVolume, askVolume }: Item): BookLevels | undefined {
  if (levels || typeof bid !== 'string' || typeof ask !== 'string') return levels
  if (typeof bidVolume !== 'string' || typeof askVolume !== 'string') return undefined
  return { bids: [[bid, Number(bidVolume)]], asks: [[ask, Number(askVolume)]], isTop: true }
}

const isItem = (value: unknown): value is Item => isRecord(value) && typeof value.symbol === 'string'
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
