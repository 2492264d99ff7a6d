import { must } from '#kernel/must.ts'
import type { Clock } from '#server/platform/process/clock.ts'
import type { Stream } from '../keep-connected.ts'
import { CHANNELS, type VenueFacts } from '../venue-table.ts'
import { watchSilence } from '../watch-silence.ts'
import type { Ccxt, CcxtClient, CcxtExchange } from './load-ccxt.ts'
import {
  type CcxtStreamListener,
  interceptMessages,
  type StreamState,
  type StreamTerms,
  takeMessage,
  textOf,
} from './read-messages.ts'

/** Exchanges that answer at once are asked every second, if nothing else proves that their last prices still hold. */
const ASK_EVERY_MS = 1_000

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
  const clients = new Set<CcxtClient>()
  const { client: clientFor, handleMessage, onConnected, onError, onClose } = exchange
  const openedAt = performance.now()
  const stream: StreamState = {
    ...{ ccxt, exchange, handleMessage, facts, terms, clock, listener, openedAt },
    watched: new Set(terms.markets),
    marketById: new Map(facts.books ? terms.markets.map((market) => [exchange.market(market).id, market]) : []),
    sequences: new Map(),
    results: new Set(),
    heardAt: openedAt,
    closed: false,
  }
  let open = false

  const askAfterMs = Math.min(facts.ping ? ASK_EVERY_MS - 100 : Number.POSITIVE_INFINITY, terms.silenceMs / 3)
  const endWatch = watchSilence(
    Math.min(ASK_EVERY_MS, terms.silenceMs / 4),
    () => stream.heardAt,
    (silentMs) => {
      if (silentMs >= terms.silenceMs) lose(`no message for ${Math.round(silentMs)} ms`)
      else if (silentMs >= askAfterMs) for (const client of clients) askForLife(stream, client)
    },
  )

  function close(): void {
    if (stream.closed) return
    stream.closed = true
    endWatch()
    for (const client of clients) client.connection?.terminate()
  }

  function lose(why: string): void {
    if (stream.closed) return
    close()
    listener.lost(why)
  }

  exchange.client = (url) => {
    const client = clientFor.call(exchange, url)
    if (!clients.has(client)) {
      clients.add(client)
      interceptMessages(stream, client)
    }
    return client
  }
  exchange.onConnected = (client) => {
    onConnected.call(exchange, client)
    if (stream.closed) return
    stream.heardAt = performance.now()
    if (facts.hello) void client.send(facts.hello)
    for (const message of facts.books?.subscribe([...stream.marketById.keys()]) ?? []) void client.send(message)
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
    if (stream.closed) return
    const why = takeMessage(stream, client, message)
    if (why !== undefined) lose(why)
  }

  subscribe(exchange, facts, terms, (error) => {
    if (!stream.closed) listener.refused(textOf(error))
  })
  return { close }
}

/** Makes the exchange prove that it's there. */
function askForLife({ facts, exchange }: StreamState, client: CcxtClient): void {
  if (client.connection?.readyState !== 1) return
  const message = facts.ping?.() ?? exchange.ping?.(client)
  if (message) void client.send(message)
  else client.connection.ping()
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
      const call = must((exchange as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[method])
      const limit = method === 'watchOrderBookForSymbols' ? levels : undefined
      call.call(exchange, what, ...(limit === undefined ? [] : [limit])).catch(refused)
    }
    if (!many) for (const market of markets) watch(market)
    else for (let from = 0; from < markets.length; from += chunk) watch(markets.slice(from, from + chunk))
  }
}
