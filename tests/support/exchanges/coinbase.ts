import { candlesFrom, type Protocol, type Session, sizeAt } from './server.ts'

const productOf = (market: string) => market.replace('/', '-')
const marketOf = (product: string) => product.replace('-', '/')
const iso = (ms: number) => new Date(ms).toISOString().replace('Z', '655123Z')

function envelope(channel: string, atMs: number, session: Session, event: object): string {
  const sequence_num = session.numbered++
  return JSON.stringify({ channel, client_id: '', timestamp: iso(atMs), sequence_num, events: [event] })
}

/**
 * Coinbase Advanced Trade: its public REST API v3 and WebSocket. Every message of a connection is numbered, and one
 * unknown product rejects a whole subscription.
 */
export const coinbase: Protocol = {
  get(url, book) {
    const products = '/api/v3/brokerage/market/products'
    if (url.pathname === products) {
      const isSpot = url.searchParams.get('product_type') !== 'FUTURE'
      const listed = (isSpot ? book.markets : []).map((market) => {
        const [base, quote] = market.split('/')
        return {
          product_id: productOf(market),
          base_currency_id: base,
          quote_currency_id: quote,
          product_type: 'SPOT',
          status: 'online',
          trading_disabled: book.halted.includes(market),
          is_disabled: false,
          base_increment: '0.00000001',
          quote_increment: '0.01',
          price_increment: '0.01',
          base_min_size: '0.00000001',
          base_max_size: '3400',
          quote_min_size: '1',
          quote_max_size: '150000000',
          alias: '',
          alias_to: [],
        }
      })
      return { products: listed, num_products: listed.length }
    }
    if (url.pathname.startsWith(products) && url.pathname.endsWith('/candles')) {
      const start = Number(url.searchParams.get('start') ?? 0)
      const candles = candlesFrom(book, start * 1000, 300).map(({ startMs, open, high, low, close }) => ({
        start: String(startMs / 1000),
        low,
        high,
        open,
        close,
        volume: '1.5',
      }))
      return { candles: candles.toReversed() }
    }
    return undefined
  },
  receive({ type, channel, product_ids }, session, book) {
    if (type !== 'subscribe') return
    if (channel === 'heartbeats') session.wantsHeartbeats = true
    const products = (product_ids ?? []) as string[]
    const unknown = products.find((product) => !book.markets.includes(marketOf(product)))
    if (unknown !== undefined) {
      session.send(JSON.stringify({ type: 'error', message: `${unknown} is not a valid product` }))
      return
    }
    for (const product of products) {
      if (channel !== 'level2') {
        session.markets.add(marketOf(product))
        continue
      }
      session.books.set(marketOf(product), undefined)
      session.send(envelope('l2_data', book.now(), session, { type: 'snapshot', product_id: product, updates: [] }))
    }
    const subscriptions = { [String(channel)]: products }
    session.send(envelope('subscriptions', book.now(), session, { subscriptions }))
  },
  price(market, price, atMs, session, book) {
    if (typeof price !== 'string') {
      if (!session.books.has(market)) return undefined
      const before = session.books.get(market)
      session.books.set(market, price)
      const level = (side: 'bid' | 'offer', price_level: string, new_quantity: string) => ({
        side,
        event_time: iso(atMs),
        price_level,
        new_quantity,
      })
      const gone = before ? [level('bid', before.bid, '0'), level('offer', before.ask, '0')] : []
      const updates = [
        ...gone,
        level('bid', price.bid, sizeAt(price.bid, book)),
        level('offer', price.ask, sizeAt(price.ask, book)),
      ]
      return envelope('l2_data', atMs, session, { type: 'update', product_id: productOf(market), updates })
    }
    const trade = {
      trade_id: String(book.nextId()),
      product_id: productOf(market),
      price,
      size: '0.00000012',
      time: iso(atMs),
      side: 'BUY',
    }
    return envelope('market_trades', book.now(), session, { type: 'update', trades: [trade] })
  },
  heartbeat(session, book) {
    if (!session.wantsHeartbeats) return undefined
    const counter = { current_time: iso(book.now()), heartbeat_counter: String(session.numbered) }
    return envelope('heartbeats', book.now(), session, counter)
  },
}
