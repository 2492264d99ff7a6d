import type { Ms } from '#kernel/time.ts'
import type { Clock } from '#server/platform/process/clock.ts'
import type { Stream, StreamListener } from '../keep-connected.ts'
import { BadLevel, bestOf, type CcxtBook } from '../text-book.ts'
import type { BookLevels, VenueQuote } from '../venue.ts'
import { CHANNELS, type VenueFacts } from '../venue-table.ts'
import type { Ccxt, CcxtClient, CcxtExchange } from './load-ccxt.ts'

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
/** Exchanges that answer at once are asked every second, if nothing else proves that their last prices still hold. */
const ASK_EVERY_MS = 1_000
const KEEPALIVE = /^(ping|pong)$/i

/**
 * Subscribes on a new exchange object and reports what arrives, until the first failure. It reads what ccxt's handlers
 * hand over, message by message, rather than awaiting `watchTrades…`: such a promise rejects with any bad frame of any
 * market, and where it covers several markets it holds back the news of all but the first until their next message.
 */
export function openStream(
  ccxt: Ccxt,
  exchange: CcxtExchange,
  facts: VenueFacts,
  terms: StreamTerms,
  clock: Clock,
  listener: CcxtStreamListener,
): Stream {
  const watched = new Set(terms.markets)
  /** For exchanges whose books are read here. */
  const marketById = new Map(facts.books ? terms.markets.map((market) => [exchange.market(market).id, market]) : [])
  const clients = new Set<CcxtClient>()
  const sequences = new Map<CcxtClient, number>()
  const results = new Set<unknown>()
  let open = false
  let closed = false
  let heardAt = performance.now()
  const openedAt = heardAt

  const askAfterMs = Math.min(facts.ping ? ASK_EVERY_MS - 100 : Number.POSITIVE_INFINITY, terms.silenceMs / 3)
  const watchdog = setInterval(
    () => {
      const silentMs = performance.now() - heardAt
      if (silentMs >= terms.silenceMs) lose(`no message for ${Math.round(silentMs)} ms`)
      else if (silentMs >= askAfterMs) for (const client of clients) askForLife(client)
    },
    Math.min(ASK_EVERY_MS, terms.silenceMs / 4),
  )

  function close(): void {
    if (closed) return
    closed = true
    clearInterval(watchdog)
    for (const client of clients) client.connection?.terminate()
  }

  function lose(why: string): void {
    if (closed) return
    close()
    listener.lost(why)
  }

  function askForLife(client: CcxtClient): void {
    if (client.connection?.readyState !== 1) return
    const message = facts.ping?.() ?? exchange.ping?.(client)
    if (message) void client.send(message)
    else client.connection.ping()
  }

  function attach(client: CcxtClient): void {
    clients.add(client)
    const { onMessage, onPong, resolve, reject, send } = client
    client.onMessage = (event) => {
      if (closed) return
      if (typeof event.data === 'string' && HUGE_NUMBER.test(event.data)) listener.unreadable(clock.now())
      else onMessage.call(client, event)
    }
    client.onPong = () => {
      if (!facts.heartbeats) heardAt = performance.now()
      onPong.call(client)
    }
    client.resolve = (result, hash) => {
      results.add(result)
      return resolve.call(client, result, hash)
    }
    client.reject = (error, hash) => {
      // With a hash: the exchange's answer to one request. Without: ccxt gives up the connection.
      if (!closed && hash !== undefined && error instanceof ccxt.ExchangeError) listener.refused(error.message)
      return reject.call(client, error, hash)
    }
    client.send = (message) => {
      const sent = send.call(client, message)
      // Not every caller within ccxt handles it; a dead connection reports itself.
      sent.catch(() => undefined)
      return sent
    }
  }

  const { client: clientFor, handleMessage, onConnected, onError, onClose } = exchange
  exchange.client = (url) => {
    const client = clientFor.call(exchange, url)
    if (!clients.has(client)) attach(client)
    return client
  }
  exchange.onConnected = (client) => {
    onConnected.call(exchange, client)
    if (closed) return
    heardAt = performance.now()
    if (facts.hello) void client.send(facts.hello)
    for (const message of facts.books?.subscribe([...marketById.keys()]) ?? []) void client.send(message)
    if (open) return
    open = true
    listener.connected()
  }
  exchange.onError = (client, error) => {
    onError.call(exchange, client, error)
    lose(textOf(error))
  }
  exchange.onClose = (client, event) => {
    onClose.call(exchange, client, event)
    lose('closed by the exchange')
  }
  exchange.handleMessage = (client, message) => {
    if (closed) return
    const receivedMs = clock.now()
    if (typeof message !== 'object' && !KEEPALIVE.test(String(message))) {
      listener.unreadable(receivedMs)
      return
    }
    results.clear()
    const book = isRecord(message) ? facts.books?.read(message) : undefined
    if (book === 'one side') {
      // No price, and no error either: thin markets send it often.
      heardAt = performance.now()
      report([], message, receivedMs)
      return
    }
    if (book) {
      heardAt = performance.now()
      report([{ ...book, symbol: marketById.get(book.id) ?? book.id, timestamp: book.exchangeMs }], message, receivedMs)
      return
    }
    try {
      handleMessage.call(exchange, client, message)
    } catch (error) {
      if (error instanceof ccxt.ExchangeError && !(error instanceof ccxt.BadSymbol)) listener.refused(textOf(error))
      else listener.unreadable(receivedMs)
      // Half of its changes are in the book, so the book is no longer reliable.
      if (error instanceof BadLevel) lose('a change to an order book was unreadable')
      return
    }
    heardAt = performance.now()
    // Binance's class reports a ticker twice: alone, and in a list of one.
    report(new Set(itemsOf(results)), message, receivedMs)
    if (hasGap(client, message)) lose('messages were lost')
  }

  function report(items: Iterable<Item>, message: unknown, receivedMs: Ms): void {
    let newestMs: Ms | undefined
    for (const item of items) {
      const exchangeMs =
        numberOf(item.timestamp) ?? facts.quoteTime?.(item.info ?? {}, isRecord(message) ? message : {})
      const unchecked = pricesOf(item)
      if (!unchecked) listener.unreadable(receivedMs)
      else if (watched.has(item.symbol)) {
        listener.quote({ market: item.symbol, unchecked, levels: levelsOf(item), exchangeMs, receivedMs })
      }
      if (exchangeMs !== undefined) newestMs = Math.max(newestMs ?? exchangeMs, exchangeMs)
    }
    if (isRecord(message)) newestMs ??= facts.messageTime?.(message)
    listener.alive(newestMs, receivedMs)
  }

  function hasGap(client: CcxtClient, message: unknown): boolean {
    const number = isRecord(message) ? facts.sequence?.(message) : undefined
    if (number === undefined) return false
    const last = sequences.get(client)
    sequences.set(client, number)
    return last !== undefined && number !== last + 1 && performance.now() - openedAt >= terms.stableMs
  }

  subscribe(exchange, facts, terms, (error) => {
    if (!closed) listener.refused(textOf(error))
  })
  return { close }
}

/** Subscribes to all markets. The results of the promises are read elsewhere; only a rejection matters here. */
function subscribe(
  exchange: CcxtExchange,
  { channels: chosen, levels }: VenueFacts,
  { markets, chunk }: StreamTerms,
  refused: (error: unknown) => void,
): void {
  const usable = CHANNELS.filter(({ method }) => (chosen ? chosen.includes(method) : Boolean(exchange.has[method])))
  const channels = chosen ? usable : usable.slice(0, 1)
  if (channels.length === 0) queueMicrotask(() => refused(new Error('this exchange streams no prices')))
  for (const { method, many } of channels) {
    const watch = (what: string | string[]) => {
      const call = (exchange as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[method]!
      const limit = method === 'watchOrderBookForSymbols' ? levels : undefined
      call.call(exchange, what, ...(limit === undefined ? [] : [limit])).catch(refused)
    }
    if (!many) for (const market of markets) watch(market)
    else for (let from = 0; from < markets.length; from += chunk) watch(markets.slice(from, from + chunk))
  }
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
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
