import { candlesFrom, levelsFrom, type Protocol } from './server.ts'

const LEVELS = 3
const pairId = (market: string) => market.replace('/', '').replace('BTC', 'XBT')
const iso = (ms: number) => new Date(ms).toISOString().replace('Z', '123Z')

/**
 * Kraken's REST API and its WebSocket API v2, whose prices are JSON numbers: order books, and tickers in place of the trades
 * of other exchanges.
 */
export const kraken: Protocol = {
  get(url, book) {
    if (url.pathname === '/0/public/AssetPairs') {
      const pairs = book.markets.map((market) => {
        const [base = '', quote = ''] = market.replace('BTC', 'XBT').split('/')
        const pair = {
          altname: pairId(market),
          wsname: `${base}/${quote}`,
          base,
          quote,
          pair_decimals: 5,
          lot_decimals: 8,
          leverage_buy: [],
          fees: [[0, 0.4]],
          fees_maker: [[0, 0.25]],
          ordermin: '0.0001',
          costmin: '0.5',
          tick_size: '0.00001',
          status: book.halted.includes(market) ? 'cancel_only' : 'online',
        }
        return [pairId(market), pair]
      })
      return { error: [], result: Object.fromEntries(pairs) }
    }
    if (url.pathname === '/0/public/OHLC') {
      const rows = candlesFrom(book, Number(url.searchParams.get('since') ?? 0) * 1000, 720).map((candle) => {
        const { startMs, open, high, low, close } = candle
        return [startMs / 1000, open, high, low, close, close, '1.5', 3]
      })
      return { error: [], result: { [url.searchParams.get('pair') ?? '']: rows, last: 0 } }
    }
    return undefined
  },
  greet(session) {
    session.send(
      '{"channel":"status","type":"update","data":[{"version":"2.0.10","system":"online","api_version":"v2","connection_id":8423536080466635000}]}',
    )
  },
  receive({ method, params, req_id }, session, book) {
    const times = { time_in: iso(book.now()), time_out: iso(book.now()) }
    if (method === 'ping') session.send(JSON.stringify({ method: 'pong', ...times }))
    if (method !== 'subscribe') return
    const { channel, symbol, event_trigger } = params as { channel: string; symbol: string[]; event_trigger?: string }
    for (const market of symbol) {
      const isListed = book.markets.includes(market)
      if (isListed) session.markets.add(market)
      const result = { channel, event_trigger, snapshot: true, symbol: market }
      const answer = isListed
        ? { success: true, result }
        : { success: false, error: `Currency pair not supported ${market}`, symbol: market }
      session.send(JSON.stringify({ method, req_id, ...answer, ...times }))
    }
  },
  price(market, price, atMs, session, book) {
    const time = `"timestamp":"${iso(atMs)}"`
    if (typeof price === 'string')
      return `{"channel":"ticker","type":"update","data":[{"symbol":"${market}","bid":${price},"bid_qty":5.75119051,"ask":${price},"ask_qty":0.36977971,"last":${price},"volume":1020.88387727,"vwap":63685.7,"low":63250,"high":64409.2,"change":0.7,"change_pct":0,"trades":47535,${time}}]}`
    const before = session.books.get(market)
    session.books.set(market, price)
    const side = (name: 'bid' | 'ask', away: 1 | -1): string => {
      const now = levelsFrom(price[name], away, LEVELS, book)
      const was = before ? levelsFrom(before[name], away, LEVELS, book) : []
      const gone = was.filter(([level]) => !now.some(([other]) => other === level)).map(([level]) => [level, '0'])
      return [...gone, ...now].map(([level, size]) => `{"price":${level},"qty":${size}}`).join()
    }
    const sides = `"bids":[${side('bid', -1)}],"asks":[${side('ask', 1)}]`
    return `{"channel":"book","type":"${before ? 'update' : 'snapshot'}","data":[{"symbol":"${market}",${sides},"checksum":2114181697,${time}}]}`
  },
  // Kraken sends heartbeats to everyone who subscribed to anything.
  heartbeat: ({ markets }) => (markets.size > 0 ? '{"channel":"heartbeat"}' : undefined),
}
