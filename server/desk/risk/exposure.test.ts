import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '#tests/support/servers/database.ts'
import { openMarket } from '#tests/support/trades/market.ts'
import { sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { exposure } from './exposure.ts'
import { trades } from './trades.ts'

test('what the house pays now follows from the entry on the tape, whether or not it has been written', async () => {
  const database = await testDatabase()
  const market = await openMarket(database, { settles: false })
  onTestFinished(() => market.close())
  const { db } = database
  await market.frame({ BTCUSDT: '60000.00' })
  const user = await market.trader()
  await market.submit(user, { amount: 10 })
  await market.submit(user, { amount: 20, trade_mode: 'Sell' })
  const shown = async () => {
    const [found] = await exposure({ db, prices: market.prices }, 'demo')
    const who = { operatorId: 1n, email: 'boss@example.com' } as WhoOperates
    const listed = await trades({ db, prices: market.prices }, who, {}, { after: undefined, limit: 5 })
    return [found!.house_now, ...listed.map(({ start_price }) => start_price)]
  }
  // Without an entry the stakes go back.
  expect(await shown()).toEqual([0, undefined, undefined])
  await market.frame({ BTCUSDT: '60001.00' })
  expect(await shown()).toEqual([0, 60_001, 60_001])
  await market.frame({ BTCUSDT: '60002.00' })
  // Buy gets 10 and 75 %, Sell nothing.
  expect(await shown()).toEqual([12.5, 60_001, 60_001])
  // What was written counts: here another price, to see the difference.
  await sql`update trades set entry_price = 6000200, entry_time = trade_time + 250, entry_seq = 2`.execute(db)
  expect(await shown()).toEqual([0, 60_002, 60_002])
})
