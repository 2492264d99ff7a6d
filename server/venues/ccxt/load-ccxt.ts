import { existsSync } from 'node:fs'
import { globalAgent as httpAgent } from 'node:http'
import { globalAgent as httpsAgent } from 'node:https'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { ListedMarket } from './list-markets.ts'
import { type CcxtBook, keepText } from './order-book.ts'

/** A market of ccxt, reduced to what is used here. */
interface CcxtMarket {
  symbol: string
  base: string
  quote: string
  spot: boolean
  active: boolean | undefined
  info: unknown
}

/** One connection of ccxt. */
export interface CcxtClient {
  url: string
  connection: { terminate(): void; ping(): void; readyState: number } | undefined
  onMessage(event: { data: unknown }): void
  onPong(): void
  resolve(result: unknown, hash?: string): unknown
  reject(error: unknown, hash?: string): unknown
  send(message: unknown): Promise<unknown>
}

/** An exchange of ccxt's WebSocket classes, reduced to what is used here. */
export interface CcxtExchange {
  name: string
  urls: { api: unknown }
  has: Record<string, unknown>
  markets: Record<string, CcxtMarket> | undefined
  clients: Record<string, CcxtClient>
  agent: unknown
  log: () => void
  httpAgent: unknown
  ping: ((client: CcxtClient) => unknown) | undefined
  client(url: string): CcxtClient
  market(symbol: string): { id: string }
  orderBook(snapshot?: object, depth?: number): CcxtBook
  handleMessage(client: CcxtClient, message: unknown): void
  onConnected(client: CcxtClient): void
  onError(client: CcxtClient, error: unknown): void
  onClose(client: CcxtClient, event: unknown): void
  fetchMarkets(params?: object): Promise<CcxtMarket[]>
  loadMarkets(reload?: boolean, params?: object): Promise<Record<string, CcxtMarket>>
  fetchOHLCV(symbol: string, timeframe: string, since: number, limit: number): Promise<unknown[][]>
}

export interface Ccxt {
  create(): CcxtExchange
  /** Creates an exchange that knows these markets and asks for no others. */
  createFor(markets: readonly ListedMarket[]): Promise<CcxtExchange>
  /** What ccxt throws when a venue answers with an error. */
  ExchangeError: new () => Error
  /** What ccxt throws for a market that it doesn't know. */
  BadSymbol: new () => Error
}

const REQUEST_TIMEOUT_MS = 10_000
/** ccxt caches trades per market, 1,000 by default: 400 MB for four venues. Nothing here reads them later. */
const CACHED_TRADES = 100

const SETTINGS = {
  newUpdates: true,
  // Prices stay text.
  number: String,
  timeout: REQUEST_TIMEOUT_MS,
  fetchImplementation: (url: string, { method, headers, body, signal }: RequestInit) =>
    fetch(url, { method, headers, body, signal, redirect: 'error' }),
  options: {
    defaultType: 'spot',
    fetchCurrencies: false,
    tradesLimit: CACHED_TRADES,
    // The venue's own backoff decides when to reconnect, so ccxt's adds none.
    ws: { backoff: { base: 0 } },
  },
}

/** ccxt's scripts. Resolved to a path because its `exports` offer only all of its 104 exchanges, which take 1 s to load. */
const scripts = (): URL => new URL('../js/src/', pathToFileURL(createRequire(import.meta.url).resolve('ccxt')))

/** Returns whether ccxt can stream prices of this exchange. */
export const isCcxtVenue = (id: string): boolean =>
  /^[a-z][a-z0-9]*$/.test(id) && existsSync(new URL(`pro/${id}.js`, scripts()))

/**
 * Loads one exchange of ccxt, and nothing of the others. With `address`, every request and connection goes there
 * instead of to the exchange (tests).
 */
export async function loadCcxt(id: string, options: object, address: string | undefined): Promise<Ccxt> {
  const load = (path: string) => import(new URL(path, scripts()).href)
  const [{ default: Exchange }, { ExchangeError, BadSymbol }] = await Promise.all([
    load(`pro/${id}.js`),
    load('base/errors.js'),
  ])
  const create = (): CcxtExchange => {
    const exchange: CcxtExchange = new Exchange({ ...SETTINGS, options: { ...SETTINGS.options, ...options } })
    // The global agents honour Node's proxy settings (NODE_USE_ENV_PROXY).
    exchange.agent = httpsAgent
    exchange.httpAgent = httpAgent
    exchange.has.fetchCurrencies = false
    // It would print what it cannot read.
    exchange.log = () => undefined
    const { orderBook } = exchange
    exchange.orderBook = (snapshot, depth) => keepText(orderBook.call(exchange, snapshot, depth))
    if (address !== undefined) exchange.urls.api = redirect(exchange.urls.api, new URL(address).host)
    return exchange
  }
  return {
    create,
    async createFor(markets) {
      const exchange = create()
      exchange.fetchMarkets = async () => markets.map(({ json }) => JSON.parse(json))
      await exchange.loadMarkets()
      return exchange
    },
    ExchangeError,
    BadSymbol,
  }
}

function redirect(urls: unknown, host: string): unknown {
  if (typeof urls === 'string') return urls.replace(/^(http|ws)s?:\/\/[^/]+/, `$1://${host}`)
  if (typeof urls !== 'object' || urls === null) return urls
  return Object.fromEntries(Object.entries(urls).map(([key, value]) => [key, redirect(value, host)]))
}
