import { type Book, candlesFrom, levelsFrom, type Protocol } from './server.ts'

const symbolOf = (market: string) => market.replace('/', '')
const marketOf = (symbol: string, book: Book) => book.markets.find((market) => symbolOf(market) === symbol)

/**
 * Binance's spot market: REST API v3, and its streams of trades and of partial books, which have no times. Unknown streams
 * are accepted and stay empty.
 */
export const binance: Protocol = {
  get(url, book) {
    if (url.pathname === '/api/v3/exchangeInfo') {
      const onlyTrading = url.searchParams.get('symbolStatus') === 'TRADING'
      const listed = onlyTrading ? book.markets.filter((market) => !book.halted.includes(market)) : book.markets
      const symbols = listed.map((market) => {
        const [baseAsset, quoteAsset] = market.split('/')
        return {
          symbol: symbolOf(market),
          status: book.halted.includes(market) ? 'BREAK' : 'TRADING',
          baseAsset,
          baseAssetPrecision: 8,
          quoteAsset,
          quotePrecision: 8,
          quoteAssetPrecision: 8,
          orderTypes: ['LIMIT', 'MARKET'],
          isSpotTradingAllowed: true,
          isMarginTradingAllowed: false,
          filters: [{ filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000000.00', tickSize: '0.01' }],
          permissions: [],
          permissionSets: [['SPOT']],
        }
      })
      return { timezone: 'UTC', serverTime: book.now(), rateLimits: [], exchangeFilters: [], symbols }
    }
    if (url.pathname === '/api/v3/klines') {
      const limit = Number(url.searchParams.get('limit') ?? 500)
      return candlesFrom(book, Number(url.searchParams.get('startTime') ?? 0), limit).map(
        ({ startMs, open, high, low, close }) => [
          startMs,
          open,
          high,
          low,
          close,
          '1.5',
          startMs + 59_999,
          '1',
          3,
          '1',
          '1',
          '0',
        ],
      )
    }
    return undefined
  },
  receive({ method, params, id }, session, book) {
    const reply = (result: unknown) => session.send(JSON.stringify({ result, id }))
    if (method === 'LIST_SUBSCRIPTIONS') {
      reply([...session.markets].map((market) => `${symbolOf(market).toLowerCase()}@trade`))
    } else if (method === 'SUBSCRIBE') {
      for (const stream of params as string[]) {
        const [symbol = '', channel] = stream.split('@')
        const market = marketOf(symbol.toUpperCase(), book)
        if (!market) continue
        if (channel === 'depth20') session.books.set(market, undefined)
        else session.markets.add(market)
      }
      reply(null)
    } else if (method === 'SET_PROPERTY') {
      reply(null)
    }
  },
  price(market, price, atMs, session, book) {
    if (typeof price !== 'string') {
      if (!session.books.has(market)) return undefined
      const data = {
        lastUpdateId: book.nextId(),
        bids: levelsFrom(price.bid, -1, 20, book),
        asks: levelsFrom(price.ask, 1, 20, book),
      }
      return JSON.stringify({ stream: `${symbolOf(market).toLowerCase()}@depth20@100ms`, data })
    }
    const data = {
      e: 'trade',
      E: Number.isFinite(atMs) ? atMs + 1 : atMs,
      s: symbolOf(market),
      t: book.nextId(),
      p: price,
      q: '0.00230000',
      T: atMs,
      m: false,
      M: true,
    }
    return JSON.stringify({ stream: `${symbolOf(market).toLowerCase()}@trade`, data })
  },
}
