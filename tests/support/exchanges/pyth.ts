import { createHash } from 'node:crypto'
import type { Protocol } from './server.ts'

const CURRENCIES = ['EUR', 'GBP']
const symbolOf = (market: string) => `${CURRENCIES.includes(market.slice(0, 3)) ? 'FX' : 'Crypto'}.${market}`
export const feedId = (symbol: string) => createHash('sha256').update(symbol).digest('hex')

const EXPONENT = 8

/** Pyth's Hermes: a list of feeds and a stream of server-sent events with prices as whole numbers. */
export const pyth: Protocol = {
  get(url, book) {
    if (url.pathname !== '/v2/price_feeds') return undefined
    // The first is a share with a coin's name, and the last two are feeds that we can't use.
    const symbols = ['Equity.US.BTC/USD', ...book.markets.map(symbolOf), 'Crypto.BTC/USD.EMA', 'Rates.US10Y']
    return symbols.map((symbol) => ({ id: feedId(symbol), attributes: { symbol, asset_type: symbol.split('.')[0] } }))
  },
  stream(url, book) {
    if (url.pathname !== '/v2/updates/price/stream') return undefined
    const ids = url.searchParams.getAll('ids[]')
    return book.markets.filter((market) => ids.includes(feedId(symbolOf(market))))
  },
  price(market, price, atMs) {
    const [middle, conf] = typeof price === 'string' ? [price, '0'] : [price.bid, price.ask]
    const [whole = '', fraction = ''] = middle.split('.')
    const units = `${whole}${fraction.padEnd(EXPONENT, '0')}`.replace(/^0+(?=\d)/, '')
    const update = { price: units, conf, expo: -EXPONENT, publish_time: Math.floor(atMs / 1000) }
    const parsed = [{ id: feedId(symbolOf(market)), price: update, ema_price: update, metadata: { slot: 1 } }]
    return JSON.stringify({ binary: { encoding: 'hex', data: [''] }, parsed })
  },
}
