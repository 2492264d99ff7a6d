import { type Book, candlesFrom, levelsFrom, type Protocol } from './server.ts'

const idOf = (market: string) => market.replace('/', '').toLowerCase()
const marketOf = (id: string, book: Book) => book.markets.find((market) => idOf(market) === id)

/**
 * Bitstamp's REST API v2, and its WebSocket of trades and order books, whose times are in microseconds. Prices of
 * trades are JSON numbers.
 */
export const bitstamp: Protocol = {
  get(url, book) {
    if (url.pathname === '/api/v2/markets/') {
      return book.markets.map((market) => {
        const [base, counter] = market.split('/')
        return {
          name: market,
          market_symbol: idOf(market),
          base_currency: base,
          base_decimals: 8,
          counter_currency: counter,
          counter_decimals: 2,
          minimum_order_value: '10',
          trading: book.halted.includes(market) ? 'Disabled' : 'Enabled',
          instant_and_market_orders: 'Enabled',
          description: market,
          market_type: 'SPOT',
        }
      })
    }
    if (url.pathname.startsWith('/api/v2/ohlc/')) {
      const start = Number(url.searchParams.get('start') ?? 0)
      const ohlc = candlesFrom(book, start * 1000, Number(url.searchParams.get('limit') ?? 1000)).map((candle) => {
        const { startMs, open, high, low, close } = candle
        return { timestamp: String(startMs / 1000), open, high, low, close, volume: '1.5' }
      })
      return { data: { pair: '', ohlc } }
    }
    return undefined
  },
  receive({ event, data }, session, book) {
    if (event === 'bts:heartbeat') {
      session.send(JSON.stringify({ event, channel: '', data: { status: 'success' } }))
    } else if (event === 'bts:subscribe') {
      const { channel } = data as { channel: string }
      const market = marketOf(channel.replace(/^(live_trades|order_book)_/, ''), book)
      if (market && channel.startsWith('order_book_')) session.books.set(market, undefined)
      else if (market) session.markets.add(market)
      const reply = market
        ? { event: 'bts:subscription_succeeded', channel, data: {} }
        : { event: 'bts:error', channel: '', data: { code: null, message: 'Bad subscription string.' } }
      session.send(JSON.stringify(reply))
    }
  },
  price(market, text, atMs, session, book) {
    const second = Math.floor(atMs / 1000)
    if (typeof text !== 'string') {
      if (!session.books.has(market)) return undefined
      const data = {
        timestamp: String(second),
        microtimestamp: `${atMs}123`,
        bids: levelsFrom(text.bid, -1, 20, book),
        asks: levelsFrom(text.ask, 1, 20, book),
      }
      return JSON.stringify({ data, channel: `order_book_${idOf(market)}`, event: 'data' })
    }
    const trade = `"id":${book.nextId()},"timestamp":"${second}","amount":0.00230000,"amount_str":"0.00230000","price":${text},"price_str":"${text}","type":0,"microtimestamp":"${atMs}123","buy_order_id":1941223423082496,"sell_order_id":1941223422439425`
    return `{"data":{${trade}},"channel":"live_trades_${idOf(market)}","event":"trade"}`
  },
}
