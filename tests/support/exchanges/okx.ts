import { candlesFrom, type Protocol, sizeAt } from './server.ts'

const idOf = (market: string) => market.replace('/', '-')
const marketOf = (id: string) => id.replace('-', '/')

/** OKX: REST API v5 and the WebSocket of best bids and asks, which answers the text `ping`. */
export const okx: Protocol = {
  get(url, book) {
    const answer = (data: unknown) => ({ code: '0', msg: '', data })
    if (url.pathname === '/api/v5/public/instruments') {
      if (url.searchParams.get('instType') !== 'SPOT') return answer([])
      return answer(
        book.markets.map((market) => {
          const [baseCcy, quoteCcy] = market.split('/')
          return {
            instType: 'SPOT',
            instId: idOf(market),
            baseCcy,
            quoteCcy,
            state: book.halted.includes(market) ? 'suspend' : 'live',
            tickSz: '0.1',
            lotSz: '0.00000001',
            minSz: '0.00001',
            ctVal: '',
            settleCcy: '',
          }
        }),
      )
    }
    if (url.pathname.startsWith('/api/v5/market/') && url.pathname.endsWith('candles')) {
      // Newest first; `before` is exclusive.
      const from = Number(url.searchParams.get('before') ?? 0) + 1
      const rows = candlesFrom(book, from, Number(url.searchParams.get('limit') ?? 100)).map(
        ({ startMs, open, high, low, close }) => [String(startMs), open, high, low, close, '1.5', '1.5', '1.5', '1'],
      )
      return answer(rows.toReversed())
    }
    return undefined
  },
  receiveText(text, session) {
    if (text === 'ping') session.send('pong')
  },
  receive({ op, args }, session, book) {
    if (op !== 'subscribe') return
    for (const { channel, instId } of args as { channel: string; instId: string }[]) {
      const market = marketOf(instId)
      if (book.markets.includes(market)) {
        session.markets.add(market)
        session.send(JSON.stringify({ event: 'subscribe', arg: { channel, instId }, connId: 'a4d3ae55' }))
      } else {
        const msg = `Wrong URL or channel:${channel},instId:${instId} doesn't exist. Please use the correct URL, channel and parameters referring to API document.`
        session.send(JSON.stringify({ event: 'error', code: '60018', msg, connId: 'a4d3ae55' }))
      }
    }
  },
  price(market, price, atMs, _session, book) {
    const { bid, ask } = typeof price === 'string' ? { bid: price, ask: price } : price
    const sides = { asks: [[ask, sizeAt(ask, book), '0', '17']], bids: [[bid, sizeAt(bid, book), '0', '2']] }
    return JSON.stringify({
      arg: { channel: 'bbo-tbt', instId: idOf(market) },
      data: [{ ...sides, ts: String(atMs), seqId: book.nextId() }],
    })
  },
}
