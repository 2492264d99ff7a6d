import { expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '#kernel/time.ts'
import { startTestPrices } from '#tests/support/prices/prices.ts'
import { scriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import type { Bar } from '../candles/candles.ts'
import { typicalMove } from './moves.ts'

const barsAt = (closes: readonly number[]): Bar[] =>
  closes.map((close, n) => [n * MINUTE_MS, close, close, close, close])

test('is the mean distance of closes, from half an hour of them on', () => {
  const steps = (count: number) => Array.from({ length: count }, (_, n) => 100 + 3 * (n % 2))
  expect(typicalMove(barsAt(steps(31)))).toBe(3)
  expect(typicalMove(barsAt(steps(30)))).toBeUndefined()
  expect(typicalMove([])).toBeUndefined()
})

test('is measured from the history as soon as an instrument has a price, then while it trades', async () => {
  const prices = await startTestPrices(await testDatabase(), { feed: scriptedFeed('simulation') })
  expect(prices.tape.typicalMove('BTCUSDT')).toBeUndefined()
  await prices.tick({ BTCUSDT: '61837.63' })
  await prices.runHousekeeping()
  // The second round has the history that the first one made.
  prices.clock.advance(MINUTE_MS)
  await prices.tick({ BTCUSDT: '61837.63' })
  await prices.runHousekeeping()
  const before = prices.tape.typicalMove('BTCUSDT')!
  expect(before).toBeGreaterThan(100)
  expect(prices.tape.typicalMove('ETHUSDT'), 'it has no price').toBeUndefined()

  for (let minute = 0; minute < 62; minute++) {
    prices.clock.advance(MINUTE_MS - 250)
    await prices.tick({ BTCUSDT: minute % 2 === 0 ? '61837.64' : '61837.66' })
  }
  await prices.runHousekeeping()
  expect(prices.tape.typicalMove('BTCUSDT')).toBeCloseTo(2, 1)
})

test('is known right after a start, also soon after a gap: the newest hour before it counts', async () => {
  const database = await testDatabase()
  const before = await startTestPrices(database, { feed: scriptedFeed('live') })
  for (let minute = 0; minute < 40; minute++) {
    await before.tick({ BTCUSDT: minute % 2 === 0 ? '61837.64' : '61837.67' })
    before.clock.advance(MINUTE_MS - 250)
  }
  await before.runHousekeeping()
  const { now } = before.clock
  await before.stop()
  const after = await startTestPrices(database, { feed: scriptedFeed('live') })
  after.clock.advance(now() - after.clock.now() + 3 * HOUR_MS)
  for (let minute = 0; minute < 3; minute++) {
    await after.tick({ BTCUSDT: '61900.00' })
    after.clock.advance(MINUTE_MS - 250)
  }
  await after.runHousekeeping()
  expect(after.tape.typicalMove('BTCUSDT')).toBeCloseTo(3, 1)
})
