import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type TestContext, test } from 'vitest'
import { startVenue } from '#tests/support/exchanges/start.ts'
import { MARKET_DATA, testOnMarketData } from '#tests/support/prices/market-data.ts'

/** Sends messages to a venue that watches this market. Returns what it made of them once all were read. */
async function receivedFrom(context: TestContext, id: string, market: string, messages: readonly string[]) {
  const { expect } = context
  const { exchange, received, watch } = await startVenue(context, id, [market])
  await watch(market)
  for (const message of messages) exchange.send(message)
  // Messages are read in order, and the last one is ours: nothing else has its price.
  exchange.push(market, { bid: '1.5', ask: '1.6' })
  await expect.poll(() => received.prices(market).at(-1)).toBe('1.5/1.6')
  return {
    quotes: received.quotes
      .slice(0, -1)
      .map(({ unchecked, venueMs }) => [...Object.values(unchecked).map(Number), venueMs]),
    unreadable: received.unreadable,
    events: received.events,
  }
}

const linesOf = (text: string) => text.trim().split('\n')

testOnMarketData('recorded trades of Bitstamp are understood, with their times of microseconds', async (context) => {
  const { expect } = context
  const file = join(MARKET_DATA, 'ws-frames', 'cryptofeed_bitstamp.txt.gz')
  const recorded = linesOf(gunzipSync(readFileSync(file)).toString())
    .filter((line) => /^[\d.]+: /.test(line))
    .map((line) => line.slice(line.indexOf(': ') + 2))
  const sent = recorded
    .map((text) => JSON.parse(text))
    .filter(({ event }) => event === 'trade')
    .map(({ data }) => [data.price, Math.floor(data.microtimestamp / 1_000)])
  expect([recorded.length, sent.length]).toEqual([30, 10])
  // The others answer subscriptions to markets that we don't watch.
  expect(await receivedFrom(context, 'bitstamp', 'ETH/USD', recorded)).toEqual({
    quotes: sent,
    unreadable: 0,
    events: ['connected'],
  })
})

testOnMarketData('recorded trades of OKX are understood, although we ask it for books only', async (context) => {
  const { expect } = context
  const recorded = linesOf(readFileSync(join(MARKET_DATA, 'ws-frames', 'gct_okx_wsAllTrades.json'), 'utf8'))
  expect(await receivedFrom(context, 'okx', 'BTC/USDT', recorded)).toEqual({
    quotes: [
      [95634.9, 1740394561685],
      [95635.3, 1740394561686],
    ],
    unreadable: 0,
    events: ['connected'],
  })
})

testOnMarketData('recorded tickers of Bybit are understood, although we ask it for books only', async (context) => {
  const { expect } = context
  const recorded = linesOf(readFileSync(join(MARKET_DATA, 'ws-frames', 'gct_bybit_wsTicker.json'), 'utf8'))
  expect(recorded).toHaveLength(8)
  expect(await receivedFrom(context, 'bybit', 'BTC/USDT', recorded)).toEqual({
    quotes: [
      // A spot ticker has the last price only. The others are of futures, with changes to what was said before.
      [21109.77, 1715742949283],
      [61873.9, 61874, 1715748762463],
      [61873.9, 61874, 1715748763063],
    ],
    unreadable: 0,
    events: ['connected'],
  })
})

// There are no recordings of the channels below.

test.concurrent('books of Bitstamp in the format of its documentation are understood', async (context) => {
  const { expect } = context
  const message = (microtimestamp: string, bids: string[][], asks: string[][]) =>
    JSON.stringify({
      data: { timestamp: microtimestamp.slice(0, 10), microtimestamp, bids, asks },
      channel: 'order_book_btcusd',
      event: 'data',
    })
  const messages = [
    message(
      '1788481325406795',
      [
        ['81254.37', '0.56250000'],
        ['81254.07', '0.07500000'],
      ],
      [['81263.98', '0.68285797']],
    ),
    message(
      '1788481325611204',
      [['81254.40', '0.10000000']],
      [
        ['81263.98', '0.68285797'],
        ['81264', '1.20000000'],
      ],
    ),
  ]
  expect(await receivedFrom(context, 'bitstamp', 'BTC/USD', messages)).toEqual({
    quotes: [
      [81254.37, 81263.98, 1788481325406],
      [81254.4, 81263.98, 1788481325611],
    ],
    unreadable: 0,
    events: ['connected'],
  })
})

test.concurrent('best bids and asks of OKX in the format of its documentation are understood', async (context) => {
  const { expect } = context
  const message = (bid: string, ask: string, ts: string, seqId: number) =>
    JSON.stringify({
      arg: { channel: 'bbo-tbt', instId: 'BTC-USDT' },
      data: [{ asks: [[ask, '0.16271274', '0', '5']], bids: [[bid, '1.1133491', '0', '19']], ts, seqId }],
    })
  const messages = [
    message('105252.5', '105252.6', '1749044565306', 55_729_075_884),
    message('105252.4', '105252.6', '1749044565317', 55_729_075_901),
  ]
  expect(await receivedFrom(context, 'okx', 'BTC/USDT', messages)).toEqual({
    quotes: [
      [105252.5, 105252.6, 1749044565306],
      [105252.4, 105252.6, 1749044565317],
    ],
    unreadable: 0,
    events: ['connected'],
  })
})

test.concurrent('books and trades of Bybit in the format of its documentation are understood', async (context) => {
  const { expect } = context
  const book = (b: string[][], a: string[][], ts: number) =>
    JSON.stringify({
      topic: 'orderbook.1.BTCUSDT',
      type: 'snapshot',
      ts,
      data: { s: 'BTCUSDT', b, a, u: 2_768_099, seq: 108_881_526_829 },
      cts: ts - 3,
    })
  const trade = {
    T: 1702645021114,
    s: 'BTCUSDT',
    S: 'Sell',
    v: '0.004',
    p: '42663.50',
    L: 'MinusTick',
    i: '22',
    BT: false,
  }
  const messages = [
    book([['42663.50', '0.910']], [['42663.60', '11.446']], 1702645020909),
    JSON.stringify({ topic: 'publicTrade.BTCUSDT', type: 'snapshot', ts: 1702645021116, data: [trade] }),
    // A side that is empty is no price.
    book([], [['42663.60', '11.446']], 1702645021230),
    book([['42663.40', '0.2']], [['42663.60', '11.446']], 1702645021240),
  ]
  const { quotes, ...rest } = await receivedFrom(context, 'bybit', 'BTC/USDT', messages)
  expect(quotes).toEqual([
    [42663.5, 42663.6, 1702645020909],
    [42663.5, 1702645021114],
    [42663.4, 42663.6, 1702645021240],
  ])
  expect(rest).toEqual({ unreadable: 0, events: ['connected'] })
})
