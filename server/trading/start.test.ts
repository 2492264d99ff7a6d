import { expect, onTestFinished, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { openMarket } from '#tests/support/trades/market.ts'
import { storeTrades, TRADED_AT } from '#tests/support/trades/stored-trades.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import { neededMinutes } from './settlement/needed-minutes.ts'

test('ticks are needed from the oldest open trade on, and in the minutes that decided one', async () => {
  const database = await testDatabase()
  const market = await openMarket(database, { settles: false })
  onTestFinished(() => market.close())
  const { trading } = market
  expect(await trading.neededFrom()).toBe(Number.MAX_SAFE_INTEGER)
  await storeTrades(
    database,
    // With an entry, only the oldest price that may be its exit is needed.
    { entry: 1, seconds: 3_600, staleAfterMs: 9_000 },
    { tradeTime: TRADED_AT + 7_200_000 },
    { tradeTime: TRADED_AT - 7_200_000, status: 'Won' },
  )
  expect(await trading.neededFrom()).toBe(TRADED_AT + 3_600_000 - 9_000)
  await storeTrades(database, { tradeTime: TRADED_AT + 5 })
  expect(await trading.neededFrom()).toBe(TRADED_AT + 5)
  const minutes = async (from: number, to: number) =>
    [...(await trading.neededMinutes(TRADED_AT + from * 60_000, TRADED_AT + to * 60_000))]
      .map((ms) => (ms - TRADED_AT) / 60_000)
      .sort((a, b) => a - b)
  // Ten seconds before the trade, its entry and exit if it has them, and its end.
  expect(await minutes(-200, -60)).toEqual([-121, -120, -119])
  expect(await minutes(-120, -119)).toEqual([-120])
  expect(await minutes(-1, 1)).toEqual([-1, 0])
  expect(await minutes(0, 61)).toEqual([0, 1, 60])
  expect(await minutes(119, 122)).toEqual([119, 121])

  // However many trades there are, a statement reads a page of them.
  await storeTrades(database, ...Array.from({ length: 7 }, (_, n) => ({ tradeTime: TRADED_AT + n * 60_000 + 20_000 })))
  const [from, to] = [TRADED_AT, TRADED_AT + 10 * 60_000]
  const all = await neededMinutes(database.db, from, to)
  expect([...all].map((ms) => (ms - TRADED_AT) / 60_000).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  for (const atOnce of [1, 2, 3]) expect(await neededMinutes(database.db, from, to, atOnce)).toEqual(all)
})

test('limits that change apply at once; a node that does not settle knows of no open trade', async () => {
  const database = await testDatabase()
  const market = await openMarket(database, { settles: false })
  onTestFinished(() => market.close())
  await market.frame({ BTCUSDT: '60000.00' })
  const user = await market.trader()
  await market.submit(user, { amount: 10 })
  await changeSettings(database.db, { stake_max: 9, open_stake_max: 15 }, (tx) =>
    market.trading.setLimits(tx, { stakeMax: usd(900n), openStakeMax: usd(1_500n) }),
  )
  const rejected = (amount: number) => market.submit(user, { amount }).then(String, (error: Error) => error.message)
  await expect.poll(() => rejected(10_000.01)).toBe('The most you can stake on one trade is $9.00.')
  expect(await rejected(5.01)).toContain("Your open stakes can't exceed $15.00")
  await market.submit(user, { amount: 5 })
  expect(market.trading.mayHaveOpenTrades()).toBeUndefined()
  await expect.poll(market.trading.queues).toEqual({ orders: 0, entries: 2 })
  await market.frame({ BTCUSDT: '60001.00' })
  expect(market.trading.queues()).toEqual({ orders: 0, entries: 0 })
})

test("a voided trade is pushed to its owner's screen after the commit", async () => {
  const database = await testDatabase()
  const market = await openMarket(database, { settles: false })
  onTestFinished(() => market.close())
  const [trade] = await storeTrades(database, { user: await market.trader(), status: 'Void' })
  const pushed = () => market.news.map(({ userId, news }) => [userId, news.op])
  await inTransaction(database.db, async (tx) => {
    market.trading.pushVoided(tx, trade!.id, trade!.user)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(pushed()).toEqual([])
  })
  await expect.poll(pushed).toEqual([
    [trade!.user, 'trade'],
    [trade!.user, 'balance'],
  ])
})

test('a node that stops closes its connections', async () => {
  const database = await testDatabase()
  const market = await openMarket(database)
  const connected = async () =>
    (
      await sql<{ name: string }>`
        select application_name as name from pg_stat_activity where datname = current_database()
          and application_name in ('cleartick settlement', 'cleartick entries', 'cleartick acceptance') order by name`.execute(
        database.db,
      )
    ).rows.map(({ name }) => name)
  await market.frame({ BTCUSDT: '60000.00' })
  await market.submit(await market.trader())
  const all = ['cleartick acceptance', 'cleartick entries', 'cleartick settlement', 'cleartick settlement']
  await expect.poll(connected).toEqual(all)
  await market.close()
  await expect.poll(connected).toEqual([])
})
