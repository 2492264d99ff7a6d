import { expect, onTestFinished, test } from 'vitest'
import { binance } from '#tests/support/exchanges/binance.ts'
import { bitstamp } from '#tests/support/exchanges/bitstamp.ts'
import { kraken } from '#tests/support/exchanges/kraken.ts'
import { type Price, startExchange } from '#tests/support/exchanges/server.ts'
import { scrape } from '#tests/support/measures/metrics.ts'
import { startWholeApp } from '#tests/support/servers/app.ts'

test('three exchanges make one live price, and losing one does not matter', async () => {
  const markets = ['BTC/USDT', 'ETH/USDT']
  const exchanges = await Promise.all(
    [binance, kraken, bitstamp].map((protocol) => startExchange(protocol, { markets })),
  )
  const addresses = ['binance', 'kraken', 'bitstamp'].map((id, at) => `${id}=${exchanges[at]!.address}`)
  const app = await startWholeApp({
    FEED: 'live:binance,kraken,bitstamp',
    VENUE_ADDRESSES: addresses.join(','),
    METRICS_PORT: '0',
  })
  let prices: Price[] = ['61837.63', { bid: '61840.05', ask: '61840.15' }, '61838.25']
  const pushing = setInterval(() => {
    for (const [at, exchange] of exchanges.entries()) exchange.push('BTC/USDT', prices[at]!)
  }, 100)
  onTestFinished(async () => {
    clearInterval(pushing)
    await app.stop()
    await Promise.all(exchanges.map((exchange) => exchange.stop()))
  })

  const instrument = async (symbol: string) => {
    const { json } = await app.send('GET', '/api/prices/instruments')
    const list = json?.data as { symbol: string; status: string; price?: string }[]
    return { source: json?.source, ...list.find((row) => row.symbol === symbol) }
  }
  await expect.poll(() => instrument('BTCUSDT')).toMatchObject({ status: 'open', price: '61838.25', source: 'live' })
  expect(await instrument('ETHUSDT')).toMatchObject({ status: 'stale' })

  const counted = async (exchange: string) =>
    (await scrape(app.monitor)).value('cleartick_exchange_markets_counted', { exchange })
  await expect.poll(() => counted('bitstamp')).toBe(1)
  expect((await scrape(app.monitor)).value('cleartick_exchange_markets', { exchange: 'bitstamp' })).toBe(2)

  await exchanges[2]!.stop()
  prices = ['62000.00', { bid: '62009.00', ask: '62011.00' }, '0']
  await expect.poll(() => instrument('BTCUSDT')).toMatchObject({ status: 'open', price: '62005.00' })
  await expect.poll(() => counted('bitstamp')).toBe(0)
  expect(await counted('kraken')).toBe(1)
})
