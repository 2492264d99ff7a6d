import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kernel/time.ts'
import { startTestPrices, TEST_START } from '#tests/support/prices/prices.ts'
import { scriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import type { Db } from '../../platform/database/db.ts'
import { pricesAt } from './day-ago.ts'
import { historyMinutes, readHistories } from './history.ts'

test('the price of a day ago is that of its minute, and a history is read about once an hour', async () => {
  const database = await testDatabase()
  const { db } = database
  const prices = await startTestPrices(database, { feed: scriptedFeed('simulation') })
  await prices.tick({ BTCUSDT: '61837.63' })
  await prices.runHousekeeping()
  const histories = await readHistories(db)
  const [history] = histories
  const bars = await historyMinutes(db, history!)
  const slot = prices.instruments.slotOf('BTCUSDT')!

  let reads = 0
  const counted = new Proxy(db, {
    get(target, name) {
      if (name === 'selectFrom') reads++
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as Db
  const at = pricesAt(counted, prices.instruments)
  for (let minute = 0; minute < 180; minute++) {
    const time = TEST_START - DAY_MS + minute * MINUTE_MS + 500
    const expected = bars.findLast(([start]) => start <= time)!
    expect((await at(time, histories)).get(slot), `minute ${minute}`).toBe(expected[4])
  }
  expect(reads).toBeLessThanOrEqual(4)

  expect(await at(TEST_START - 3 * DAY_MS, histories)).toEqual(new Map())
  // A new period has another history.
  const other = { ...history!, since: history!.since + HOUR_MS }
  await expect(at(TEST_START - DAY_MS + MINUTE_MS, [other])).rejects.toThrow()
})
