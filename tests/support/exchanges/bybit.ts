import { candlesFrom, type Protocol, sizeAt } from './server.ts'

const idOf = (market: string) => market.replace('/', '')

/** Bybit: REST API v5 and the WebSocket of trades and of order books of one level. */
export const bybit: Protocol = {
  get(url, book) {
    const answer = (result: object) => ({ retCode: 0, retMsg: 'OK', result, retExtInfo: {}, time: book.now() })
    if (url.pathname === '/v5/market/instruments-info') {
      const isSpot = url.searchParams.get('category') === 'spot'
      const list = (isSpot ? book.markets : []).map((market) => {
        const [baseCoin, quoteCoin] = market.split('/')
        return {
          symbol: idOf(market),
          baseCoin,
          quoteCoin,
          status: book.halted.includes(market) ? 'PreLaunch' : 'Trading',
          marginTrading: 'none',
          lotSizeFilter: { basePrecision: '0.000001', quotePrecision: '0.00000001', minOrderQty: '0.00001' },
          priceFilter: { tickSize: '0.01' },
        }
      })
      return answer({ category: url.searchParams.get('category'), list })
    }
    if (url.pathname === '/v5/market/kline') {
      const from = Number(url.searchParams.get('start') ?? 0)
      const rows = candlesFrom(book, from, Number(url.searchParams.get('limit') ?? 200)).map(
        ({ startMs, open, high, low, close }) => [String(startMs), open, high, low, close, '1.5', '1.5'],
      )
      return answer({ symbol: url.searchParams.get('symbol'), category: 'spot', list: rows.toReversed() })
    }
    return undefined
  },
  receive({ op, args, req_id }, session, book) {
    const answer = (fields: object) =>
      session.send(JSON.stringify({ success: true, conn_id: 'c0e7', req_id, ...fields }))
    if (op === 'ping') answer({ ret_msg: 'pong', op: 'ping' })
    if (op !== 'subscribe') return
    const topics = args as string[]
    const marketOf = (topic: string) => book.markets.find((market) => idOf(market) === topic.split('.').at(-1))
    const unknown = topics.find((topic) => marketOf(topic) === undefined)
    if (unknown !== undefined) {
      answer({ success: false, ret_msg: `Invalid symbol :[${unknown}]`, op })
      return
    }
    for (const topic of topics) {
      if (topic.startsWith('orderbook.')) session.books.set(marketOf(topic)!, undefined)
      else session.markets.add(marketOf(topic)!)
    }
    answer({ ret_msg: '', op })
  },
  price(market, price, atMs, session, book) {
    if (typeof price === 'string') {
      const trade = {
        T: atMs,
        s: idOf(market),
        S: 'Buy',
        v: '0.001',
        p: price,
        L: 'PlusTick',
        i: `${book.nextId()}`,
        BT: false,
      }
      return JSON.stringify({ topic: `publicTrade.${idOf(market)}`, type: 'snapshot', ts: atMs + 1, data: [trade] })
    }
    if (!session.books.has(market)) return undefined
    const { bid, ask } = price
    const data = {
      s: idOf(market),
      b: [[bid, sizeAt(bid, book)]],
      a: [[ask, sizeAt(ask, book)]],
      u: book.nextId(),
      seq: 1,
    }
    return JSON.stringify({ topic: `orderbook.1.${idOf(market)}`, ts: atMs, type: 'snapshot', data, cts: atMs - 1 })
  },
}
