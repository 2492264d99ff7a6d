import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type PriceComposition, priceCompositionCalls } from '#contract/prices/price-composition.ts'
import { toIso } from '#kernel/time.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { startTestPrices, TEST_START, type TestPrices } from '#tests/support/prices/prices.ts'
import { testVenue } from '#tests/support/prices/venues.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { createLog } from '../../platform/process/log.ts'
import { liveFeed } from '../feeds/live-feed.ts'
import type { Memory } from '../tape/memory/memory.ts'
import { instrumentsFrom, loadInstruments } from './instruments.ts'
import { priceCompositionRoutes } from './price-composition.ts'

const composition = async (prices: TestPrices, symbol: string): Promise<PriceComposition> => {
  const reply = await prices.routes['GET /prices/composition']({ query: { symbol } } as never)
  return priceCompositionCalls['GET /prices/composition'].reply.parse(JSON.parse((reply as { text: string }).text)).data
}

test('shows each exchange, what it says, and whether it counts', async () => {
  const database = await testDatabase()
  const venues = ['binance', 'kraken', 'bitstamp'].map((id) => testVenue(id, 'BTC/USDT'))
  const feed = liveFeed({ instruments: await loadInstruments(database.db), venues, log: createLog('silent') })
  await feed.readLists()
  const prices = await startTestPrices(database, { feed })
  await prices.step()
  const now = () => prices.clock.now()
  venues[0]!.trade('BTC/USDT', '61837.63', now() - 30)
  venues[1]!.book('BTC/USDT', '61840.10', '61840.25', now() - 40)
  venues[2]!.trade('BTC/USDT', '618376.30', now() - 10)
  prices.clock.advance(250)
  await prices.step()

  const made = await composition(prices, 'BTCUSDT')
  expect(made).toMatchObject({
    source: 'live',
    status: 'open',
    price: '61838.90',
    sequence: 1,
    terms: { min_sources: 2, depth_usd: 5_000, largest_deviation_bps: 20, stale_after_ms: 10_000 },
    frame: { number: prices.frames.at(-1)!.n, time: toIso(now()), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    pairs: [{ pair: 'BTC/USDT', price: expect.stringMatching(/^61838\.9/) }],
  })
  expect(made.pairs[0]!.members.map(({ venue, standing, price, bid }) => [venue, standing, price, bid])).toEqual([
    ['binance', 'kept', '61837.63', undefined],
    ['kraken', 'kept', '61840.175', '61840.1'],
    ['bitstamp', 'outlier', '618376.3', undefined],
  ])
  expect(await composition(prices, 'PCPUSDT')).toMatchObject({ status: 'unavailable', pairs: [] })
})

test("the tape of a day is every tick of it, in the tape's own order, from disk and memory", async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  const day = toIso(TEST_START).slice(0, 10)
  const written: string[] = []
  const utc = (time: number) => toIso(time).replace('T', ' ').replace('Z', '')
  for (let i = 0; i < 40; i++) {
    prices.clock.advance(60_000)
    await prices.tick({ BTCUSDT: `6180${i % 10}.5`, ETHUSDT: '2400' })
    written.push(
      `${i + 1},${prices.clock.now()},6180${i % 10}.50,live,${prices.frames.at(-1)!.n},${utc(prices.clock.now())}`,
    )
  }
  await prices.runHousekeeping()
  const csv = async (asked: string) => {
    const reply = await prices.routes['GET /prices/tape']({ query: { symbol: 'BTCUSDT', day: asked } } as never)
    return (await text((reply as { content: Readable }).content)).trimEnd().split('\r\n')
  }
  const head = '\uFEFFsequence,source_time,price,source,frame,source_time (UTC)'
  expect(await csv(day)).toEqual([head, ...written])
  expect(await csv('2020-01-01')).toEqual([head])
})

test('only two days are downloaded at a time, however many ask at once, and an ended download makes room', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '61837.63' })
  const query = { symbol: 'BTCUSDT', day: toIso(TEST_START).slice(0, 10) }
  const download = async () =>
    ((await prices.routes['GET /prices/tape']({ query } as never)) as { content: Readable }).content
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, download))
  const streams = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  expect(streams).toHaveLength(2)
  expect(outcomes.find((outcome) => outcome.status === 'rejected')?.reason).toMatchObject({ code: 'unavailable' })
  streams[0]!.destroy()
  await once(streams[0]!, 'close')
  const third = await download()
  await expect(download()).rejects.toMatchObject({ code: 'unavailable' })
  third.destroy()
  streams[1]!.destroy()
})

test('a client that stops reading loses its place', async () => {
  const routes = priceCompositionRoutes({
    instruments: instrumentsFrom([instrument({ id: 1, symbol: 'BTCUSDT' })]),
    memory: { head: () => ({ n: 1, t: TEST_START, hash: Buffer.alloc(32) }) } as Memory,
    search: async () => ({ ticks: [], dropped: false }),
    longestDownloadMs: 20,
  } as unknown as Parameters<typeof priceCompositionRoutes>[0])
  const query = { symbol: 'BTCUSDT', day: toIso(TEST_START).slice(0, 10) }
  const { content } = (await routes['GET /prices/tape']({ query } as never)) as { content: Readable }
  await once(content, 'close')
  expect(content.destroyed).toBe(true)
})

test('lists the switches of exchanges: all, of a time, and of those that make a symbol', async () => {
  const database = await testDatabase()
  const { db } = database
  const venues = [testVenue('binance', 'BTC/USDT'), testVenue('kraken', 'BTC/USDT'), testVenue('okx', 'ETH/USDT')]
  const feed = liveFeed({ instruments: await loadInstruments(db), venues, log: createLog('silent') })
  await feed.readLists()
  const prices = await startTestPrices(database, { feed })
  await prices.step()
  const { id } = await db
    .insertInto('operators')
    .values({ email: 'ann@desk.example', password_hash: 'x', totp_secret: Buffer.from('x'), roles: ['risk'] })
    .returning('id')
    .executeTakeFirstOrThrow()
  const AT = 1_790_000_000_000
  const add = (venue: string, out: boolean, at: number) =>
    db
      .insertInto('venue_switches')
      .values({ venue, is_out: out, reason: 'r', switched_by: id, effective_from: BigInt(at) })
      .execute()
  await add('kraken', true, AT)
  await add('okx', true, AT + 1_000)
  await add('kraken', false, AT + 60_000)
  const switches = async (query: object) => {
    const reply = await prices.routes['GET /prices/switches']({ query, reads: db } as never)
    const { data } = priceCompositionCalls['GET /prices/switches'].reply.parse(reply)
    return data.map(
      ({ exchange, name, out, from }) => `${name} (${exchange}) ${out ? 'out' : 'back'} ${from.slice(11, 19)}`,
    )
  }
  const [out, other, back] = [AT, AT + 1_000, AT + 60_000].map((ms) => toIso(ms).slice(11, 19))
  expect(await switches({})).toEqual([
    `Kraken (kraken) back ${back}`,
    `Okx (okx) out ${other}`,
    `Kraken (kraken) out ${out}`,
  ])
  const during = { from: toIso(AT), to: String(AT + 59_999) }
  expect(await switches(during)).toEqual([`Okx (okx) out ${other}`, `Kraken (kraken) out ${out}`])
  expect(await switches({ ...during, symbol: 'BTCUSDT' }), 'OKX does not make it').toEqual([
    `Kraken (kraken) out ${out}`,
  ])
  await expect(switches({ symbol: 'NOPE' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(switches({ from: '2', to: '1' })).rejects.toMatchObject({ code: 'validation_failed' })
  await prices.stop()
})
