import { expect, test } from 'vitest'
import { DAY_MS } from '#kernel/time.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { startTestPrices } from '#tests/support/prices/prices.ts'
import { testVenue } from '#tests/support/prices/venues.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { createLog } from '../../platform/process/log.ts'
import { readTicks, verifyTape } from '../index.ts'
import { instrumentsFrom, loadInstruments } from '../instruments/instruments.ts'
import { liveFeed } from './live-feed.ts'

test('the median of three venues becomes a tick on the tape', async () => {
  const database = await testDatabase()
  const venues = ['binance', 'kraken', 'bitstamp'].map((id) => testVenue(id, 'BTC/USDT', 'ETH/USDT'))
  const feed = liveFeed({ instruments: await loadInstruments(database.db), venues, log: createLog('silent') })
  expect(await feed.readLists()).toBe(3)
  const { clock, tape, step, instruments } = await startTestPrices(database, { feed })
  await step()
  const now = () => clock.now()
  expect(venues[0]!.watched).toEqual(['BTC/USDT', 'ETH/USDT'])
  expect(tape.status('PCPUSDT')).toMatchObject({ status: 'unavailable' })

  venues[0]!.trade('BTC/USDT', '61837.63', now() - 30)
  venues[1]!.book('BTC/USDT', '61840.10', '61840.25', now() - 40)
  venues[2]!.trade('BTC/USDT', '618376.30', now() - 10)
  clock.advance(250)
  await step()
  // The mean of 61837.63 and 61840.175, current at the older one's time; the third is ten times off.
  const [tick] = await readTicks(database.db, instruments.bySymbol('BTCUSDT')!.id, 0, now())
  expect(tick).toMatchObject({ price: 6_183_890n, sourceMs: now() - 290 })
  expect(tape.status('BTCUSDT')).toEqual({ status: 'open' })
  expect(tape.kind('BTCUSDT')).toBe(0)
  expect(tape.status('ETHUSDT')).toMatchObject({ status: 'stale' })
  expect((await verifyTape(database.db)).broken).toBeUndefined()
})

test('a pair of two currencies closes for the weekend and says when it reopens', async () => {
  const database = await testDatabase()
  const venues = ['kraken', 'bitstamp'].map((id) => testVenue(id, 'EUR/USD'))
  const feed = liveFeed({ instruments: await loadInstruments(database.db), venues, log: createLog('silent') })
  await feed.readLists()
  const { clock, tape, step, routes } = await startTestPrices(database, { feed })
  const quoted = async () => {
    clock.advance(250)
    for (const venue of venues) venue.trade('EUR/USD', '1.22784', clock.now())
    await step()
  }
  await step()
  await quoted()
  // A Monday.
  expect(tape.status('EURUSD')).toEqual({ status: 'open' })
  expect(tape.closedAt('EURUSD', Date.UTC(2026, 8, 25, 20, 59))).toBeUndefined()
  expect(tape.closedAt('EURUSD', Date.UTC(2026, 8, 25, 21))).toBe(Date.UTC(2026, 8, 27, 21))
  expect(tape.closedAt('BTCUSDT', Date.UTC(2026, 8, 25, 21))).toBeUndefined()
  const { n } = tape.head()
  clock.advance(5 * DAY_MS)
  const reopensMs = Date.UTC(2026, 8, 27, 21)
  await quoted()
  expect(tape.latest('EURUSD')!.sourceMs).toBeLessThan(clock.now() - DAY_MS)
  expect(tape.head().n).toBe(n + 1)
  const reason = 'The market is closed until Sunday at 21:00 UTC.'
  expect(tape.status('EURUSD')).toEqual({ status: 'closed', reason, reopensMs })
  const reply = await routes['GET /prices/instruments']({ query: { symbols: 'EURUSD' } } as never)
  expect(JSON.parse((reply as { text: string }).text).data[0]).toMatchObject({
    status: 'closed',
    reason,
    reopens: '2026-09-27T21:00:00.000Z',
  })
  clock.set(reopensMs)
  await quoted()
  expect(tape.status('EURUSD')).toEqual({ status: 'open' })
})

test('counts three deep exchanges as two while orders within their spreads could move the price too far', async () => {
  const instruments = instrumentsFrom([instrument({ id: 1, symbol: 'BTCUSDT', base: 'BTC', quote: 'USDT' })])
  const venues = ['binance', 'kraken', 'bitstamp'].map((id) => testVenue(id, 'BTC/USDT'))
  const feed = liveFeed({ instruments, venues, log: createLog('silent') })
  await feed.readLists()
  let typical: number | undefined
  feed.measureMovesBy!(() => typical)
  const sink = { quote: () => undefined, tick: () => undefined, state: () => undefined, alive: () => undefined }
  let now = 1_790_000_000_000
  feed.collect(now, sink)
  /** Runs books of these halves of a spread, by venue, in dollars; the price is 60,000.00. */
  const run = (...halves: number[]) => {
    for (const until = now + 16_000; now < until; now += 250) {
      for (const [at, venue] of venues.entries())
        venue.book('BTC/USDT', String(60_000 - halves[at]!), String(60_000 + halves[at]!), now, 50_000)
      feed.collect(now, sink)
    }
    return feed.deepSources!('BTCUSDT')
  }
  expect(run(10, 10, 10), 'moves that are not known yet').toBe(3)
  // A spread of 20.00 is 2,000 units.
  typical = 4_000
  expect(run(10, 10, 10)).toBe(3)
  typical = 3_900
  expect(run(10, 10, 10)).toBe(2)
  // Who moves two of three has to do with the wider one of the narrower two.
  expect(run(1, 10, 10)).toBe(2)
  expect(run(1, 1, 10)).toBe(3)
  await feed.stop()
})
