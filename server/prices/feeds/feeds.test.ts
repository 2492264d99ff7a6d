import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { handClock } from '#tests/support/hand-clock.ts'
import { MARKET_DATA, testOnMarketData } from '#tests/support/prices/market-data.ts'
import { startTestPrices, TEST_START } from '#tests/support/prices/prices.ts'
import { type TestDatabase, testDatabase } from '#tests/support/servers/database.ts'
import { openBus } from '../../platform/bus/index.ts'
import { startClock } from '../../platform/process/clock.ts'
import { createLog } from '../../platform/process/log.ts'
import { StartProblem } from '../../platform/process/start-problem.ts'
import type { PricesDeps } from '../deps.ts'
import { type Feed, type FrameEvent, readTicks, startPrices, verifyTape } from '../index.ts'
import { createSimulation, crossUnits, legOf } from './simulation.ts'

function settings(feed: string, speed = 1): PricesDeps['config'] {
  const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-prices-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  return {
    FEED: feed,
    REPLAY_SPEED: speed,
    TAPE_RETENTION_DAYS: 7,
    NEW_TAPE_EPOCH: false,
    ROLES: ['engine'],
    dataDir,
    realTradesOnTestPrices: true,
  }
}

/** A running server's prices: its own loops, on the database's clock. */
async function running(
  database: TestDatabase,
  config: PricesDeps['config'],
  frames: FrameEvent[] = [],
  feed?: Feed,
  isQuiet = () => false,
) {
  const log = createLog('silent')
  const clock = await startClock(database.pool, log)
  onTestFinished(() => clock.stop())
  const prices = await startPrices({
    database,
    url: database.appUrl,
    clock,
    log,
    bus: await openBus(createLog('silent')),
    onFrame: (event) => void frames.push(event),
    config,
    ...(feed ? { feed } : {}),
    isQuiet,
    neededFrom: async () => Number.POSITIVE_INFINITY,
    neededMinutes: async () => new Set(),
  })
  onTestFinished(() => prices.stop())
  return prices
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a leader that rests between frames hurries when someone comes', async () => {
  const frames: FrameEvent[] = []
  let isQuiet = true
  const prices = await running(await testDatabase(), settings('simulation'), frames, undefined, () => isQuiet)
  const times = async (count: number) => {
    await expect.poll(() => frames.length, { interval: 5 }).toBeGreaterThanOrEqual(count)
    return frames.map(({ t }) => t)
  }
  const rested = (await times(frames.length + 2)).slice(-2)
  expect(rested[1]! - rested[0]!).toBeGreaterThanOrEqual(1_000)
  isQuiet = false
  prices.endQuiet()
  // At its usual pace again: of eight pauses on a busy machine, one at least is shorter than a quiet one.
  const lively = (await times(frames.length + 9)).slice(-9)
  expect(Math.min(...lively.slice(1).map((t, at) => t - lively[at]!))).toBeLessThan(900)
})

test('by default, every symbol is simulated from a secret seed and open after the start', async () => {
  const database = await testDatabase()
  const config = settings('simulation')
  const frames: FrameEvent[] = []
  const prices = await running(database, config, frames)
  for (const { symbol } of prices.instruments.list) {
    expect(prices.tape.status(symbol), symbol).toEqual({ status: 'open' })
    expect(prices.tape.kind(symbol)).toBe(2)
  }
  expect(statSync(join(config.dataDir, 'simulation-seed')).mode & 0o777).toBe(0o600)
  const begun = frames.length
  await expect.poll(() => frames.length).toBeGreaterThan(begun + 12)
  // Four a second at most.
  const times = frames.slice(begun).map(({ t }) => t)
  for (const [at, t] of times.slice(1).entries()) expect(t - times[at]!).toBeGreaterThanOrEqual(250)
  expect(prices.health()).toBe('')
  await prices.stop()
  expect(await verifyTape(database.db)).toMatchObject({ broken: undefined })
})

test('a restart continues the same simulation, which anyone with the seed can recompute', async () => {
  const database = await testDatabase()
  const config = settings('simulation:acorn')
  const clock = handClock(TEST_START)
  const more = { config, feed: undefined, clock }
  const first = await startTestPrices(database, more)
  for (let i = 0; i < 40; i++) {
    clock.advance(250)
    await first.step()
  }
  await first.stop()
  clock.advance(4_000)
  const second = await startTestPrices(database, more)
  for (let i = 0; i < 40; i++) {
    clock.advance(250)
    await second.step()
  }
  const ticks = await readTicks(database.db, second.instruments.bySymbol('ETHBTC')!.id, 0, clock.now())
  expect(ticks.length).toBeGreaterThan(60)
  const simulation = createSimulation('acorn')
  for (const { sourceMs, price } of ticks) {
    expect(Number(price)).toBe(crossUnits(simulation.legsAt(sourceMs), legOf('ETH')!, legOf('BTC')!, 7))
  }
  for (const [i, { price, seq }] of ticks.entries()) {
    expect(seq).toBe(i + 1)
    if (i > 0) expect(Math.abs(Math.log(Number(price) / Number(ticks[i - 1]!.price)))).toBeLessThan(0.003)
  }
})

test('simulated prices continue when another engine leads: both have the same key', async () => {
  const database = await testDatabase()
  const clock = handClock(TEST_START)
  const engine = async () => {
    const config = { ...settings('simulation'), PROOF_KEY: 'ab'.repeat(32) }
    const prices = await startTestPrices(database, { config, feed: undefined, clock })
    clock.advance(250)
    await prices.step()
    return prices
  }
  const first = await engine()
  const before = Number(first.tape.latest('BTCUSDT')!.price)
  await first.stop()
  const second = await engine()
  expect(second.tape.head().n).toBeGreaterThan(first.tape.head().n)
  expect(Math.abs(Math.log(Number(second.tape.latest('BTCUSDT')!.price) / before))).toBeLessThan(0.003)
})

test('a symbol is stale after a source change until the new source has a price', async () => {
  const database = await testDatabase()
  const first = await startTestPrices(database)
  await first.tick({ BTCUSDT: '61837.63' })
  await first.stop()
  const second = await startTestPrices(database, {
    config: settings('simulation:acorn'),
    feed: undefined,
    clock: first.clock,
  })
  expect(second.tape.status('BTCUSDT')).toMatchObject({ status: 'stale' })
  first.clock.advance(250)
  await second.step()
  expect(second.tape.status('BTCUSDT')).toEqual({ status: 'open' })
  expect(second.tape.kind('BTCUSDT')).toBe(2)
})

test('an unavailable feed stops the start with a clear message', async () => {
  const database = await testDatabase()
  for (const feed of ['live:nowhere', 'replay:/no/such/folder']) {
    await expect(startTestPrices(database, { config: settings(feed), feed: undefined })).rejects.toThrow(StartProblem)
  }
})

test('a symbol replayed from minute bars stays open between their four prices', async () => {
  const database = await testDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-bars-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const rows = [0, 1, 2].map((minute) => `${Date.UTC(2018, 3, 4) + minute * 60_000},100,103,99,101,5\n`)
  writeFileSync(join(folder, '2018-04-04_coinbase_BTCUSD_1m_trade.csv'), rows.join(''))
  const clock = handClock(TEST_START)
  const prices = await startTestPrices(database, { config: settings(`replay:${folder}`, 0.5), feed: undefined, clock })
  const statuses = new Map<string, number>()
  for (let ms = 0; ms < 356_000; ms += 250) {
    clock.advance(250)
    await prices.step()
    const { status } = prices.tape.status('BTCUSD')
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  expect([...statuses]).toEqual([['open', 1424]])
})

testOnMarketData('the recorded Binance trades on the tape: each tick is the newest trade of its moment', async () => {
  const database = await testDatabase()
  const folder = join(MARKET_DATA, 'binance-ws-2024-08-08')
  const clock = handClock(TEST_START)
  const prices = await startTestPrices(database, { config: settings(`replay:${folder}`), feed: undefined, clock })
  expect(prices.tape.status('LTCUSDT')).toMatchObject({ status: 'unavailable' })
  const { loadRecording } = await import('./recording.ts')
  const [session] = await loadRecording(folder, prices.instruments)
  clock.advance(250)
  const start = clock.now()
  while (clock.now() < start + 120_000) {
    await prices.step()
    clock.advance(250)
  }
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
    const track = session!.tracks.find((one) => one.slot === prices.instruments.slotOf(symbol))!
    const ticks = await readTicks(database.db, prices.instruments.bySymbol(symbol)!.id, 0, clock.now())
    expect(ticks.length).toBeGreaterThan(200)
    let traded = 0
    for (const { sourceMs, price } of ticks) {
      // Found by hand: the last trade at or before this moment of the recording.
      const moment = session!.fromMs + (sourceMs - start)
      const at = track.ms.findLastIndex((ms) => ms <= moment)
      expect(Number(price)).toBe(track.units[at])
      if (track.ms[at] === moment) traded++
    }
    expect(traded).toBeGreaterThan(150)
    expect(prices.tape.kind(symbol)).toBe(1)
  }
  expect((await verifyTape(database.db)).broken).toBeUndefined()
})

test('polls an idle source only occasionally', async () => {
  const database = await testDatabase()
  let looks = 0
  const silent = {
    kind: 'live',
    missing: () => undefined,
    collect: () => void looks++,
    stop: async () => undefined,
  } as const
  await running(database, settings('simulation'), [], silent)
  looks = 0
  await pause(1_000)
  expect(looks).toBeGreaterThan(3)
  expect(looks).toBeLessThan(25)
})
