import { expect, test } from 'vitest'
import { MINUTE_MS, startOf } from '#kernel/time.ts'
import { createLog } from '#server/platform/process/log.ts'
import { liveFeed } from '#server/prices/feeds/live-feed.ts'
import { loadInstruments, readInstruments } from '#server/prices/instruments/instruments.ts'
import { testVenue } from '#tests/support/prices/venues.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { openMarket } from '#tests/support/trades/market.ts'

const FRAME_MS = 250
const ORDER = {
  symbol: 'BTCUSDT',
  trade_mode: 'Buy',
  mode: 'real',
  strike_rate: '75/3',
  duration: 60,
  amount: 10,
} as const

/** Opens trading on live prices of three venues. The test chooses which are up and their prices. */
async function liveMarket({ needsDeepSources = false } = {}) {
  const database = await testDatabase()
  const venues = ['binance', 'kraken', 'bitstamp'].map((id) => testVenue(id, 'BTC/USDT'))
  // An hour of candles before the tape, so that it's known at once how much the price moves.
  for (const venue of venues) {
    venue.minutes = async (_, from) =>
      Array.from({ length: 720 }, (_, n) => {
        const price = n % 2 === 0 ? '60000.00' : '60100.00'
        return [startOf(from, MINUTE_MS) + n * MINUTE_MS, price, price, price, price]
      })
  }
  const instruments = await loadInstruments(database.db)
  const feed = liveFeed({ instruments, venues, log: createLog('silent') })
  await feed.readLists()
  const market = await openMarket(database, { feed, needsDeepSources })
  /** Runs frames for a while. `prices`: the price at each venue that is up, by its id. */
  const run = async (ms: number, prices: Record<string, string>) => {
    for (let passed = 0; passed < ms; passed += FRAME_MS) {
      for (const venue of venues) {
        const price = prices[venue.id]
        if (price !== undefined) venue.trade('BTC/USDT', price, market.clock.now())
      }
      await market.frame({}, { afterMs: FRAME_MS })
    }
  }
  /** Runs frames for a while, with books of 60,000. `usd`: what each of three levels is worth, by venue. */
  const runBooks = async (ms: number, usd: Record<string, number>) => {
    for (let passed = 0; passed < ms; passed += FRAME_MS) {
      for (const venue of venues) {
        const level = usd[venue.id]
        if (level !== undefined) venue.book('BTC/USDT', '59999', '60001', market.clock.now(), level)
      }
      await market.frame({}, { afterMs: FRAME_MS })
    }
  }
  const trader = await market.trader(1_000_000n)
  /** Returns the outcome of the only trade. */
  const outcome = async () => {
    await market.settled()
    const { rows } = await database.pool.query('select status, entry_price, exit_price, payout from trades')
    expect(rows).toHaveLength(1)
    return rows[0]
  }
  /** Changes instruments, and makes the node apply the change. */
  const change = async (statement: string) => {
    const client = await connectTo(database.ownerUrl)
    await client.query(statement)
    await client.end()
    instruments.update(await readInstruments(database.db))
    feed.instrumentsChanged!()
    await market.prices.runHousekeeping()
  }
  return { database, venues, feed, market, run, runBooks, trader, outcome, change }
}

const ALL = { binance: '60000', kraken: '60000.10', bitstamp: '59999.90' }

test('a real trade opens, runs and settles on live prices while one venue fails and another lies', async () => {
  const { market, run, trader, outcome } = await liveMarket()
  try {
    await run(1_000, ALL)
    await market.submit(trader, ORDER)
    await run(20_000, { ...ALL, bitstamp: '600000' })
    // Run until the end is proven for every symbol, even those without a tick: `settled` waits for nothing before.
    await run(45_000, { binance: '60010', kraken: '60010.20' })
    const { status, entry_price, exit_price, payout } = await outcome()
    // The mean of the two honest venues, before and after.
    expect([status, entry_price, exit_price, payout]).toEqual(['Won', 6_000_005n, 6_001_010n, 1_750n])
  } finally {
    await market.close()
  }
})

test('a trade settles on prices under new terms that operators set while it runs', async () => {
  const { market, run, trader, outcome, change } = await liveMarket()
  try {
    await run(1_000, ALL)
    await market.submit(trader, ORDER)
    await run(20_000, ALL)
    await change("update instruments set venues = '{binance,kraken}' where symbol = 'BTCUSDT'")
    // Two of the three venues would agree with Bitstamp.
    await run(45_000, { binance: '60010', kraken: '60010.20', bitstamp: '60010.19' })
    const { status, entry_price, exit_price } = await outcome()
    expect([status, entry_price, exit_price]).toEqual(['Won', 6_000_000n, 6_001_010n])
    await change("update instruments set min_sources = 3 where symbol = 'BTCUSDT'")
    expect(market.prices.tape.status('BTCUSDT')).toMatchObject({
      status: 'unavailable',
      reason: 'Only Binance and Kraken list BTC/USDT, and a price needs 3 exchanges.',
    })
  } finally {
    await market.close()
  }
})

test('prices are made by the terms before a change until it counts', async () => {
  const { database, market, run, trader, outcome, change } = await liveMarket()
  try {
    await run(1_000, ALL)
    const { end_time } = await market.submit(trader, ORDER)
    const from = Date.parse(end_time) + 10_000
    const past = await connectTo(database.superUrl)
    await past.query(`
      set session_replication_role = 'replica';
      insert into terms_changes (id, symbol, before, effective_from)
        select 1, symbol, jsonb_build_object('min_sources', min_sources, 'venues', venues), ${from} from instruments where symbol = 'BTCUSDT';
      update instruments set venues = '{bitstamp,binance}' where symbol = 'BTCUSDT'`)
    await past.end()
    await change('select')
    await run(66_000, { binance: '60010', kraken: '60010.20', bitstamp: '60010.60' })
    // The middle one of three, until the change counts: then the mean of two.
    expect(await outcome()).toMatchObject({ exit_price: 6_001_020n })
    await run(6_000, { binance: '60010', kraken: '60010.20', bitstamp: '60010.60' })
    await change('select')
    await run(1_000, { binance: '60020', kraken: '60020.20', bitstamp: '60020.60' })
    expect(market.prices.tape.latest('BTCUSDT')?.price).toBe(6_002_030n)
  } finally {
    await market.close()
  }
})

test('real money needs three deep exchanges; with two, the stakes of a symbol are limited by the depth of its price', async () => {
  const { database, market, runBooks, trader, change } = await liveMarket({ needsDeepSources: true })
  const submit = (more: object = {}) => market.submit(trader, { ...ORDER, ...more })
  const DEEP = { binance: 50_000, kraken: 50_000, bitstamp: 50_000 }
  try {
    await runBooks(10_000, DEEP)
    await expect(submit({ amount: 500 })).rejects.toMatchObject({
      code: 'price_unavailable',
      message: expect.stringMatching(/^We're still measuring how much BTCUSDT moves/),
    })
    await market.prices.runHousekeeping()
    await expect(submit({ amount: 500 })).resolves.toMatchObject({ status: 'Pending' })

    // One exchange holds too little: two are left, and 5,000 USD of depth.
    await runBooks(1_000, { ...DEEP, bitstamp: 100 })
    await expect(submit({ amount: 12.51 })).rejects.toMatchObject({
      code: 'limit_reached',
      message: expect.stringContaining('the most you can stake on it is $12.50'),
    })
    await expect(submit({ amount: 1_000, mode: 'demo' }), 'demo money').resolves.toMatchObject({ status: 'Pending' })
    // What all traders have staked on it counts: 500 are open.
    const limitOf = async () => {
      const { rows } = await database.pool.query(
        "select s.thin_max from symbol_open s join instruments i on i.id = s.symbol_id where i.symbol = 'BTCUSDT'",
      )
      return rows
    }
    await expect.poll(limitOf).toEqual([{ thin_max: 1_250n }])
    await expect
      .poll(() => submit({ amount: 1 }).then(String, ({ code, message }) => `${code}: ${message}`))
      .toMatch(/^limit_reached: This symbol has reached its limit/)

    await runBooks(1_000, { binance: 50_000, kraken: 100, bitstamp: 100 })
    await expect(submit({ amount: 1 })).rejects.toMatchObject({
      code: 'price_unavailable',
      message: expect.stringContaining('No exchange has a deep enough market for BTCUSDT right now'),
    })
    await runBooks(10_000, DEEP)
    await expect.poll(limitOf).toEqual([])
    await expect.poll(() => submit({ amount: 500 }).then(({ status }) => status, String)).toBe('Pending')
    await change("update instruments set demo_only = true where symbol = 'BTCUSDT'")
    await expect(submit({ amount: 1 })).rejects.toMatchObject({ message: 'BTCUSDT is open for demo trades only.' })
  } finally {
    await market.close()
  }
})

test('a trade that ends while all venues are down returns the stake, and no new trade opens', async () => {
  const { market, run, trader, outcome } = await liveMarket()
  try {
    await run(1_000, ALL)
    await market.submit(trader, ORDER)
    await run(40_000, ALL)
    await run(30_000, {})
    await expect(market.submit(trader, ORDER)).rejects.toMatchObject({ code: 'price_unavailable' })
    const { status, payout } = await outcome()
    expect([status, payout]).toEqual(['Void', 1_000n])
    await run(1_000, ALL)
    await expect(market.submit(trader, ORDER)).resolves.toMatchObject({ status: 'Pending' })
  } finally {
    await market.close()
  }
})

test('a symbol closes with a reason once no list has its market; a venue that is down keeps its list', async () => {
  const { venues, feed, market, run } = await liveMarket()
  try {
    await run(1_000, ALL)
    const status = () => market.prices.tape.status('BTCUSDT')
    expect(status()).toEqual({ status: 'open' })
    for (const venue of venues) venue.isDown = true
    expect(await feed.readLists()).toBe(0)
    expect(status()).toEqual({ status: 'open' })
    for (const venue of venues) venue.isDown = false
    for (const venue of venues.slice(1)) venue.list('ETH/USDT')
    expect(await feed.readLists()).toBe(3)
    expect(status()).toEqual({
      status: 'unavailable',
      reason: 'Only Binance lists BTC/USDT, and a price needs 2 exchanges.',
    })
    expect(venues[1]!.watched).toEqual(['ETH/USDT'])
    venues[1]!.list('BTC/USDT')
    await feed.readLists()
    await run(1_000, ALL)
    expect(status()).toEqual({ status: 'open' })
  } finally {
    await market.close()
  }
})
