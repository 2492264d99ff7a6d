import { expect, onTestFinished, test } from 'vitest'
import { inTransaction } from '#server/platform/database/db.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { startTestPrices } from '#tests/support/prices/prices.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { loadInstruments, verifyTape } from '../index.ts'
import { addInstrument, type NewInstrument } from './change-instruments.ts'
import { instrumentsFrom, SLOTS_MAX } from './instruments.ts'

test('an added instrument gets the next slot, and frames stay in the order of symbols', () => {
  const instruments = instrumentsFrom([
    instrument({ id: 7, symbol: 'ETHUSDT' }),
    instrument({ id: 9, symbol: 'BTCUSDT' }),
  ])
  expect(instruments.list.map(({ symbol }) => symbol)).toEqual(['BTCUSDT', 'ETHUSDT'])
  const [eth, btc, ada] = [
    instrument({ id: 7, symbol: 'ETHUSDT' }),
    instrument({ id: 9, symbol: 'BTCUSDT' }),
    instrument({ id: 8, symbol: 'ADAUSDT' }),
  ]
  expect(instruments.update([eth, btc])).toBe(false)
  expect(instruments.update([eth, btc, ada])).toBe(true)
  expect(instruments.list.map(({ symbol }) => symbol)).toEqual(['BTCUSDT', 'ETHUSDT', 'ADAUSDT'])
  expect(instruments.inFrameOrder()).toEqual([2, 0, 1])
  expect(instruments.update([{ ...eth, closedReason: 'Maintenance.' }, btc, ada])).toBe(true)
  expect(instruments.byId(7)).toBe(instruments.bySymbol('ETHUSDT'))
  expect(instruments.list[instruments.slotOf('ETHUSDT')!]!.closedReason).toBe('Maintenance.')
})

test('a withdrawn instrument is not found any more, and its slot is not used again', () => {
  const [btc, mistake, eth] = [
    instrument({ id: 1, symbol: 'BTCUSDT' }),
    instrument({ id: 2, symbol: 'CTBUSDT' }),
    instrument({ id: 3, symbol: 'ETHUSDT' }),
  ]
  const instruments = instrumentsFrom([btc, mistake, eth])
  expect(instruments.update([btc, eth])).toBe(true)
  expect(instruments.update([btc, eth])).toBe(false)
  expect([instruments.bySymbol('CTBUSDT'), instruments.byId(2), instruments.slotOf('CTBUSDT')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(instruments.current()).toEqual([btc, eth])
  expect(instruments.inFrameOrder()).toEqual([0, 2])
  const again = instrument({ id: 4, symbol: 'CTBUSDT', scale: 5 })
  expect(instruments.update([btc, eth, again])).toBe(true)
  expect([instruments.slotOf('CTBUSDT'), instruments.bySymbol('CTBUSDT')]).toEqual([3, again])
  expect(instruments.inFrameOrder()).toEqual([0, 3, 2])
})

test('there is a slot for each instrument that there ever was since the nodes started', async () => {
  const { db } = await testDatabase()
  const { count } = await db
    .selectFrom('instruments')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()
  const terms: NewInstrument = {
    base: 'CTB',
    quote: 'USDT',
    trading_type: 'Cryptocurrency',
    scale: 4,
    min_sources: 2,
    depth_usd: 1_000,
    demo_only: false,
    largest_spread_bps: 500,
    largest_deviation_bps: 100,
    stale_after_ms: 10_000,
    venues: null,
  }
  const add = (withdrawn: number) => inTransaction(db, (tx) => addInstrument(tx, terms, withdrawn))
  const free = SLOTS_MAX - Number(count)
  await expect(add(free)).rejects.toMatchObject({ code: 'wrong_state', message: expect.stringMatching(/512/) })
  // Here the database stops it: nobody has approved it.
  await expect(add(free - 1)).rejects.toThrow(/two people|approved|change/)
})

test('an instrument that is added or closed while the server runs takes effect without a restart', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  const owner = await connectTo(database.ownerUrl)
  onTestFinished(() => owner.end())
  const follower = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '61837.63', ZECUSD: '210' })
  await owner.query(
    `insert into instruments (id, symbol, base, quote, trading_type, scale) values (900, 'ADAUSDT', 'ADA', 'USDT', 'Cryptocurrency', 4)`,
  )
  await prices.runHousekeeping()
  expect(prices.tape.status('ADAUSDT')).toEqual({ status: 'stale', reason: 'No price has arrived yet.' })
  await prices.tick({ ADAUSDT: '0.7512', BTCUSDT: '61838', ZECUSD: '211' })
  expect(prices.frames.at(-1)!.entries.map(({ symbol }) => symbol)).toEqual(['ADAUSDT', 'BTCUSDT', 'ZECUSD'])
  expect(prices.tape.latest('ADAUSDT')).toMatchObject({ price: 7512n, seq: 1 })
  expect(prices.tape.status('ADAUSDT')).toEqual({ status: 'open' })

  // A node that follows meets the symbol in a frame before it has looked for new instruments.
  follower.clock.set(prices.clock.now())
  await follower.step()
  expect(follower.tape.latest('ADAUSDT')).toMatchObject({ price: 7512n, seq: 1 })

  await owner.query(`update instruments set closed_reason = 'Its market moved.' where symbol = 'ADAUSDT'`)
  await prices.runHousekeeping()
  expect(prices.tape.status('ADAUSDT')).toEqual({ status: 'unavailable', reason: 'Its market moved.' })
  // Open trades still need its price.
  await prices.tick({ ADAUSDT: '0.7513' })
  expect(prices.tape.latest('ADAUSDT')).toMatchObject({ price: 7513n, seq: 2 })

  const restarted = await startTestPrices(database)
  expect(restarted.tape.latest('ADAUSDT')).toMatchObject({ price: 7513n, seq: 2 })
  expect((await verifyTape(database.db)).broken).toBeUndefined()
})

test('the tape continues when an instrument is withdrawn just before its first price', async () => {
  const database = await testDatabase()
  const owner = await connectTo(database.ownerUrl)
  onTestFinished(() => owner.end())
  await owner.query(
    `insert into instruments (symbol, base, quote, trading_type, scale) values ('CTBUSDT', 'CTB', 'USDT', 'Cryptocurrency', 4)`,
  )
  const prices = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '61837.63' })
  await owner.query(`delete from instruments where symbol = 'CTBUSDT'`)
  // This node doesn't know it yet. The database refuses the frame, and the next one is without the price.
  await expect(prices.tick({ CTBUSDT: '1.5', BTCUSDT: '61838.00' })).rejects.toThrow(/foreign key/)
  prices.clock.advance(250)
  for (const [symbol, price] of [
    ['CTBUSDT', '1.6'],
    ['BTCUSDT', '61839.00'],
  ] as const)
    prices.feed.quote(symbol, price, prices.clock.now())
  // Its lock is free once PostgreSQL has noticed that the connection ended.
  await expect
    .poll(async () => {
      await prices.step()
      return prices.tape.latest('BTCUSDT')?.price
    })
    .toBe(6_183_900n)
  expect(prices.frames.at(-1)!.entries.map(({ symbol }) => symbol)).toEqual(['BTCUSDT'])
  expect((await verifyTape(database.db)).broken).toBeUndefined()
  await expect(owner.query(`delete from instruments where symbol = 'BTCUSDT'`)).rejects.toThrow(/foreign key/)
})

test('instruments whose coins were renamed or that no exchange lists say so', async () => {
  const database = await testDatabase()
  const reasons = Object.fromEntries(
    (await loadInstruments(database.db)).list.map(({ symbol, notLiveReason }) => [symbol, notLiveReason]),
  )
  expect(reasons.BTCUSDT).toBeNull()
  expect(reasons.EOSUSDT).toMatch(/Vaulta/)
  expect(reasons.MKRBTC).toMatch(/SKY/)
  for (const symbol of ['PCPUSDT', 'TXRBTC'].filter((one) => one in reasons))
    expect(reasons[symbol]).toMatch(/not listed/)
})
