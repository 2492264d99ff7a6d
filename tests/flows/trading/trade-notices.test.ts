import { expect, test } from 'vitest'
import { TradeNotices } from '#server/alerts/trade-notices.ts'
import { prefer } from '#server/notices/preferences.ts'
import { createLog } from '#server/platform/process/log.ts'
import { openTestNotices } from '#tests/support/people/notices.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'

const { database, market } = await marketOfFile()
const { tape, candles, instruments } = market.prices
const open = () =>
  new TradeNotices(
    {
      ...{
        db: database.db,
        tape,
        candles,
        instruments,
        notices: openTestNotices(),
        log: createLog('silent'),
        works: true,
      },
      bus: { publish: () => undefined, subscribe: () => () => undefined, onGap: () => undefined },
    },
    { byHand: true },
  )
const titles = async (userId: bigint) =>
  (
    await database.db
      .selectFrom('notices')
      .select(['kind', 'title'])
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute()
  ).map(({ kind, title }) => `${kind}: ${title}`)
const BTC = { BTCUSDT: '60000.00' }

test('a trade is announced a minute before its end, once, to those who want it', async () => {
  const [ada, eve] = [await market.trader(), await market.trader()]
  await prefer(database.db, ada, { kind: 'trade-ending', channel: 'in_app', on: true })
  await market.frame(BTC)
  for (const userId of [ada, eve]) await market.submit(userId, { duration: 180 })
  // It has no minute before its end.
  await market.submit(ada, { duration: 60 })
  const [one, two] = [open(), open()]
  await market.pass(5_000)
  await one.round()
  await market.pass(105_000)
  await Promise.all([one.round(), two.round()])
  expect(await titles(ada)).toEqual([])
  await market.pass(15_000)
  await Promise.all([one.round(), two.round(), open().round()])
  await one.round()
  expect([await titles(ada), await titles(eve)]).toEqual([['trade-ending: BTCUSDT Buy ends in a minute'], []])
})

test('a settled trade is announced with its result, once, also if the message about it was lost', async () => {
  const [ada, eve] = [await market.trader(), await market.trader()]
  await prefer(database.db, ada, { kind: 'trade-settled', channel: 'in_app', on: true })
  await market.frame(BTC)
  const follower = open()
  await follower.round()
  const trades = []
  for (const userId of [ada, eve]) trades.push(await market.submit(userId, { duration: 60, amount: 100 }))
  await market.frame(BTC)
  await market.pass(55_000)
  await market.frame({ BTCUSDT: '60010.00' })
  await market.pass(10_000)
  await market.settled()
  const rows = await database.db.selectFrom('trades').select('id').execute()
  const message = { tradeIds: rows.map(({ id }) => String(id)), userIds: [String(ada), String(eve)] }
  follower.settled(message)
  await follower.round()
  follower.settled(message)
  await follower.round()
  // Another engine heard nothing.
  await open().round()
  expect([await titles(ada), await titles(eve)]).toEqual([['trade-settled: BTCUSDT Buy won $75.00'], []])

  await market.submit(ada, { duration: 60, amount: 100 })
  await market.frame(BTC)
  await market.pass(66_000)
  await market.settled()
  await open().round()
  expect(await titles(ada)).toHaveLength(2)
})
